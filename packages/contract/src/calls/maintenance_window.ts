import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { ByKid, Count, Done, Instant, Kid, Line, Nothing, shaped, text, wrong } from '../wire.ts'

export const windowLimits = {
  of_account: 50,
  /** Places of the configuration that one window may be referred to by. */
  places: 1_000,
} as const

const TimeOfDay = z.string().regex(...shaped('time_of_day', /^([01]\d|2[0-3]):[0-5]\d$/))
const Days = z
  .array(z.number().int().min(1).max(7))
  .min(1)
  .max(7)
  .refine((days) => new Set(days).size === days.length, wrong('entry_repeated'))
  .describe('days of the week on which it opens: 1 is Monday, 7 Sunday')
const hours = {
  from: TimeOfDay,
  to: TimeOfDay.describe('`to` before `from` spans midnight'),
}

/** When devices may execute, in the zone of each: hours of its own, or those of a maintenance window as they are now. */
export const ExecutionWindow = z.object({
  ...hours,
  days: Days.optional().describe('absent: every day'),
  kid: Kid.optional().describe('of a maintenance window, whose hours and name the server puts here'),
  name: z.string().max(64).optional().describe('of the maintenance window; what is sent is ignored'),
})
export type ExecutionWindow = z.output<typeof ExecutionWindow>

const Head = z.object({ name: Line(64, 1), ...hours, days: Days })
const isOpenSometime = ({ from, to }: { from: string; to: string }) => from !== to

export const MaintenanceWindow = Head.extend({
  kid: Kid,
  uses: z
    .object({
      pushes: Count.describe('that have not ended'),
      recurring: Count,
      templates: Count,
      required_apps: Count,
      configurations: Count.describe('account, groups, profiles and devices at which it is set'),
    })
    .describe('what refers to it'),
  created_by: z.string(),
  created_at: Instant,
})
export type MaintenanceWindow = z.output<typeof MaintenanceWindow>

/** Whoever sees what refers to one. */
const readers = ['pushTaskList', 'appRequiredList', 'deviceDetailConfig', 'configurePushList'] as const
const needs = 'pushTaskList:window'
const group_title = text('Maintenance windows', 'Khung bảo trì', '维护时段')
export const maintenanceWindow = group('maintenance_window', group_title, {
  list: read('GET', {
    needs: readers,
    title: text('List maintenance windows', 'Danh sách khung bảo trì', '维护时段列表'),
    input: Nothing,
    output: z.array(MaintenanceWindow).describe('by name'),
  }),
  insert: write('POST', {
    needs,
    limited: 'refused',
    title: text('Create a maintenance window', 'Tạo khung bảo trì', '新建维护时段'),
    input: Head.refine(isOpenSometime, wrong('window_empty', undefined, 'to')),
    output: MaintenanceWindow,
    errors: ['duplicate_name', 'maintenance_window_max'],
  }),
  /** What refers to it gets the new hours; a push that has begun keeps those with which it began. */
  update: write('POST', {
    needs,
    limited: 'refused',
    title: text('Edit a maintenance window', 'Sửa khung bảo trì', '编辑维护时段'),
    input: Head.extend({ kid: Kid }).refine(isOpenSometime, wrong('window_empty', undefined, 'to')),
    output: MaintenanceWindow,
    errors: ['duplicate_name', 'config_in_steps', 'maintenance_window_places'],
  }),
  delete: write('POST', {
    needs,
    limited: 'refused',
    title: text('Delete a maintenance window', 'Xóa khung bảo trì', '删除维护时段'),
    input: ByKid,
    output: Done,
    errors: ['maintenance_window_in_use'],
    works_on_full_disk: true,
  }),
})

import * as z from 'zod'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Count, Done, edited, Instant, isZone, Kid, Line, Nothing, QueryInt, text, wrong } from '../wire.ts'
import { PushableType, pushKindOf } from './push_kinds.ts'
import { PushConditions, Rollout } from './push_options.ts'
import { PushDraft, ScheduleTo } from './push_task.ts'

/** Five fields: minute, hour, day of the month, month, day of the week. Read in its zone, over changes of summer time. */
const Cron = Line(100, 9)
const Zone = z.string().max(64).refine(isZone, wrong('zone_unknown'))
const When = z.object({ cron: Cron, zone: Zone })
const Head = When.extend({ name: Line(64, 1), is_on: z.boolean().default(true) })

export const PushSchedule = Head.extend({
  kid: Kid,
  type: PushableType,
  summary: z.string(),
  description: z.string(),
  to: ScheduleTo,
  conditions: PushConditions,
  rollout: Rollout.nullable(),
  created_by: z.string(),
  created_at: Instant,
  next_at: Instant.nullable().describe('null: switched off'),
  last_at: Instant.nullable(),
  last_task_kid: Kid.nullable(),
  last_error: z.string().nullable().describe('why its last run made no push, in the language of the reader'),
  runs: Count,
})
export type PushSchedule = z.output<typeof PushSchedule>

const group_title = text('Recurring pushes', 'Lượt đẩy định kỳ', '周期推送')
export const pushSchedule = group(withinGroups('push_schedule'), group_title, {
  list: read('GET', {
    needs: 'pushTaskList',
    title: text('List recurring pushes', 'Danh sách lượt đẩy định kỳ', '周期推送列表'),
    input: Nothing,
    output: z.array(PushSchedule).describe('by name'),
  }),
  next_runs: read('GET', {
    needs: 'pushTaskList',
    title: text('Work out the next runs', 'Tính các lần chạy tiếp theo', '计算后续执行时间'),
    input: When.extend({ count: QueryInt.pipe(z.number().min(1).max(20)).default(5) }),
    output: z.array(Instant),
  }),
  insert: write('POST', {
    needs: 'pushTaskList:schedule',
    title: text('Create a recurring push', 'Tạo lượt đẩy định kỳ', '新建周期推送'),
    needs_for: ({ push }) => pushKindOf(push.type).needs,
    input: Head.extend({ to: ScheduleTo, push: PushDraft }),
    output: PushSchedule,
    errors: ['duplicate_name', 'push_schedule_max', 'device_not_found', 'os_not_available'],
    asks_password: ({ push }) => pushKindOf(push.type).is_destructive === true,
  }),
  update: write('POST', {
    needs: 'pushTaskList:schedule',
    title: text('Edit a recurring push', 'Sửa lượt đẩy định kỳ', '编辑周期推送'),
    input: edited(Head.extend({ kid: Kid })),
    output: PushSchedule,
    errors: ['duplicate_name'],
    destroys: () => true,
  }),
  delete: write('POST', {
    needs: 'pushTaskList:schedule',
    title: text('Delete a recurring push', 'Xóa lượt đẩy định kỳ', '删除周期推送'),
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
})

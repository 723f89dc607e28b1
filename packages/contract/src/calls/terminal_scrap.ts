import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import { Count, Done, Instant, Kid, Nothing, text } from '../wire.ts'

export const scrap_kept_hours = 24
/** More cannot wait at once, by what may be scrapped within an hour. */
export const scrap_listed_max = constants.scrapped_per_hour / constants.password_from_devices

export const scrapStates = ['waiting', 'done', 'canceled', 'failed'] as const
export type ScrapState = (typeof scrapStates)[number]

export const ScrapSchedule = z.object({
  schedule_version: Kid,
  state: z.enum(scrapStates),
  total: Count.describe('devices that were to be scrapped'),
  scrapped: Count.describe('devices that were scrapped; those that had left meanwhile are not among them'),
  due_at: Instant,
  due_in_seconds: Count.describe('until then, by the clock of the server; 0 when it does not wait'),
  is_own: z.boolean().describe('whether the caller has asked for it'),
  created_by: z.string(),
  created_at: Instant,
  canceled_by: z.string().nullable().describe('null of a canceled one: whoever asked could no longer ask'),
  finished_at: Instant.nullable(),
})
export type ScrapSchedule = z.output<typeof ScrapSchedule>

/** Scrapping of many devices waits, so that a slip or a stolen session can be stopped. */
export const terminalScrap = group(withinGroups('terminal_scrap'), text('Scrapping', 'Loại bỏ thiết bị', '设备报废'), {
  list_scrap_schedule: read('GET', {
    path: 'terminal/list_scrap_schedule',
    needs: 'deviceList',
    title: text('List waiting scrapping', 'Danh sách lượt loại bỏ đang chờ', '待执行报废列表'),
    input: Nothing,
    output: z.array(ScrapSchedule).describe('what waits, then what ended within a day, newest first'),
  }),
  cancel_scrap_schedule: write('POST', {
    path: 'terminal/cancel_scrap_schedule',
    needs: 'deviceList:cancel',
    title: text('Stop scrapping devices', 'Dừng loại bỏ thiết bị', '取消报废设备'),
    input: z.object({ schedule_version: Kid }),
    output: Done,
    errors: ['scrap_not_waiting'],
    works_on_full_disk: true,
  }),
})

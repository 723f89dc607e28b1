import * as z from 'zod'
import { group, read } from '../kit.ts'
import { Bytes, Count, Instant, Kid, QueryInt, text, shaped } from '../wire.ts'
import { Zone } from '../zones.ts'

/** What devices say began with them: no day before it can be asked for, nor one that no calendar of ours has. */
const Day = z.iso.date().regex(...shaped('not_date', /^(19[7-9]\d|2\d{3})-/))
const Level = z.number().min(0).max(100)
/** Days in a row, in the account's zone unless another is named. */
const days = (most: number) =>
  z.object({
    terminal_kid: Kid,
    day: Day.optional().describe('the last of the days; today when absent'),
    days: QueryInt.min(1).max(most).default(1),
    zone: Zone.optional().describe('of the account when absent'),
  })

export const OnlineDay = z.object({
  day: Day,
  from: Instant,
  until: Instant.describe('begin of the next day: 23, 24 or 25 hours later'),
  known_until: Instant.describe('what lies after it has not happened yet'),
  online_seconds: Count,
  intervals: z.array(
    z.object({
      from: Instant,
      until: Instant,
      end: z
        .enum(['left', 'lost', 'day', 'now'])
        .describe('the connection ended; its server was gone; it goes on the next day; it is open'),
    }),
  ),
})

export const batteryTriggers = ['charge', 'outage', 'change', 'connect', 'disconnect'] as const
export const usageNetworks = ['wifi', 'mobile', 'ethernet'] as const
export type UsageNetwork = (typeof usageNetworks)[number]

/** What a device said over days. Beside `terminal`, whose calls are about what it is now. */
export const terminalTelemetry = group('terminal_telemetry', text('Device history', 'Lịch sử thiết bị', '设备历史'), {
  get_online_curve: read('GET', {
    path: 'terminal/get_online_curve',
    needs: 'deviceDetailRun',
    title: text('Read when a device was online', 'Đọc thời gian trực tuyến', '读取设备在线曲线'),
    input: days(31),
    output: z.object({ zone: z.string(), days: z.array(OnlineDay).describe('oldest first') }),
  }),
  list_battery: read('GET', {
    path: 'terminal/list_battery',
    needs: 'deviceDetailRun',
    title: text('Read the battery curve', 'Đọc biểu đồ pin', '读取电池曲线'),
    input: days(7),
    output: z.object({
      zone: z.string(),
      from: Instant,
      until: Instant,
      points: z
        .array(z.object({ at: Instant, level: Level, charging: z.string().nullable() }))
        .describe('oldest first, thinned evenly where there are many'),
      triggers: z
        .array(
          z.object({
            at: Instant,
            received_at: Instant,
            trigger: z.enum(batteryTriggers),
            level: Level.nullable(),
          }),
        )
        .describe('oldest first; the last 500'),
    }),
  }),
  list_usage: read('GET', {
    path: 'terminal/list_usage',
    needs: 'deviceDetailRun',
    title: text('Read network usage', 'Đọc lưu lượng mạng', '读取网络用量'),
    input: days(92),
    output: z.object({
      first_day: Day,
      last_day: Day,
      items: z
        .array(
          z.object({
            day: Day,
            app: z.string().describe('empty for what the device cannot tell apart, which may be all of it'),
            title: z.string().nullable(),
            network: z.enum(usageNetworks),
            received: Bytes,
            sent: Bytes,
          }),
        )
        .describe('by day and app; days as the device counts them'),
    }),
  }),
})

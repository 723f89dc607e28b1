import * as z from 'zod'
import { inabilityNames, inabilityOf } from '../agents.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import { pushPhases } from '../states/push_phase.ts'
import { pushTaskStates } from '../states/push_task.ts'
import { Count, Instant, Kid, Line, Nothing, text } from '../wire.ts'

export const lostLimits = {
  message: 500,
  phone: 40,
  /** How long a lost device rings at a time. */
  ring_seconds: 300,
  /** A lost device tells where it is once it has moved so far. */
  metres: 10,
  /** An erasure waits so long for the device, the longest that a push may. */
  wipe_days: 30,
} as const

/** The section of a configuration that keeps the screen of a lost device locked. */
export const lost_section = 'lost'
type Able = Parameters<typeof inabilityOf>[0] & { config_sections: readonly string[] | null }
/**
 * How the screen of a lost device is locked. `kept`: its agent holds the lock with the message on it until the device is found;
 * `once`: it is locked and shown a message, each by a push; `none`: its agent can do neither.
 */
export const lostScreenOf = (device: Able): 'kept' | 'once' | 'none' => {
  if (device.config_sections?.includes(lost_section)) return 'kept'
  return inabilityOf(device, 'lock') ? 'none' : 'once'
}

const LostPush = z
  .object({
    push_task_kid: Kid,
    phase: z.enum(pushPhases).describe('of the push: it may wait for an approval'),
    state: z.enum(pushTaskStates).nullable().describe('on the device; null where it has not begun'),
    at: Instant.describe('since when'),
    cancel_asked: z.boolean(),
    code: z.string().nullable().describe('why it failed'),
  })
  .nullable()
export type LostPush = z.output<typeof LostPush>

const Inability = z.enum(inabilityNames).nullable().describe('why the device does not do this; null where it does')
export const LostState = z.object({
  lost: z
    .object({
      message: z.string(),
      phone: z.string(),
      lost_at: Instant,
      lost_by: z.string(),
      found_at: Instant.nullable().describe('null while it is lost'),
      found_by: z.string().nullable(),
    })
    .nullable()
    .describe('null where it never was lost'),
  screen: z.object({
    how: z
      .enum(['kept', 'once', 'none'])
      .describe('kept: locked until it is found; once: by a lock and a message; none: its agent cannot lock'),
    outcome: z
      .enum(['waiting', 'applied', 'failed', 'not_supported'])
      .nullable()
      .describe('of `kept`: what the device said of the lock, or of letting go once it was found'),
    said_at: Instant.nullable().describe('when it said so'),
    message: z.string().nullable().describe('why it failed, in its own words'),
  }),
  can: z.object({ screen: Inability, ring: Inability, wipe: Inability }),
  lock: LostPush,
  message: LostPush,
  ring: LostPush,
  wipe: LostPush,
})
export type LostState = z.output<typeof LostState>

const One = z.object({ terminal_kid: Kid })

export const terminalLost = group(
  withinGroups('terminal_lost'),
  text('Lost devices', 'Thiết bị thất lạc', '丢失的设备'),
  {
    get: read('GET', {
      needs: 'deviceDetailInfo',
      title: text('Read whether a device is lost', 'Đọc trạng thái thất lạc của thiết bị', '读取设备丢失状态'),
      input: One,
      output: LostState,
    }),
    start: write('POST', {
      needs: 'deviceDetailInfo:lost',
      title: text('Mark a device as lost', 'Đánh dấu thiết bị thất lạc', '标记设备丢失'),
      input: One.extend({
        message: z.string().trim().min(1).max(lostLimits.message).describe('shown on its locked screen'),
        phone: Line(lostLimits.phone).default('').describe('to call, shown below the message'),
        rings: z
          .boolean()
          .default(false)
          .describe(`it rings for ${lostLimits.ring_seconds} s, where its agent can ring`),
      }),
      output: Nothing,
      destroys: () => true,
    }),
    stop_ring: write('POST', {
      needs: 'deviceDetailInfo:lost',
      title: text('Stop the ringing of a lost device', 'Tắt chuông thiết bị thất lạc', '停止丢失设备响铃'),
      input: One,
      output: Nothing,
      errors: ['task_not_cancelable'],
      works_on_full_disk: true,
    }),
    wipe: write('POST', {
      needs: 'deviceDetailInfo:factoryReset',
      title: text('Erase a lost device', 'Xóa dữ liệu thiết bị thất lạc', '抹掉丢失的设备'),
      input: One,
      output: Nothing,
      errors: ['device_not_lost', 'task_running', 'task_no_device', 'task_too_many_per_hour'],
      destroys: () => true,
    }),
    found: write('POST', {
      needs: 'deviceDetailInfo:lost',
      title: text('Mark a lost device as found', 'Đánh dấu đã tìm thấy thiết bị', '标记设备已找回'),
      input: One,
      output: z.object({ canceled: Count.describe('pushes for the lost device that were still open') }),
      works_on_full_disk: true,
    }),
  },
)

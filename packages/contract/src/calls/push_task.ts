import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { processEvents, pushTaskResults, pushTaskStates } from '../states/push_task.ts'
import { ByKid, Count, Instant, Kid, Line, paged, paging, Search, text, wrong } from '../wire.ts'
import { pushKindOf, PushType, Work } from './push_kinds.ts'
import { given, named_max, targets } from './targets.ts'

const State = z.enum(pushTaskStates)

export const PushTaskCounts = z.object({
  total: Count,
  wait_receipt: Count,
  running: Count.describe('received and not yet ended'),
  completed: Count,
  failed: Count,
  canceled: Count,
})

export const PushTaskRow = z.object({
  kid: Kid,
  type: PushType,
  description: z.string(),
  summary: z.string().describe('title of the message, names of the files; empty for commands'),
  created_at: Instant,
  created_by: z.string(),
  counts: PushTaskCounts,
  result: z.enum(pushTaskResults).nullable().describe('null while a device is still moving'),
  can: z.array(z.enum(['cancel', 'retry'])),
})
export type PushTaskRow = z.output<typeof PushTaskRow>

export const PushTaskTerminal = z.object({
  push_task_kid: Kid,
  terminal_kid: Kid,
  sn: z.string(),
  name: z.string(),
  is_online: z.boolean(),
  type: PushType,
  state: State,
  state_at: Instant,
  attempt: Count,
  progress: z.number().min(0).max(100),
  cancel_asked: z.boolean().describe('the device was asked to cancel and has not answered'),
  code: z.string().nullable().describe('why it failed: deadline, device_gone, or the device’s own word'),
  message: z.string().nullable(),
  result_url: z.string().nullable().describe('picture or file the task brought'),
  deadline_at: Instant.nullable(),
  summary: z.string(),
  created_at: Instant,
  can: z.array(z.enum(['cancel', 'retry'])),
})
export type PushTaskTerminal = z.output<typeof PushTaskTerminal>

export const PushTaskActivity = z.object({
  event: z.enum(processEvents),
  attempt: Count,
  at: Instant,
  code: z.string().nullable(),
  message: z.string().nullable(),
  by: z.string().nullable().describe('name of the person, null when the device or the server did it'),
})

/** Named devices and those of a group together, or every device that matches. */
const To = z
  .object({
    ...targets,
    terminal_kids: z.array(Kid).max(named_max).optional(),
    terminal_group_kid: z
      .union([Kid, z.literal('ALL'), z.literal('NO_GROUP')])
      .optional()
      .describe('every device of the group and below'),
    description: Line(200).default(''),
  })
  .refine(
    ({ terminal_kids, terminal_group_kid, match }) => given(terminal_kids ?? terminal_group_kid, match) <= 1,
    wrong('named_or_match', undefined, 'terminal_kids'),
  )

const One = z.object({ push_task_kid: Kid, terminal_kid: Kid })

export const pushTask = group('push_task', text('Push tasks', 'Tác vụ đẩy', '推送任务'), {
  paging: read('POST', {
    needs: 'deviceDetailTask',
    title: text('List push tasks', 'Danh sách tác vụ đẩy', '推送任务列表'),
    input: paging(['created_at']).extend({
      types: z.array(PushType).optional(),
      is_running: z.boolean().optional(),
      text: Search,
    }),
    output: paged(PushTaskRow),
  }),
  get: read('GET', {
    needs: 'deviceDetailTask',
    title: text('Read a push task', 'Đọc tác vụ đẩy', '读取推送任务'),
    input: ByKid,
    output: PushTaskRow,
  }),
  paging_terminal: read('POST', {
    needs: 'deviceDetailTask',
    title: text('List the devices of a push task', 'Danh sách thiết bị của tác vụ', '任务设备列表'),
    input: paging(['created_at', 'state_at']).extend({
      push_task_kid: Kid.optional(),
      terminal_kid: Kid.optional(),
      states: z.array(State).optional(),
      types: z.array(PushType).optional(),
    }),
    output: paged(PushTaskTerminal),
  }),
  list_activity: read('GET', {
    needs: 'deviceDetailTask',
    title: text('Read the process of a push', 'Đọc tiến trình đẩy', '读取推送过程'),
    input: One,
    output: z.array(PushTaskActivity),
  }),
  insert: write('POST', {
    needs: 'signed_in',
    scope: 'tenant',
    title: text('Push to devices', 'Đẩy đến thiết bị', '推送到设备'),
    needs_for: ({ type }) => pushKindOf(type).needs,
    input: z.intersection(To, Work),
    output: PushTaskRow,
    errors: ['device_not_found', 'group_unknown', 'task_create_failed'],
    destroys: ({ type }) => pushKindOf(type).is_destructive === true,
  }),
  cancel: write('POST', {
    needs: 'deviceDetailTask:cancel',
    title: text('Cancel a push task', 'Hủy tác vụ đẩy', '取消推送任务'),
    input: z.object({
      push_task_kid: Kid,
      terminal_kid: Kid.optional().describe('all devices of the task when absent'),
    }),
    output: z.object({ canceled: Count, asked: Count.describe('devices that must answer first') }),
    errors: ['task_not_cancelable'],
  }),
  retry: write('POST', {
    needs: 'deviceDetailTask:retry',
    title: text('Retry a push task', 'Thử lại tác vụ đẩy', '重试推送任务'),
    input: z.object({
      push_task_kid: Kid,
      terminal_kid: Kid.optional().describe('all failed and canceled devices when absent'),
    }),
    output: z.object({ retried: Count }),
    errors: ['task_not_retryable', 'task_running', 'task_password_gone'],
    destroys: () => true,
  }),
})

import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, read, write } from '../kit.ts'
import { processEvents, pushTaskResults, pushTaskStates } from '../states/push_task.ts'
import { ByKid, Count, Instant, Kid, Line, paged, paging, Search, text, shaped } from '../wire.ts'

export const pushTaskTypes = ['message', 'file', 'lock', 'find', 'restart', 'screenshot'] as const
export type PushTaskType = (typeof pushTaskTypes)[number]
const Type = z.enum(pushTaskTypes)
const State = z.enum(pushTaskStates)

/** Absolute path of a folder on the device, without `..`. */
export const DevicePath = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .regex(...shaped('device_path', /^\/(?!(?:.*\/)?\.\.(?:\/|$))[^\p{Cc}:*?"<>|\\]*$/u, '^/[^:*?"<>|\\\\]*$'))

const Work = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    payload: z.object({ title: Line(100, 1), text: z.string().trim().min(1).max(2000) }),
  }),
  z.object({
    type: z.literal('file'),
    payload: z.object({ file_kids: z.array(Kid).min(1).max(20), path: DevicePath }),
  }),
  z.object({
    type: z.literal('lock'),
    payload: z.object({
      password: z
        .string()
        .regex(...shaped('digits', /^\d+$/))
        .min(constants.screen_lock_min)
        .max(64)
        .optional(),
    }),
  }),
  z.object({
    type: z.literal('find'),
    payload: z.object({ seconds: z.number().int().min(constants.ring_min_seconds).max(600) }),
  }),
  z.object({ type: z.literal('restart'), payload: z.object({}) }),
  z.object({ type: z.literal('screenshot'), payload: z.object({}) }),
])
export type PushWork = z.output<typeof Work>

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
  type: Type,
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
  type: Type,
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

const Targets = z.object({
  terminal_kids: z.array(Kid).max(1000).optional(),
  terminal_group_kid: z
    .union([Kid, z.literal('ALL'), z.literal('NO_GROUP')])
    .optional()
    .describe('every device of the group and below'),
})
/** Commands that take devices out of people's hands when many get them. */
const destructive: readonly PushTaskType[] = ['lock', 'find', 'restart']
export const isDestructive = (type: PushTaskType): boolean => destructive.includes(type)

const One = z.object({ push_task_kid: Kid, terminal_kid: Kid })

/** A push needs the permission of what it does; the service checks it, `needs` is the least of them. */
export const pushPermission = {
  message: 'deviceDetailPushMessage:push',
  file: 'fileCloudPush:push',
  lock: 'deviceDetailInfo:lock',
  find: 'deviceDetailInfo:find',
  restart: 'deviceDetailInfo:restart',
  screenshot: 'deviceDetailFsCapture:capture',
} as const satisfies Record<PushTaskType, string>

export const pushTask = group('push_task', text('Push tasks', 'Tác vụ đẩy', '推送任务'), {
  paging: read('POST', {
    needs: 'deviceDetailTask',
    title: text('List push tasks', 'Danh sách tác vụ đẩy', '推送任务列表'),
    input: paging(['created_at']).extend({
      types: z.array(Type).optional(),
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
      types: z.array(Type).optional(),
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
    input: z.intersection(Targets.extend({ description: Line(200).default('') }), Work),
    output: PushTaskRow,
    errors: ['device_not_found', 'group_unknown', 'task_create_failed'],
    destroys: ({ type }) => isDestructive(type),
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

import * as z from 'zod'
import { agentKinds } from '../agents.ts'
import { constants } from '../constants.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import { pauseReasons, pushPhases } from '../states/push_phase.ts'
import { processEvents, pushTaskResults, pushTaskStates } from '../states/push_task.ts'
import { ByKid, Count, Done, Instant, Kid, Line, Nothing, paged, paging, Search, Sn, text, wrong } from '../wire.ts'
import { PushableType, pushKindOf, PushType, Work } from './push_kinds.ts'
import { LeftOutCount, LeftOutReason, PushConditions, pushLimits, Rollout } from './push_options.ts'
import { PushSubject, PushTarget } from './push_subject.ts'
import { given, named_max, targets } from './targets.ts'
import { TerminalFilter } from './terminal_filter.ts'

const State = z.enum(pushTaskStates)

export const PushTaskCounts = z.object({
  total: Count,
  wait_receipt: Count,
  running: Count.describe('received and not yet ended'),
  completed: Count,
  failed: Count,
  canceled: Count,
  gone: Count.describe('of `failed`: their device left the account'),
})

export const pushActs = ['cancel', 'retry', 'pause', 'resume', 'approve', 'reject', 'change'] as const
export type PushAct = (typeof pushActs)[number]
const Effect = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])

const FromVersions = z
  .array(z.string())
  .describe('of an OS update: versions that its devices ran when it was made, the commonest first')

export const PushTaskRow = z.object({
  kid: Kid,
  type: PushType,
  description: z.string(),
  summary: z.string().describe('title of the message, names of the files; empty for commands'),
  subject: PushSubject,
  from_versions: FromVersions,
  created_at: Instant,
  created_by: z.string().describe('who made it, or changed it last before it began'),
  changed_at: Instant.nullable().describe('when it was changed last before it began'),
  version: Count.describe('counts up with each change: a change names the version that it is of'),
  counts: PushTaskCounts,
  result: z.enum(pushTaskResults).nullable().describe('null while a device is still moving'),
  effect: Effect.nullable().describe('0 invalid, 1 partly effective, 2 failure, 3 success; null before its end'),
  phase: z.enum(pushPhases),
  phase_at: Instant,
  paused_because: z.enum(pauseReasons).nullable().describe('null where a person paused it'),
  is_stopping: z.boolean().describe('canceled, while devices of it are still to be canceled or asked'),
  retry: z
    .object({ devices: Count, left: Count, by: z.string(), at: Instant.describe('when it begins or began') })
    .nullable()
    .describe(
      'one that waits for its time or is being worked off; `left` of its `devices` are still to be tried again',
    ),
  frozen_count: Count.nullable().describe(
    'while it is found out whom it is for: devices looked at, of about `target_count`',
  ),
  target_count: Count.describe('devices that it is for; `counts.total` reaches it while it is being created'),
  target: PushTarget.nullable().describe(
    'null where the server found the devices, and where somebody limited to groups reads what another one pushed',
  ),
  left_out: Count,
  start_at: Instant.nullable().describe('of a planned one'),
  deadline_at: Instant.nullable().describe('nothing starts after it'),
  window: PushConditions.shape.window.unwrap().nullable().describe('time of day at which devices begin'),
  step: Count.nullable().describe('of a rollout: the step that is under way, from 1 on; 0 before the first'),
  steps: Count.nullable(),
  can: z.array(z.enum(pushActs)).describe('by its phase and devices; permissions are asked besides'),
  is_approved: z.boolean().describe('somebody has approved it: a change before it begins needs another approval'),
  is_own: z.boolean().describe('whether the caller made it, or changed it last'),
})
export type PushTaskRow = z.output<typeof PushTaskRow>

export const PushStep = z.object({
  step: Count,
  state: z.enum(['waits', 'open', 'done']),
  counts: PushTaskCounts.omit({ wait_receipt: true, running: true }),
  opened_at: Instant.nullable(),
})
export type PushStep = z.output<typeof PushStep>

/** Why devices failed: a word of the server or of the device; `unknown` where it gave none. */
const FailureCode = z.string().max(100)
export const PushFailure = z.object({ code: FailureCode, count: Count })
export type PushFailure = z.output<typeof PushFailure>

export const PushTaskDetail = PushTaskRow.extend({
  payload: z.unknown().describe('as it was given, without secrets'),
  conditions: PushConditions,
  rollout: Rollout.nullable(),
  plan: z.array(PushStep).describe('steps of a rollout'),
  left_out_counts: z.array(LeftOutCount),
  failures: z.array(PushFailure).describe('devices that failed, by why; the commonest first, at most 20'),
  schedule_kid: Kid.nullable(),
  decided_by: z.string().nullable().describe('who approved or rejected it'),
  canceled_by: z.string().nullable().describe('null where the server did it'),
  decided_at: Instant.nullable(),
  remark: z.string().describe('what was said with the decision'),
})
export type PushTaskDetail = z.output<typeof PushTaskDetail>

const Named = z.object({ kid: Kid, sn: z.string(), name: z.string() })
/** A push that has not begun, with what a form needs to change it. */
export const PlannedPush = PushTaskDetail.extend({
  match: TerminalFilter.nullable().describe('what its devices were found by; null where they were named'),
  devices: z.array(Named).describe('that were named, by SN; those that have left the account are not among them'),
  picked: z.array(Named).describe('of its devices, those of a first step that was picked by hand'),
  offline_days: Count.nullable().describe('devices that were offline for longer are left out'),
  has_secret: z.boolean().describe('its content holds a password, which stays as it is unless another one is given'),
})
export type PlannedPush = z.output<typeof PlannedPush>

export const PushWaits = z.object({
  for: z.enum(['network', 'window', 'battery', 'download_prompt', 'install_prompt', 'warning']),
  until: Instant.optional(),
  put_off: Count.optional(),
  put_off_max: Count.optional(),
})

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
  step: Count.nullable().describe('of a rollout'),
  is_held: z.boolean().describe('its step has not begun, or the push is paused'),
  waits: PushWaits.nullable().describe('what the device says that it waits for'),
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
const to = {
  ...targets,
  terminal_kids: z.array(Kid).max(named_max).optional(),
  terminal_group_kid: z
    .union([Kid, z.literal('ALL'), z.literal('NO_GROUP')])
    .optional()
    .describe('every device of the group and below'),
}
const options = {
  description: Line(200).default(''),
  conditions: PushConditions.optional(),
  rollout: Rollout.optional(),
}
const OfflineDays = z.number().int().min(1).max(3650).optional()

const To = z
  .object({
    ...to,
    preview_kid: Kid.optional().describe('the devices of a preview, as they were then; instead of any other target'),
    ...options,
  })
  .refine(
    ({ terminal_kids, terminal_group_kid, match, preview_kid }) =>
      given(terminal_kids ?? terminal_group_kid, match, preview_kid) <= 1,
    wrong('named_or_match', undefined, 'terminal_kids'),
  )
  .refine(
    ({ rollout, conditions }) => !rollout?.takes_later || conditions?.deadline_at !== undefined,
    wrong('deadline_needed', undefined, 'rollout'),
  )

/** A push that is not made now: kept as a template, or made by a schedule each time. */
export const PushDraft = z.intersection(z.object(options), Work)
export type PushDraft = z.output<typeof PushDraft>
/** Whom each run of a schedule is for: devices by name, or whatever matches then. */
export const ScheduleTo = z
  .object({ ...targets, offline_days: OfflineDays })
  .refine(
    ({ terminal_kids, match }) => given(terminal_kids, match) === 1,
    wrong('named_or_match', undefined, 'terminal_kids'),
  )
export type ScheduleTo = z.output<typeof ScheduleTo>

export const PushPreview = z.object({
  kid: Kid,
  total: Count.describe('devices that will get it'),
  target: PushTarget.nullable(),
  subject: PushSubject.nullable().describe('what of the content is pushed, by its name; null where none was given'),
  from_versions: FromVersions,
  left_out: z.array(LeftOutCount),
  missing: z.array(z.string()).describe('SNs of the list that are no devices of the account, at most 1,000'),
  missing_count: Count,
  expires_at: Instant,
  listed: z
    .object({ done: Count, of: Count })
    .nullable()
    .describe('very many devices are still being looked up, of about so many: `get_preview` says how far that is'),
})
export type PushPreview = z.output<typeof PushPreview>

export const PreviewRow = z.object({
  terminal_kid: Kid,
  sn: z.string(),
  name: z.string(),
  reason: LeftOutReason.nullable().describe('null: it will get the push'),
  agent_kind: z.enum(agentKinds),
  task_types: z.array(z.string()).nullable().describe('pushes that it carries out; null where it has not said'),
})

/** Of apps and OS versions that cannot be pushed. */
const pushedErrors = [
  'app_not_listed',
  'app_without_version',
  'app_push_too_many',
  'app_push_too_long',
  'os_not_available',
] as const
/** Of files and folders. */
const fileErrors = [
  'file_push_too_many',
  'file_push_too_long',
  'file_push_empty',
  'file_push_same_place',
  'file_broken',
] as const
const insertErrors = [
  'device_not_found',
  'group_unknown',
  'task_create_failed',
  'task_no_device',
  'task_too_many_per_hour',
  'push_preview_gone',
  ...fileErrors,
  ...pushedErrors,
] as const
/** Of a push that is changed before it begins. */
const plannedErrors = ['task_begun', 'task_changed', 'task_made_elsewhere'] as const
const One = z.object({ push_task_kid: Kid, terminal_kid: Kid })
/** Reading pushes: on their own pages, and where a device shows its tasks. */
const readers = ['pushTaskList', 'deviceDetailTask'] as const
const Act = z.object({ push_task_kid: Kid })
const Planned = Act.extend({ version: Count.describe('the one that was read') })
const Decision = Act.extend({ remark: Line(200).default('') })

export const pushTask = group(withinGroups('push_task'), text('Push tasks', 'Tác vụ đẩy', '推送任务'), {
  paging: read('POST', {
    needs: readers,
    title: text('List push tasks', 'Danh sách tác vụ đẩy', '推送任务列表'),
    input: paging(['created_at']).extend({
      types: z.array(PushType).optional(),
      phases: z.array(z.enum(pushPhases)).optional(),
      is_running: z.boolean().optional().describe('whether a device is still moving'),
      effect: z
        .union([z.literal(-1), Effect])
        .optional()
        .describe('-1: all'),
      created_by: z.array(Line(100)).max(50).optional(),
      created: z.object({ from: Instant.optional(), to: Instant.optional() }).optional(),
      schedule_kid: Kid.optional(),
      terminal_group_kid: Kid.optional().describe('pushes to a device that is in this group now, or below it'),
      text: Search,
    }),
    output: paged(PushTaskRow),
  }),
  get: read('GET', {
    needs: readers,
    title: text('Read a push task', 'Đọc tác vụ đẩy', '读取推送任务'),
    input: ByKid,
    output: PushTaskDetail,
  }),
  list_creators: read('GET', {
    needs: readers,
    title: text('List who has pushed', 'Danh sách người đã đẩy', '推送人列表'),
    input: Nothing,
    output: z.array(z.string()).describe('names, of the newest 1,000 pushes'),
  }),
  paging_terminal: read('POST', {
    needs: readers,
    title: text('List the devices of a push task', 'Danh sách thiết bị của tác vụ', '任务设备列表'),
    input: paging(['state', 'created_at', 'state_at']).extend({
      push_task_kid: Kid.optional(),
      terminal_kid: Kid.optional(),
      states: z.array(State).optional(),
      types: z.array(PushType).optional(),
      code: FailureCode.optional().describe('devices that failed for this reason'),
      step: z.number().int().min(1).optional(),
      text: Search.describe('part of an SN'),
    }),
    output: paged(PushTaskTerminal),
  }),
  paging_left_out: read('POST', {
    needs: readers,
    title: text('List devices left out of a push', 'Danh sách thiết bị bị loại khỏi lượt đẩy', '推送排除设备列表'),
    input: paging(['sn']).extend({ push_task_kid: Kid, reasons: z.array(LeftOutReason).optional() }),
    output: paged(PreviewRow),
  }),
  list_activity: read('GET', {
    needs: readers,
    title: text('Read the process of a push', 'Đọc tiến trình đẩy', '读取推送过程'),
    input: One,
    output: z.array(PushTaskActivity),
  }),
  preview: write('POST', {
    needs: 'signed_in',
    scope: 'tenant',
    is_unlogged: true,
    title: text('Preview whom a push is for', 'Xem trước thiết bị nhận', '预览推送设备'),
    needs_for: ({ type }) => pushKindOf(type).needs,
    input: z
      .object({
        type: PushableType,
        payload: z
          .unknown()
          .optional()
          .describe('as it will be pushed: devices that have it, or cannot take it, are left out'),
        ...to,
        sns: z.array(Sn(constants.sn_max)).min(1).max(pushLimits.sns).optional().describe('a pasted or uploaded list'),
        sns_file: Line(255).optional().describe('name of the file that they came from'),
        offline_days: OfflineDays.describe('leaves out what was last online before so many days'),
      })
      .refine(
        ({ terminal_kids, terminal_group_kid, match, sns }) =>
          given(terminal_kids ?? terminal_group_kid, match, sns) === 1,
        wrong('named_or_match', undefined, 'terminal_kids'),
      ),
    output: PushPreview,
    errors: ['device_not_found', 'group_unknown', ...fileErrors, ...pushedErrors],
    body_bytes: 4 * 1024 ** 2,
  }),
  get_preview: read('GET', {
    needs: 'signed_in',
    scope: 'tenant',
    title: text('Read a preview', 'Đọc bản xem trước', '读取预览'),
    input: z.object({ preview_kid: Kid }),
    output: PushPreview,
  }),
  paging_preview: read('POST', {
    needs: 'signed_in',
    scope: 'tenant',
    title: text('List the devices of a preview', 'Danh sách thiết bị xem trước', '预览设备列表'),
    input: paging(['sn']).extend({ preview_kid: Kid, is_left_out: z.boolean().optional() }),
    output: paged(PreviewRow),
  }),
  insert: write('POST', {
    needs: 'signed_in',
    scope: 'tenant',
    title: text('Push to devices', 'Đẩy đến thiết bị', '推送到设备'),
    needs_for: ({ type }) => pushKindOf(type).needs,
    input: z.intersection(To, Work),
    output: PushTaskRow,
    errors: insertErrors,
    destroys: ({ type }) => pushKindOf(type).is_destructive === true,
  }),
  get_planned: read('GET', {
    needs: 'pushTaskList:control',
    title: text('Read a planned push', 'Đọc lượt đẩy đã lên lịch', '读取计划推送'),
    input: ByKid,
    output: PlannedPush,
    errors: ['task_begun', 'task_made_elsewhere'],
  }),
  update: write('POST', {
    needs: 'pushTaskList:control',
    title: text('Change a planned push', 'Sửa lượt đẩy đã lên lịch', '修改计划推送'),
    needs_for: ({ type }) => pushKindOf(type).needs,
    input: z.intersection(Planned, z.intersection(To, Work)),
    output: PushTaskRow,
    errors: [...plannedErrors, ...insertErrors],
    destroys: ({ type }) => pushKindOf(type).is_destructive === true,
  }),
  move: write('POST', {
    needs: 'pushTaskList:control',
    title: text('Move a planned push', 'Dời lượt đẩy đã lên lịch', '调整计划推送时间'),
    input: Planned.extend({ start_at: Instant.nullable().describe('null: now') }),
    output: PushTaskRow,
    errors: [...plannedErrors, 'task_too_many_per_hour'],
    destroys: () => true,
  }),
  cancel: write('POST', {
    needs: 'deviceDetailTask:cancel',
    title: text('Cancel a push task', 'Hủy tác vụ đẩy', '取消推送任务'),
    input: z.object({
      push_task_kid: Kid,
      terminal_kid: Kid.optional().describe('the whole task when absent'),
    }),
    output: z.object({
      canceled: Count,
      asked: Count.describe('devices that must answer first'),
      rest: Count.describe('of a push to very many: devices that follow in the background'),
    }),
    errors: ['task_not_cancelable'],
    works_on_full_disk: true,
  }),
  retry: write('POST', {
    needs: 'deviceDetailTask:retry',
    title: text('Retry a push task', 'Thử lại tác vụ đẩy', '重试推送任务'),
    input: z.object({
      push_task_kid: Kid,
      terminal_kid: Kid.optional().describe('all devices that failed or were canceled, when absent'),
      code: FailureCode.optional().describe('only devices that failed for this reason'),
    }),
    output: z.object({
      retried: Count,
      rest: Count.describe('devices that follow in the background'),
      begins_at: Instant.nullable().describe('until then it can be stopped: many devices of a destructive kind'),
    }),
    errors: [
      'task_not_retryable',
      'config_change_aborted',
      'task_never_began',
      'task_running',
      'task_password_gone',
      'task_too_many_per_hour',
      'app_not_listed',
      'os_not_available',
      'file_broken',
    ],
    destroys: () => true,
  }),
  pause: write('POST', {
    needs: 'pushTaskList:control',
    title: text('Pause a push', 'Tạm dừng lượt đẩy', '暂停推送'),
    input: Act,
    output: Done,
    errors: ['task_phase_wrong'],
  }),
  resume: write('POST', {
    needs: 'pushTaskList:control',
    title: text('Resume a push', 'Tiếp tục lượt đẩy', '继续推送'),
    input: Act,
    output: Done,
    errors: ['task_phase_wrong'],
  }),
  approve: write('POST', {
    needs: 'pushTaskList:approve',
    title: text('Approve a push', 'Phê duyệt lượt đẩy', '批准推送'),
    input: Decision,
    output: Done,
    errors: ['task_phase_wrong', 'task_own_approval'],
  }),
  reject: write('POST', {
    needs: 'pushTaskList:approve',
    title: text('Reject a push', 'Từ chối lượt đẩy', '拒绝推送'),
    input: Decision,
    output: Done,
    errors: ['task_phase_wrong'],
    works_on_full_disk: true,
  }),
  get_setting: read('GET', {
    needs: readers,
    title: text('Read the push settings', 'Đọc thiết lập đẩy', '读取推送设置'),
    input: Nothing,
    output: z.object({
      approval_from: Count.nullable(),
      held: z
        .object({ approval_from: Count, until: Instant })
        .nullable()
        .describe('the limit before the caller loosened it, which holds for the caller until then'),
    }),
  }),
  save_setting: write('POST', {
    needs: 'pushTaskList:setting',
    limited: 'refused',
    title: text('Change the push settings', 'Đổi thiết lập đẩy', '修改推送设置'),
    input: z.object({
      approval_from: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .nullable()
        .describe('devices of one person within an hour from which on a second person approves; null: never'),
    }),
    output: Done,
    // What a stolen session may do alone is not for the session to say.
    asks_password: () => true,
  }),
})

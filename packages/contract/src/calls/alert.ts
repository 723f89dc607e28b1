import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import {
  ByKid,
  Count,
  Done,
  edited,
  Instant,
  Kid,
  Line,
  Nothing,
  paged,
  paging,
  Search,
  shaped,
  text,
  wrong,
} from '../wire.ts'
import { alertKindNames, alertKinds, AlertWatch } from './alert_kinds.ts'
import type { AlertKind } from './alert_kinds.ts'
import { PushType } from './push_kinds.ts'
import { TerminalFilter } from './terminal_filter.ts'

export const alertLimits = {
  rules: 100,
  addresses: 10,
  /** Minutes. */
  for_max: 10_080,
  calm_max: 1_440,
  silence_hours: 720,
  preview: 20,
  /** Characters. */
  note: 2_000,
  /** People that are offered at once. */
  people: 50,
  /** Pushes that are named as what an alert comes from. */
  pushes: 10,
  /** Devices of an alert on the map. */
  places: 200,
  /** E-mails of a customer, its sub-accounts included, within an hour. */
  mails_per_hour: 100,
} as const
export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]
/** An alert is open from its first device on until the last one is calm again; whoever looks after it says so. */
export const alertStates = ['open', 'acknowledged', 'resolved'] as const
export type AlertState = (typeof alertStates)[number]

/** What is done to each device for which the rule fires. */
export const AlertAction = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), title: Line(100, 1), text: z.string().trim().min(1).max(2000) }),
  z.object({
    type: z.literal('lock'),
    password: z
      .string()
      .regex(...shaped('digits', /^\d+$/))
      .min(constants.screen_lock_min)
      .max(64)
      .optional()
      .describe('kept when left out on edit, never answered'),
  }),
  z.object({ type: z.literal('move'), terminal_group_kid: Kid }),
])
export type AlertAction = z.output<typeof AlertAction>
export const alertActionTypes = ['message', 'lock', 'move'] as const
export type AlertActionType = (typeof alertActionTypes)[number]
/** The permission that an action takes, when the rule is made and each time it acts. */
export const alertActionNeeds = {
  message: 'deviceDetailPushMessage:push',
  lock: 'deviceDetailInfo:lock',
  move: 'deviceList:move',
} as const satisfies Record<AlertActionType, string>

/** Why what a rule tells by e-mail does not arrive. */
export const mailFaults = ['off', 'failed', 'waiting', 'limit'] as const
export type MailFault = (typeof mailFaults)[number]

const Minutes = (max: number) => z.number().int().min(0).max(max)
const Draft = z.object({
  name: Line(64, 1),
  watch: AlertWatch,
  severity: z.enum(severities).default('warning'),
  is_on: z.boolean().default(true),
  match: TerminalFilter.optional().describe('devices that it is about; all when absent'),
  for_minutes: Minutes(alertLimits.for_max).default(0).describe('how long it has to be so before it fires'),
  calm_minutes: Minutes(alertLimits.calm_max).default(1).describe('how long it has to be over before it is resolved'),
  emails: z
    .array(z.email().max(200))
    .max(alertLimits.addresses)
    .default([])
    .refine((all) => new Set(all.map((each) => each.toLowerCase())).size === all.length, wrong('entry_repeated')),
  is_noncompliant: z.boolean().default(false).describe('devices for which it fires are not compliant'),
  action: AlertAction.nullable().default(null),
})

const Shown = z.object({
  kid: Kid,
  ...Draft.shape,
  watch: z.object({ kind: z.enum(alertKindNames), params: z.record(z.string(), z.union([z.string(), z.number()])) }),
  match: TerminalFilter.nullable(),
  emails: z.array(z.string()),
  action: z
    .object({
      type: z.enum(alertActionTypes),
      title: z.string().optional(),
      text: z.string().optional(),
      terminal_group_kid: Kid.optional(),
      has_password: z.boolean().optional(),
    })
    .nullable(),
  firing: Count.describe('devices for which it fires now'),
  waiting: Count.describe('devices for which it is so, but not for long enough'),
  silenced_until: Instant.nullable(),
  is_paused: z
    .boolean()
    .describe('watches nothing, because whoever saved it last may make no rules any more; saving it takes it over'),
  last_error: z.string().nullable().describe('why its action was not done'),
  mail_fault: z
    .enum(mailFaults)
    .nullable()
    .describe(
      `off: this server sends none; failed: given up; waiting: it is tried again; limit: more than ${alertLimits.mails_per_hour} within an hour`,
    ),
  unreached: z.array(z.string()).describe('addresses to which the last e-mail could not be sent'),
  created_by: z.string(),
  created_at: Instant,
  updated_at: Instant,
})
export const AlertRule = Shown
export type AlertRule = z.output<typeof Shown>

export const Alert = z.object({
  kid: Kid,
  rule_kid: Kid,
  rule_name: z.string().nullable().describe('what the rule is called now; null: it was deleted'),
  name: z.string(),
  kind: z.enum(alertKindNames),
  severity: z.enum(severities),
  state: z.enum(alertStates),
  count: Count.describe('devices for which it fires now'),
  peak: Count.describe('devices for which it has fired in all'),
  is_silenced: z.boolean(),
  opened_at: Instant,
  acknowledged_by: z.string().nullable(),
  acknowledged_at: Instant.nullable(),
  resolved_by: z.string().nullable().describe('null: it resolved by itself'),
  resolved_at: Instant.nullable(),
  note: z.string().describe('what people wrote about it'),
  assignee_kid: Kid.nullable().describe('null: nobody; who is disabled or deleted is nobody'),
  assignee_name: z.string().nullable(),
})
export type Alert = z.output<typeof Alert>

/** Why something was not done to one alert of several: it was so already, is over, or somebody assigned it meanwhile. */
export const alertSkips = ['acknowledged', 'resolved', 'reassigned', 'out_of_reach'] as const
export type AlertSkip = (typeof alertSkips)[number]
const Skipped = z
  .array(
    z.object({
      kid: Kid,
      name: z.string(),
      reason: z
        .enum(alertSkips)
        .describe(
          'acknowledged, resolved: it was so already; reassigned: its assignee is not the one of `from_kid` any more; out_of_reach: the person may not see it',
        ),
    }),
  )
  .describe('those to which nothing was done, and why')
export type AlertSkipped = z.output<typeof Skipped>[number]

export const AlertPerson = z.object({ kid: Kid, name: z.string(), username: z.string() })
export type AlertPerson = z.output<typeof AlertPerson>

/** What happened to an alert. */
export const alertEvents = [
  'opened',
  'told',
  'acknowledged',
  'assigned',
  'unassigned',
  'noted',
  'silenced',
  'unsilenced',
  'resolved',
  'reopened',
] as const
export type AlertEvent = (typeof alertEvents)[number]
/** Of which of its events people and programs are told. */
export const alertTellings = ['opened', 'grown', 'resolved'] as const
export type AlertTelling = (typeof alertTellings)[number]
export const AlertHistoryEntry = z.object({
  at: Instant,
  event: z.enum(alertEvents).describe('reopened: the next alert of its rule'),
  by: z.string().nullable().describe('null: the server'),
  assignee: z.string().nullable().describe('of assigned'),
  hours: Count.nullable().describe('of silenced'),
  told: z
    .object({
      of: z.enum(alertTellings),
      mails: Count,
      emails: z.array(z.string()).nullable().describe('null: the caller may not see alert rules'),
      webhooks: Count.describe('of the account'),
    })
    .nullable(),
  alert_kid: Kid.nullable().describe('of opened: the alert of the same rule before it; of reopened: the next'),
})
export type AlertHistoryEntry = z.output<typeof AlertHistoryEntry>

const Degrees = { longitude: z.number(), latitude: z.number() }
export const AlertOrigin = z.object({
  fences: z
    .array(
      z.object({
        kid: Kid,
        name: z.string(),
        ...Degrees,
        radius: z.number(),
        points: z.array(z.object(Degrees)).nullable().describe('corners of a polygon'),
      }),
    )
    .describe('of an alert about fences: those in force for the devices for which it fires'),
  pushes: z
    .array(
      z.object({
        kid: Kid,
        type: PushType,
        summary: z.string(),
        created_at: Instant,
        created_by: z.string(),
      }),
    )
    .describe(
      `of an alert about failed tasks: the newest pushes that failed on its devices, ${alertLimits.pushes} at most`,
    ),
  places: z
    .array(z.object({ kid: Kid, sn: z.string(), name: z.string(), ...Degrees, at: Instant }))
    .describe(
      `where the devices are for which it fires, ${alertLimits.places} at most; none where the caller may not see locations`,
    ),
})
export type AlertOrigin = z.output<typeof AlertOrigin>

export const AlertDevice = z.object({
  kid: Kid,
  sn: z.string(),
  name: z.string(),
  fired_at: Instant,
  cleared_at: Instant.nullable(),
})
export type AlertDevice = z.output<typeof AlertDevice>

/** What a rule says of one device. */
export const AlertOfDevice = Alert.pick({ rule_kid: true, name: true, kind: true, severity: true }).extend({
  alert_kid: Kid.nullable().describe('null: somebody has resolved it by hand'),
  fired_at: Instant,
  is_noncompliant: z.boolean().describe('the device is not compliant because of it'),
})
export type AlertOfDevice = z.output<typeof AlertOfDevice>

const NamedDevice = z.object({ kid: Kid, sn: z.string(), name: z.string() })

export const alertRule = group(withinGroups('alert_rule'), text('Alert rules', 'Quy tắc cảnh báo', '告警规则'), {
  paging: read('POST', {
    needs: 'alertRuleList',
    title: text('List alert rules', 'Danh sách quy tắc cảnh báo', '告警规则列表'),
    input: paging(['name', 'updated_at']).extend({ text: Search, kind: z.enum(alertKindNames).optional() }),
    output: paged(Shown),
  }),
  insert: write('POST', {
    needs: 'alertRuleList:edit',
    title: text('Create an alert rule', 'Tạo quy tắc cảnh báo', '新建告警规则'),
    input: Draft,
    output: ByKid,
    errors: ['duplicate_name', 'alert_rule_limit', 'alert_of_account', 'group_unknown'],
    destroys: ({ action }) => action?.type === 'lock',
  }),
  update: write('POST', {
    needs: 'alertRuleList:edit',
    title: text('Edit an alert rule', 'Sửa quy tắc cảnh báo', '编辑告警规则'),
    input: edited(Draft.extend({ kid: Kid })),
    output: Done,
    errors: ['duplicate_name', 'alert_of_account', 'group_unknown'],
    destroys: () => true,
  }),
  delete: write('POST', {
    needs: 'alertRuleList:edit',
    title: text('Delete an alert rule', 'Xóa quy tắc cảnh báo', '删除告警规则'),
    input: ByKid.describe('its open alert is resolved'),
    output: Done,
    works_on_full_disk: true,
  }),
  preview: read('POST', {
    needs: 'alertRuleList:edit',
    title: text('Preview an alert rule', 'Xem trước quy tắc cảnh báo', '预览告警规则'),
    input: z.object({ watch: AlertWatch, match: TerminalFilter.optional() }),
    output: z.object({
      total: Count.describe('devices for which it would fire now, or 1 for the account'),
      devices: z.array(NamedDevice).describe(`the first ${alertLimits.preview}`),
    }),
  }),
  check_mail: read('GET', {
    needs: 'alertRuleList',
    title: text('Check whether e-mails are sent', 'Kiểm tra việc gửi email', '检查是否发送邮件'),
    input: Nothing,
    output: z.object({ is_on: z.boolean().describe('false: the operator has set no mail server') }),
  }),
  silence: write('POST', {
    needs: 'alertList:handle',
    title: text('Silence an alert rule', 'Tắt thông báo của quy tắc', '静默告警规则'),
    input: z.object({
      kid: Kid,
      hours: z.number().int().min(0).max(alertLimits.silence_hours).describe('0: it speaks again'),
    }),
    output: Done,
  }),
})

const Kids = z.array(Kid).min(1).max(1_000)
const Note = z.string().trim().max(alertLimits.note)

export const alert = group(withinGroups('alert'), text('Alerts', 'Cảnh báo', '告警'), {
  paging: read('POST', {
    needs: 'alertList',
    title: text('List alerts', 'Danh sách cảnh báo', '告警列表'),
    input: paging(['state', 'opened_at']).extend({
      text: Search,
      states: z.array(z.enum(alertStates)).min(1).max(alertStates.length).optional(),
      severity: z.enum(severities).optional(),
      rule_kid: Kid.optional(),
      assignee: z
        .union([z.enum(['me', 'nobody']), Kid])
        .optional()
        .describe('a person, the caller, or nobody'),
      from: z.iso.datetime().optional().describe('opened from then on'),
      to: z.iso.datetime().optional(),
    }),
    output: paged(Alert),
  }),
  get: read('GET', {
    needs: 'alertList',
    title: text('Read an alert', 'Đọc cảnh báo', '读取告警'),
    input: ByKid,
    output: Alert,
  }),
  list_open: read('GET', {
    needs: 'alertList',
    title: text('List open alerts', 'Danh sách cảnh báo đang mở', '未解决告警列表'),
    input: Nothing,
    output: z.object({
      open: Count.describe('not looked after by anybody'),
      alerts: z
        .array(Alert)
        .describe('those that are open, then those that are acknowledged, newest first; silenced ones left out'),
    }),
  }),
  paging_terminal: read('POST', {
    needs: 'alertList',
    title: text('List devices of an alert', 'Danh sách thiết bị của cảnh báo', '告警设备列表'),
    input: paging(['fired_at']).extend({ alert_kid: Kid, is_firing: z.boolean().optional() }),
    output: paged(AlertDevice),
  }),
  list_by_terminal: read('GET', {
    needs: 'alertList',
    title: text('List alerts of a device', 'Danh sách cảnh báo của thiết bị', '设备告警列表'),
    input: z.object({ terminal_kid: Kid }),
    output: z.array(AlertOfDevice).describe('rules that fire for it, and why it is not compliant'),
  }),
  acknowledge: write('POST', {
    needs: 'alertList:handle',
    title: text('Acknowledge an alert', 'Xác nhận cảnh báo', '确认告警'),
    input: ByKid,
    output: Done,
    errors: ['alert_not_open'],
  }),
  acknowledge_batch: write('POST', {
    needs: 'alertList:handle',
    title: text('Acknowledge alerts', 'Xác nhận nhiều cảnh báo', '批量确认告警'),
    input: z.object({ kids: Kids }),
    output: z.object({ acknowledged: Count.describe('those that were open'), skipped: Skipped }),
  }),
  resolve: write('POST', {
    needs: 'alertList:handle',
    title: text('Resolve an alert', 'Giải quyết cảnh báo', '解决告警'),
    input: ByKid.describe('its devices count again when it was over for them and comes back'),
    output: Done,
    errors: ['alert_not_open'],
  }),
  resolve_batch: write('POST', {
    needs: 'alertList:handle',
    title: text('Resolve alerts', 'Giải quyết nhiều cảnh báo', '批量解决告警'),
    input: z.object({ kids: Kids }),
    output: z.object({ resolved: Count, skipped: Skipped }),
  }),
  list_assignee: read('POST', {
    needs: 'alertList',
    title: text('List people for alerts', 'Danh sách người xử lý cảnh báo', '告警负责人列表'),
    input: z.object({ kids: Kids.optional().describe('alerts that the person has to see'), text: Search }),
    output: z
      .array(AlertPerson)
      .describe(
        `people of the account who may see them, ${alertLimits.people} at most; the caller alone where limited to groups`,
      ),
  }),
  assign: write('POST', {
    needs: 'alertList:handle',
    title: text('Assign alerts', 'Giao cảnh báo', '分配告警'),
    input: z.object({
      alerts: z
        .array(
          z.object({
            kid: Kid,
            from_kid: Kid.nullable()
              .optional()
              .describe('its assignee as the caller saw it, or null; left out: whoever it is'),
          }),
        )
        .min(1)
        .max(1_000),
      assignee_kid: Kid.nullable().describe('null: nobody'),
    }),
    output: z.object({ assigned: Count, skipped: Skipped }),
    errors: ['alert_assignee_unfit'],
  }),
  update_note: write('POST', {
    needs: 'alertList:handle',
    title: text('Edit the note of an alert', 'Sửa ghi chú cảnh báo', '编辑告警备注'),
    input: z.object({
      kid: Kid,
      note: Note,
      from_note: Note.optional().describe('the note as the caller saw it; left out: whatever it is'),
    }),
    output: Done,
    errors: ['conflict'],
  }),
  list_history: read('GET', {
    needs: 'alertList',
    title: text('Read the history of an alert', 'Đọc lịch sử cảnh báo', '读取告警历史'),
    input: ByKid,
    output: z.array(AlertHistoryEntry).describe('newest first'),
  }),
  get_origin: read('GET', {
    needs: 'alertList',
    title: text('Read what an alert comes from', 'Đọc nguồn gốc cảnh báo', '读取告警来源'),
    input: ByKid,
    output: AlertOrigin,
  }),
})

/** How a kind is called. */
export const alertTitle = (kind: AlertKind) => alertKinds[kind].title

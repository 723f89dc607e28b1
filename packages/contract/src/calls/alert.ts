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
import { TerminalFilter } from './terminal_filter.ts'

export const alertLimits = {
  rules: 100,
  addresses: 10,
  /** Minutes. */
  for_max: 10_080,
  calm_max: 1_440,
  silence_hours: 720,
  preview: 20,
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
})
export type Alert = z.output<typeof Alert>

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

export const alert = group(withinGroups('alert'), text('Alerts', 'Cảnh báo', '告警'), {
  paging: read('POST', {
    needs: 'alertList',
    title: text('List alerts', 'Danh sách cảnh báo', '告警列表'),
    input: paging(['opened_at']).extend({
      text: Search,
      state: z.enum(alertStates).optional(),
      severity: z.enum(severities).optional(),
      rule_kid: Kid.optional(),
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
      alerts: z.array(Alert).describe('the newest that are open or acknowledged, silenced ones left out'),
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
    input: z.object({ kids: z.array(Kid).min(1).max(1_000) }),
    output: z.object({ acknowledged: Count.describe('those that were open') }),
  }),
  resolve: write('POST', {
    needs: 'alertList:handle',
    title: text('Resolve an alert', 'Giải quyết cảnh báo', '解决告警'),
    input: ByKid.describe('its devices count again when it was over for them and comes back'),
    output: Done,
    errors: ['alert_not_open'],
  }),
})

/** How a kind is called. */
export const alertTitle = (kind: AlertKind) => alertKinds[kind].title

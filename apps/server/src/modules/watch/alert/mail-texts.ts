import type { Language, Severity } from '@mdm/contract'

export type AlertMail = {
  event: 'opened' | 'grown' | 'resolved'
  name: string
  kind: string
  severity: Severity
  count: number
  has_devices: boolean
  /** The first of them. */
  devices: readonly string[]
  opened_at: Date
  resolved_at: Date | null
  /** Null: it resolved by itself. */
  resolved_by: string | null
  /** Null: it is nobody's. */
  assignee_name: string | null
  zone: string
  url: string
}

type Words = {
  severity: Record<Severity, string>
  /** So many devices, counted; undefined of what is about the account. */
  devices: (count: string, is_one: boolean) => string
  subject: Record<AlertMail['event'], (name: string, devices: string | undefined) => string>
  head: Record<AlertMail['event'], (name: string) => string>
  rows: { kind: string; severity: string; devices: string; since: string; until: string; assignee: string; by: string }
  more: (count: number) => string
  open: string
  why: string
}

const words: Record<Language, Words> = {
  en: {
    severity: { info: 'Information', warning: 'Warning', critical: 'Critical' },
    devices: (count, is_one) => `${count} ${is_one ? 'device' : 'devices'}`,
    subject: {
      opened: (name, devices) => `Alert: ${name}${devices ? ` (${devices})` : ''}`,
      grown: (name, devices) => `Alert grows: ${name} (${devices})`,
      resolved: (name) => `Resolved: ${name}`,
    },
    head: {
      opened: (name) => `The alert "${name}" has opened.`,
      grown: (name) => `The alert "${name}" is about more devices now.`,
      resolved: (name) => `The alert "${name}" is resolved.`,
    },
    rows: {
      kind: 'Rule',
      severity: 'Severity',
      devices: 'Devices',
      since: 'Since',
      until: 'Until',
      assignee: 'Assignee',
      by: 'Resolved by',
    },
    more: (count) => `and ${count} more`,
    open: 'Open it in the console',
    why: 'You get this e-mail because an alert rule names your address. Whoever manages the rules can take it off.',
  },
  vi: {
    severity: { info: 'Thông tin', warning: 'Cảnh báo', critical: 'Nghiêm trọng' },
    devices: (count) => `${count} thiết bị`,
    subject: {
      opened: (name, devices) => `Cảnh báo: ${name}${devices ? ` (${devices})` : ''}`,
      grown: (name, devices) => `Cảnh báo tăng: ${name} (${devices})`,
      resolved: (name) => `Đã giải quyết: ${name}`,
    },
    head: {
      opened: (name) => `Cảnh báo "${name}" vừa mở.`,
      grown: (name) => `Cảnh báo "${name}" đang ảnh hưởng thêm nhiều thiết bị.`,
      resolved: (name) => `Cảnh báo "${name}" đã được giải quyết.`,
    },
    rows: {
      kind: 'Quy tắc',
      severity: 'Mức độ',
      devices: 'Thiết bị',
      since: 'Từ',
      until: 'Đến',
      assignee: 'Người xử lý',
      by: 'Người giải quyết',
    },
    more: (count) => `và ${count} thiết bị khác`,
    open: 'Mở trong bảng điều khiển',
    why: 'Bạn nhận được email này vì địa chỉ của bạn có trong một quy tắc cảnh báo. Người quản lý quy tắc có thể gỡ địa chỉ này.',
  },
  'zh-cn': {
    severity: { info: '提示', warning: '警告', critical: '严重' },
    devices: (count) => `${count} 台设备`,
    subject: {
      opened: (name, devices) => `告警：${name}${devices ? `（${devices}）` : ''}`,
      grown: (name, devices) => `告警扩大：${name}（${devices}）`,
      resolved: (name) => `已解决：${name}`,
    },
    head: {
      opened: (name) => `告警“${name}”已触发。`,
      grown: (name) => `告警“${name}”涉及的设备增多。`,
      resolved: (name) => `告警“${name}”已解决。`,
    },
    rows: {
      kind: '规则',
      severity: '级别',
      devices: '设备',
      since: '开始',
      until: '结束',
      assignee: '负责人',
      by: '解决人',
    },
    more: (count) => `以及另外 ${count} 台`,
    open: '在控制台中打开',
    why: '您收到此邮件是因为某条告警规则包含您的邮箱，规则管理员可以将其移除。',
  },
}

/** Subject and body, as plain text. */
export function mailOf(language: Language, mail: AlertMail): { subject: string; body: string } {
  const said = words[language]
  const { event, name, count, has_devices, devices } = mail
  const counted = has_devices ? new Intl.NumberFormat(language).format(count) : undefined
  const rows: [string, string | undefined][] = [
    [said.rows.kind, mail.kind],
    [said.rows.severity, said.severity[mail.severity]],
    [said.rows.devices, counted],
    [said.rows.since, timeOf(mail.opened_at, mail.zone)],
    [said.rows.until, mail.resolved_at ? timeOf(mail.resolved_at, mail.zone) : undefined],
    [said.rows.assignee, mail.assignee_name ?? undefined],
    [said.rows.by, mail.resolved_by ?? undefined],
  ]
  const left = count - devices.length
  const named = devices.length > 0 ? ['', ...devices.map((device) => `- ${device}`)] : []
  return {
    subject: said.subject[event](name, counted && said.devices(counted, count === 1)),
    body: [
      said.head[event](name),
      '',
      ...rows.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${value}`])),
      ...named,
      ...(named.length > 0 && left > 0 ? [said.more(left)] : []),
      '',
      `${said.open}: ${mail.url}`,
      '',
      said.why,
    ].join('\n'),
  }
}

/** As the console writes times: year/month/day hour:minute, with the zone. */
function timeOf(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return `${of('year')}/${of('month')}/${of('day')} ${of('hour')}:${of('minute')} (${zone})`
}

import type { PushSubject, PushTarget } from './calls/push_subject.ts'
import type { ExecutionWindow } from './calls/maintenance_window.ts'
import type { PushTaskType } from './calls/push_kinds.ts'
import { filled } from './filled.ts'
import { minuteOf } from './minute.ts'
import { daysText, windowText } from './window-text.ts'
import { text } from './wire.ts'
import type { Language, Text } from './wire.ts'
import { whereSentence } from './where-sentence.ts'
import type { WhereGroup } from './calls/terminal_filter.ts'

/** What is pushed, to whom and when, as it is kept with a push. */
export type PushFacts = {
  type: PushTaskType
  subject: PushSubject
  /** Of an OS update: versions that the devices run now. */
  from_versions: readonly string[]
  /** Null where the server found the devices, or the reader may not know. */
  target: PushTarget | null
  target_count: number
  start_at: string | null
  window: ExecutionWindow | null
}
/** Of a push what its sentence is made of, to be kept. */
export const pushFactsOf = (facts: PushFacts): PushFacts => {
  const { type, subject, from_versions, target, target_count, start_at, window } = facts
  return { type, subject, from_versions, target, target_count, start_at, window }
}

/** As many versions of devices are named; one more is kept, so that it is known that there are others. */
const versions_shown = 4
export const versions_kept = versions_shown + 1

/** What a kind does: {what} to {whom}. */
const heads: Record<PushTaskType, Text> = {
  message: text('Sends the message “{what}” to {whom}', 'Gửi tin nhắn “{what}” đến {whom}', '向{whom}发送消息“{what}”'),
  file: text(
    'Puts {what} into {path} on {whom}',
    'Đưa {what} vào {path} trên {whom}',
    '将 {what} 推送到{whom}的 {path}',
  ),
  config_file: text(
    'Puts the configuration file {what} on {whom}',
    'Đưa tệp cấu hình {what} vào {whom}',
    '将配置文件 {what} 推送到{whom}',
  ),
  app_install: text('Installs {what} on {whom}', 'Cài {what} trên {whom}', '在{whom}上安装 {what}'),
  app_uninstall: text('Removes {what} from {whom}', 'Gỡ {what} khỏi {whom}', '从{whom}卸载 {what}'),
  find: text('Rings {whom} for {seconds} s', 'Đổ chuông {whom} trong {seconds} giây', '让{whom}响铃 {seconds} 秒'),
  lock: text('Locks the screen of {whom}', 'Khóa màn hình {whom}', '锁定{whom}的屏幕'),
  screenshot: text('Takes a screenshot of {whom}', 'Chụp màn hình {whom}', '截取{whom}的屏幕'),
  remote_log: text('Fetches the log of {whom}', 'Lấy nhật ký của {whom}', '获取{whom}的日志'),
  restart: text('Restarts {whom}', 'Khởi động lại {whom}', '重启{whom}'),
  shutdown: text('Shuts down {whom}', 'Tắt {whom}', '关闭{whom}'),
  factory_reset: text(
    'Erases {whom} and resets to factory settings',
    'Xóa toàn bộ dữ liệu và khôi phục cài đặt gốc {whom}',
    '清除{whom}的全部数据并恢复出厂设置',
  ),
  os: text('Updates the OS to {what} on {whom}', 'Cập nhật OS lên {what} cho {whom}', '将{whom}的 OS 更新到 {what}'),
  configuration: text('Changes the configuration of {whom}', 'Thay đổi cấu hình của {whom}', '修改{whom}的配置'),
}

const words = {
  os_from: text(
    'Updates the OS from {from} to {what} on {whom}',
    'Cập nhật OS từ {from} lên {what} cho {whom}',
    '将{whom}的 OS 从 {from} 更新到 {what}',
  ),
  thing: text('{name} ({package})', '{name} ({package})', '{name}（{package}）'),
  others: text('others', 'các phiên bản khác', '其他版本'),
  more: text('{count} more', '{count} mục khác', '另外 {count} 项'),
  more_devices: text('{count} more', '{count} thiết bị khác', '另外 {count} 台'),
  and: text('{list} and {last}', '{list} và {last}', '{list} 和 {last}'),
  comma: text(', ', ', ', '，'),
  list: text(', ', ', ', '、'),
  semicolon: text('; ', '; ', '；'),
  stop: text('.', '.', '。'),
  devices: text('{count} {count?device:devices}', '{count} thiết bị', ' {count} 台设备'),
  whom: text('{devices} ({who})', '{devices} ({who})', '{devices}（{who}）'),
  all: text('all devices', 'tất cả thiết bị', '全部设备'),
  no_group: text('devices without a group', 'thiết bị không thuộc nhóm', '未分组设备'),
  group: text('group {name}', 'nhóm {name}', '分组 {name}'),
  dynamic_group: text('dynamic group {name}', 'nhóm động {name}', '动态分组 {name}'),
  match: text('those that match a filter', 'thiết bị khớp bộ lọc', '符合筛选条件的设备'),
  where: text('those where {where}', 'thiết bị có {where}', '符合{where}的设备'),
  file: text('from the file {name}', 'từ tệp {name}', '来自文件 {name}'),
  narrowed: text('{of}, only those that match a filter', '{of}, chỉ thiết bị khớp bộ lọc', '{of}中符合筛选条件的设备'),
  narrowed_where: text('{of}, only those where {where}', '{of}, chỉ thiết bị có {where}', '{of}中符合{where}的设备'),
  from: text('from {at} on', 'từ {at}', '{at} 开始'),
  window: text(
    'between {from} and {to} of each device’s own time',
    'trong khoảng {from}–{to} theo giờ của từng thiết bị',
    '在设备当地时间 {from} 至 {to} 之间',
  ),
  window_on_days: text(
    '{days} between {from} and {to} of each device’s own time',
    '{days} trong khoảng {from}–{to} theo giờ của từng thiết bị',
    '{days}设备当地时间 {from} 至 {to} 之间',
  ),
  window_named: text(
    'in the maintenance window {window} of each device’s own time',
    'trong khung bảo trì {window} theo giờ của từng thiết bị',
    '在设备当地时间的维护时段 {window} 内',
  ),
} satisfies Record<string, Text>

type In = { language: Language; zone: string }

function whatOf({ things, count }: PushSubject, language: Language): string {
  const named = things.map(({ name, version, package: id }) => {
    const title = version ? `${name} ${version}` : name
    return id && id !== name ? filled(words.thing[language], { name: title, package: id }) : title
  })
  const rest = count - things.length
  return joined(rest > 0 ? [...named, filled(words.more[language], { count: rest })] : named, language)
}

function joined(parts: readonly string[], language: Language): string {
  if (parts.length < 2) return parts[0] ?? ''
  return filled(words.and[language], { list: parts.slice(0, -1).join(words.list[language]), last: parts.at(-1)! })
}

/** Whom a push is for as it was said; undefined where nobody said it. */
export function pushTargetText(target: PushTarget | null, reader: In): string | undefined {
  if (!target) return undefined
  const { language } = reader
  const { kind, names, named, is_narrowed, file, conditions } = target
  const where = conditions && whereSentence(conditions.where as WhereGroup, { ...reader, ...conditions })
  if (file) return filled(words.file[language], { name: file })
  const rest = named - names.length
  const sns = rest > 0 ? [...names, filled(words.more_devices[language], { count: rest })] : names
  const of = kind === 'named' ? joined(sns, language) : filled(words[kind][language], { name: names.join(' / ') })
  if (kind === 'match') return where ? filled(words.where[language], { where }) : of
  if (!is_narrowed) return of
  return where ? filled(words.narrowed_where[language], { of, where }) : filled(words.narrowed[language], { of })
}

function whomOf({ target, target_count }: PushFacts, reader: In): string {
  const { language } = reader
  const devices = filled(words.devices[language], { count: target_count })
  const who = pushTargetText(target, reader)
  return who ? filled(words.whom[language], { devices, who }) : devices
}

function headOf(facts: PushFacts, reader: In): string {
  const { language } = reader
  const { type, subject, from_versions } = facts
  const from = from_versions.slice(0, versions_shown)
  if (from.length < from_versions.length) from.push(words.others[language])
  const head = type === 'os' && from.length > 0 ? words.os_from : heads[type]
  return filled(head[language], {
    what: whatOf(subject, language),
    path: subject.path,
    seconds: subject.seconds,
    from: joined(from, language),
    whom: whomOf(facts, reader),
  })
}

function whenOpen(window: ExecutionWindow, language: Language): string {
  const { from, to, days, name } = window
  if (name !== undefined) return filled(words.window_named[language], { window: windowText(window, language) })
  if (days === undefined || days.length === 7) return filled(words.window[language], { from, to })
  return filled(words.window_on_days[language], { days: daysText(days, language), from, to })
}

/**
 * What is pushed, to whom and when, in one sentence of the reader's language. Every place that names a push says this one.
 * @param more.clauses what else is said of it, `more.notes` what is said after it: of a push that is only being made
 */
export function pushSentence(
  facts: PushFacts,
  { language, zone }: In,
  { clauses = [], notes = [] }: { clauses?: readonly string[]; notes?: readonly string[] } = {},
): string {
  const { start_at, window } = facts
  const body = [
    headOf(facts, { language, zone }).trim(),
    ...(start_at ? [filled(words.from[language], { at: minuteOf(start_at, zone) })] : []),
    ...(window ? [whenOpen(window, language)] : []),
    ...clauses,
  ].join(words.comma[language])
  return [body, ...notes].join(words.semicolon[language]) + words.stop[language]
}

/** What of a push may be changed before it begins beside what its sentence says. */
export const otherPushParts = ['content', 'deadline', 'conditions', 'steps', 'description'] as const
export type OtherPushPart = (typeof otherPushParts)[number]
/** What was changed of a push before it began. */
export type PushDifference = { before: PushFacts; after: PushFacts; others: readonly OtherPushPart[] }

/** What was changed, each part as it was and as it is. */
export function pushDifferenceText({ before, after, others }: PushDifference, reader: In): string {
  const { language, zone } = reader
  const parts: Record<'what' | 'whom' | 'start' | 'window', (facts: PushFacts) => string> = {
    what: ({ subject }) => [whatOf(subject, language), subject.path].filter(Boolean).join(' '),
    whom: (facts) => whomOf(facts, reader),
    start: ({ start_at }) => (start_at ? minuteOf(start_at, zone) : differenceWords.at_once[language]),
    window: ({ window }) => (window ? windowText(window, language) : differenceWords.any_time[language]),
  }
  const said = Object.entries(parts).flatMap(([part, textOf]) => {
    const values = { before: textOf(before), after: textOf(after) }
    if (values.before === values.after) return []
    const field = differenceWords[part as keyof typeof parts][language]
    return filled(differenceWords.changed[language], { field, ...values })
  })
  // Where its name has not changed, what is in it may have.
  const rest = others.map((part) => differenceWords[part][language])
  if (rest.length > 0) said.push(filled(differenceWords.also[language], { parts: rest.join(words.list[language]) }))
  return said.length > 0 ? said.join(words.semicolon[language]) : differenceWords.nothing[language]
}

const differenceWords = {
  nothing: text('nothing changed', 'không có thay đổi', '无变化'),
  changed: text('{field}: {before} → {after}', '{field}: {before} → {after}', '{field}：{before} → {after}'),
  also: text('changed: {parts}', 'đã sửa: {parts}', '已修改：{parts}'),
  what: text('what', 'đẩy gì', '内容'),
  whom: text('for', 'cho', '对象'),
  start: text('start', 'bắt đầu', '开始'),
  window: text('time of day', 'khung giờ', '时段'),
  at_once: text('at once', 'ngay lập tức', '立即'),
  any_time: text('any time', 'bất kỳ lúc nào', '任何时间'),
  content: text('content', 'nội dung', '内容'),
  deadline: text('deadline', 'thời hạn', '截止时间'),
  conditions: text('conditions', 'điều kiện', '条件'),
  steps: text('steps', 'các bước', '步骤'),
  description: text('description', 'mô tả', '说明'),
} satisfies Record<string, Text>

/** What a payload says itself; of other kinds the server knows the names. */
export function subjectOfPayload(type: PushTaskType, payload: unknown, summary = ''): PushSubject {
  const { title, packages, seconds } = (payload ?? {}) as { title?: string; packages?: string[]; seconds?: number }
  const names = type === 'message' ? [title ?? ''] : type === 'app_uninstall' ? (packages ?? []) : [summary]
  return { ...subjectOf(names.filter(Boolean).map((name) => ({ name }))), seconds: seconds ?? 0 }
}

const things_max = 3
export const subjectOf = (
  things: readonly { name: string; version?: string; package?: string }[],
  path = '',
): PushSubject => ({
  things: things
    .slice(0, things_max)
    .map(({ name, version = '', package: id = '' }) => ({ name, version, package: id })),
  count: things.length,
  path,
  seconds: 0,
})

/** All that a sentence is made of, for tests. */
export const pushTexts: Record<string, Text> = { ...heads, ...words, ...differenceWords }

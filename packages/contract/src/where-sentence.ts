import { whereFields, whereNodes } from './calls/terminal_filter.ts'
import type { WhereCondition, WhereField, WhereGroup, WhereNode, WhereOperator } from './calls/terminal_filter.ts'
import { filled } from './filled.ts'
import { minuteOf } from './minute.ts'
import { text } from './wire.ts'
import type { Language, Text } from './wire.ts'

/** What a condition is about. */
export const whereFieldNames: Record<WhereField, Text> = {
  sn: text('SN', 'SN', 'SN'),
  name: text('Alias', 'Tên gợi nhớ', '别名'),
  imei: text('IMEI', 'IMEI', 'IMEI'),
  model: text('Model', 'Kiểu máy', '型号'),
  os_version: text('System version', 'Phiên bản hệ điều hành', '系统版本'),
  uid: text('UID', 'UID', 'UID'),
  version_code: text('Version code', 'Mã phiên bản', '版本代码'),
  ver: text('VER', 'VER', 'VER'),
  network_type: text('Network', 'Mạng', '网络'),
  terminal_group_kid: text('Group', 'Nhóm', '分组'),
  app: text('App', 'Ứng dụng', '应用'),
  tags: text('Tags', 'Nhãn', '标签'),
  is_online: text('Online', 'Trực tuyến', '在线'),
  is_metered: text('Metered network', 'Mạng tính phí theo dung lượng', '按流量计费的网络'),
  is_roaming: text('Roaming', 'Chuyển vùng', '漫游'),
  has_foreground_app: text('Foreground app', 'Ứng dụng đang hiển thị', '前台应用'),
  battery_level: text('Battery', 'Pin', '电量'),
  signal: text('Signal', 'Sóng', '信号'),
  last_online_at: text('Last contact', 'Liên lạc cuối', '最近通信'),
  registered_at: text('Registered', 'Ngày đăng ký', '注册时间'),
}
/** How it is compared. A date is not so many days old but that far from today. */
export const whereOperatorNames: Record<WhereOperator | 'within_date', Text> = {
  is: text('is', 'là', '是'),
  is_not: text('is not', 'không phải là', '不是'),
  starts_with: text('starts with', 'bắt đầu bằng', '开头是'),
  contains: text('contains', 'chứa', '包含'),
  is_empty: text('is empty', 'để trống', '为空'),
  is_filled: text('is not empty', 'có giá trị', '不为空'),
  is_one_of: text('is one of', 'là một trong', '是其中之一'),
  is_none_of: text('is none of', 'không thuộc', '不是其中任何一个'),
  between: text('is between', 'trong khoảng', '介于'),
  before: text('is before', 'trước', '早于'),
  after: text('is after', 'sau', '晚于'),
  older_than: text('is longer ago than', 'đã quá', '距今超过'),
  within: text('is within the last', 'trong vòng', '在最近'),
  within_date: text('is at most this far from today:', 'cách hôm nay không quá', '与今天相差不超过'),
  has_any: text('have any of', 'có ít nhất một trong', '含有任一'),
  has_all: text('have all of', 'có tất cả', '含有全部'),
  has_none: text('have none of', 'không có nhãn nào trong', '不含'),
  is_installed: text('is installed', 'đã cài', '已安装'),
  is_not_installed: text('is not installed', 'chưa cài', '未安装'),
  is_below: text('is below version', 'thấp hơn phiên bản', '低于版本'),
  is_at_least: text('is at least version', 'từ phiên bản', '不低于版本'),
  is_version: text('is version', 'đúng phiên bản', '版本为'),
  is_within: text('is in', 'thuộc', '属于'),
  is_not_within: text('is not in', 'không thuộc', '不属于'),
}
const words = {
  days: text('{count} {count?day:days}', '{count} ngày', '{count} 天'),
  between: text('{min} and {max}', '{min} đến {max}', '{min} 至 {max}'),
  list: text(', ', ', ', '、'),
  and: text(' and ', ' và ', ' 且 '),
  or: text(' or ', ' hoặc ', ' 或 '),
  brackets: text('({text})', '({text})', '（{text}）'),
  gone: text('a field that was deleted', 'một trường đã bị xóa', '已删除的字段'),
  yes: text('Yes', 'Có', '是'),
  no: text('No', 'Không', '否'),
  no_group: text('No group', 'Không thuộc nhóm', '未分组'),
  wifi: text('Wi-Fi', 'Wi-Fi', 'Wi-Fi'),
  mobile: text('Mobile', 'Di động', '移动网络'),
  ethernet: text('Ethernet', 'Ethernet', '以太网'),
  none: text('Not connected', 'Không kết nối', '未连接'),
}

const networks = ['wifi', 'mobile', 'ethernet', 'none'] as const
const isNetwork = (of: unknown): of is (typeof networks)[number] => networks.includes(of as never)

/** How a reader reads, and what the things of the account are called: fields, of which some are dates, and groups, by their kids. */
export type WhereReader = {
  language: Language
  zone: string
  names: Readonly<Record<string, string>>
  dates: readonly string[]
}

/** Conditions in words, in the reader's language. */
export function whereSentence(where: WhereGroup, reader: WhereReader): string {
  const { language } = reader
  const said = (node: WhereNode): string =>
    'field' in node
      ? conditionText(node, reader)
      : filled(words.brackets[language], { text: whereSentence(node, reader) })
  return whereNodes(where)
    .map(said)
    .join(words['all' in where ? 'and' : 'or'][language])
}

function conditionText(condition: WhereCondition, reader: WhereReader): string {
  const { field, custom_field_kid: kid = '', op } = condition
  const { language, names, dates } = reader
  const name = field === 'custom_field' ? (names[kid] ?? words.gone[language]) : whereFieldNames[field][language]
  const is_date = field === 'custom_field' && op === 'within' && dates.includes(kid)
  const compared = whereOperatorNames[is_date ? 'within_date' : op][language]
  return [name, compared, valueText(condition, reader)].join(' ').trim()
}

function valueText({ field, op, value }: WhereCondition, { language, zone, names }: WhereReader): string {
  const one = (of: string | number | boolean): string => {
    if (typeof of === 'boolean') return words[of ? 'yes' : 'no'][language]
    if (field === 'terminal_group_kid') return of === 'NO_GROUP' ? words.no_group[language] : (names[of] ?? String(of))
    if (field === 'network_type' && isNetwork(of)) return words[of][language]
    return field !== 'custom_field' && whereFields[field] === 'time' ? minuteOf(String(of), zone) : String(of)
  }
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map(one).join(words.list[language])
  if (typeof value === 'object' && 'package' in value) return [value.package, value.version].filter(Boolean).join(' ')
  if (typeof value === 'object') return filled(words.between[language], value)
  if (op === 'older_than' || op === 'within') return filled(words.days[language], { count: Number(value) })
  return one(value)
}

/** All that sentences of conditions are made of, for tests. */
export const whereTexts: Record<string, Text> = { ...whereFieldNames, ...whereOperatorNames, ...words }

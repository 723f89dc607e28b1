import { text } from './wire.ts'
import type { Text } from './wire.ts'

/**
 * The lists that a UID is made of, in the order in which their codes stand in it (docs/decisions/029). Calls, pages,
 * handlers, screens and sweeps derive from this table: a list is a row of it.
 */

/** How a code looks. The name is that of the fault which says so. */
export const codeFormats = {
  client_code: { pattern: /^[A-Za-z0-9]{5}$/, length: 5 },
  code_of_2: { pattern: /^[A-Za-z0-9]{2}$/, length: 2 },
  code_of_2_letters: { pattern: /^[A-Z]{2}$/, length: 2 },
  code_of_1_letter: { pattern: /^[A-Z]$/, length: 1 },
} as const
export type CodeFormat = keyof typeof codeFormats

/** What a row must say besides its code and name. */
export const informationDetails = {
  total_capacity: text('Total capacity', 'Tổng dung lượng', '总容量'),
  chip_model: text('Chip model', 'Mẫu chip', '芯片型号'),
  supplier: text('Supplier', 'Nhà cung ứng', '供应商'),
  bom_code: text('BOM code', 'Mã BOM', 'BOM 编码'),
} as const satisfies Record<string, Text>
export type InformationDetail = keyof typeof informationDetails

type Row = {
  /** On the wire and in SQL. */
  name: string
  /** Of its pages: /information-list/<path>, /<path>-add, /<path>-edit. */
  path: string
  format: CodeFormat
  details: readonly InformationDetail[]
  /** One of them, as it stands in a sentence. */
  one: Text
  many: Text
}

const memory = ['total_capacity', 'chip_model'] as const
const component = ['supplier', 'bom_code'] as const

export const informationLists = {
  solution: {
    name: 'solution',
    path: 'solution',
    format: 'code_of_1_letter',
    details: [],
    one: text('solution partner', 'đối tác giải pháp', '方案商'),
    many: text('solution partners', 'đối tác giải pháp', '方案商'),
  },
  hardware: {
    name: 'hardware',
    path: 'hardware',
    format: 'code_of_2',
    details: [],
    one: text('hardware platform', 'nền tảng phần cứng', '硬件平台'),
    many: text('hardware platforms', 'nền tảng phần cứng', '硬件平台'),
  },
  romMemory: {
    name: 'rom_memory',
    path: 'rom-memory',
    format: 'code_of_2',
    details: memory,
    one: text('ROM', 'ROM', 'ROM'),
    many: text('ROM', 'ROM', 'ROM'),
  },
  ramMemory: {
    name: 'ram_memory',
    path: 'ram-memory',
    format: 'code_of_2',
    details: memory,
    one: text('RAM', 'RAM', 'RAM'),
    many: text('RAM', 'RAM', 'RAM'),
  },
  screen: {
    name: 'screen',
    path: 'screen',
    format: 'code_of_2',
    details: component,
    one: text('screen', 'màn hình', '屏幕'),
    many: text('screens', 'màn hình', '屏幕'),
  },
  extended: {
    name: 'extended',
    path: 'extended',
    format: 'code_of_2',
    details: component,
    one: text('expansion board', 'bo mạch mở rộng', '扩展板'),
    many: text('expansion boards', 'bo mạch mở rộng', '扩展板'),
  },
  language: {
    name: 'language',
    path: 'language',
    format: 'code_of_2_letters',
    details: [],
    one: text('language', 'ngôn ngữ', '语言'),
    many: text('languages', 'ngôn ngữ', '语言'),
  },
  clientCode: {
    name: 'client_code',
    path: 'client-code',
    format: 'client_code',
    details: [],
    one: text('customer code', 'mã khách hàng', '客户代码'),
    many: text('customer codes', 'mã khách hàng', '客户代码'),
  },
} as const satisfies Record<string, Row>
export type InformationKey = keyof typeof informationLists
export type InformationList = (typeof informationLists)[InformationKey]
/** As the wire and SQL call a list. */
export type InformationName = InformationList['name']

export const informationKeys = Object.keys(informationLists) as InformationKey[]
export const informationNames = Object.values(informationLists).map(({ name }) => name)
export const informationList = (name: InformationName): InformationList =>
  Object.values(informationLists).find((list) => list.name === name)!

/** The name as it begins a sentence or stands alone. */
export const capitalised = (words: Text): Text =>
  Object.fromEntries(
    Object.entries(words).map(([language, word]) => [language, word.charAt(0).toUpperCase() + word.slice(1)]),
  ) as Text
/** Words of a list in a sentence of each language, as 'Delete {}'; `{a}` is English 'a' or 'an' with the word. */
export const inSentence = (words: Text, en: string, vi: string, zh: string): Text => {
  const article = /^[aeiou]/i.test(words.en) ? 'an' : 'a'
  // Latin letters stand apart from Chinese ones.
  const name = /^[A-Z]/.test(words['zh-cn']) ? ` ${words['zh-cn']} ` : words['zh-cn']
  return text(
    en.replace('{a}', `${article} ${words.en}`).replace('{}', words.en),
    vi.replace('{}', words.vi),
    zh.replace('{}', name).trim(),
  )
}

import type { ConfigSection } from './names.ts'
import { isMask, isMeant, sectionOf } from './sections.ts'
import type { ConfigField, ConfigFields } from './sections.ts'
import { languages } from '../wire.ts'
import type { Language, Text } from '../wire.ts'

/** One value of a section in words; `path` tells lines apart between versions. */
export type Line = {
  path: string
  label: string
  value: string
  /** Of a secret, as it is stored or typed: two that look alike may differ. */
  secret?: string
}
export type ValueLabels = {
  textOf: (text: Text) => string
  listOf: (items: readonly string[]) => string
  yes: string
  no: string
  /** For a secret that is set. */
  secret: string
  /** Columns of the device list, by their keys. */
  columns: Readonly<Record<string, string>>
  /** When something ends, or that it has ended. */
  endOf: (at: string) => string
}

/** A section's value as lines, from its declaration. What means nothing beside the other fields is left out. */
export function linesOf(fields: ConfigFields, value: unknown, labels: ValueLabels, above = '', labelled = ''): Line[] {
  if (typeof value !== 'object' || value === null) return []
  const beside = value as Record<string, unknown>
  return Object.entries(fields).flatMap(([name, field]) => {
    const one = beside[name]
    // Its name stands beside it.
    if (
      one === undefined ||
      one === null ||
      one === '' ||
      field.is_istage ||
      field.is_maintenance_window ||
      !isMeant(field, beside)
    )
      return []
    const path = `${above}${name}`
    const label = [labelled, labels.textOf(field.title)].filter(Boolean).join(' · ')
    if (field.kind === 'rows' && field.fields && Array.isArray(one))
      return one.flatMap((row: unknown, at) => {
        const keys = field.known_by ?? Object.keys(field.fields!).slice(0, 1)
        const known = nameOf(keys, row) ?? String(at + 1)
        return linesOf(without(field.fields!, keys), row, labels, `${path}.${known}.`, known)
      })
    const text = textOfValue(field, one, labels)
    if (text === '') return []
    return [{ path, label, value: text, ...(isSecret(field) && { secret: JSON.stringify(one) }) }]
  })
}

/** What tells a row from the others; undefined where a part of that is missing. */
function nameOf(keys: readonly string[], row: unknown): string | undefined {
  const parts = keys.map((key) =>
    typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[key] : '',
  )
  return parts.every((part) => typeof part === 'string' && part !== '') ? parts.join(' · ') : undefined
}
const without = (fields: ConfigFields, keys: readonly string[]): ConfigFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !keys.includes(name)))

const isSecret = ({ kind }: ConfigField): boolean => kind === 'secret' || kind === 'file'

function textOfValue(field: ConfigField, value: unknown, labels: ValueLabels): string {
  const { textOf, listOf, yes, no, secret, columns, endOf } = labels
  if (isSecret(field)) return isMask(value) || value !== '' ? secret : ''
  if (field.is_end && typeof value === 'string') return endOf(value)
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value))
    return listOf(
      value.map((each) => {
        const option = field.options?.[String(each)]
        if (option) return textOf(option)
        return (field.is_column ? columns[String(each)] : undefined) ?? String(each)
      }),
    )
  const option = field.options?.[String(value)]
  if (option) return textOf(option)
  return field.unit ? `${String(value)} ${field.unit}` : String(value)
}

export type Difference = {
  path: string
  label: string
  before: string | null
  after: string | null
  /** Both are set, and they are not the same secret. */
  is_other_secret: boolean
}
/** Lines that are not the same. */
export function differencesOf(before: readonly Line[], after: readonly Line[]): Difference[] {
  const [was, is] = [byPath(before), byPath(after)]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((path) => {
    const [old, next] = [was.get(path), is.get(path)]
    const is_other_secret = old !== undefined && next !== undefined && old.secret !== next.secret
    if (old?.value === next?.value && !is_other_secret) return []
    const label = (next ?? old)!.label
    return [{ path, label, before: old?.value ?? null, after: next?.value ?? null, is_other_secret }]
  })
}
const byPath = (lines: readonly Line[]) => new Map(lines.map((line) => [line.path, line]))

/** What a section was at a place and became there; undefined where it was not set. */
export type SectionChange = { section: ConfigSection; before: unknown; after: unknown }

const shown_lines = 40
const shown_characters = 120
const words = {
  en: {
    yes: 'yes',
    no: 'no',
    secret: 'set',
    other: 'another one',
    none: 'not set',
    more: 'and {count} more',
    colon: ': ',
    end: '; ',
  },
  vi: {
    yes: 'có',
    no: 'không',
    secret: 'đã đặt',
    other: 'giá trị khác',
    none: 'chưa đặt',
    more: 'và {count} mục khác',
    colon: ': ',
    end: '; ',
  },
  'zh-cn': {
    yes: '是',
    no: '否',
    secret: '已设置',
    other: '另一个',
    none: '未设置',
    more: '另有 {count} 项',
    colon: '：',
    end: '；',
  },
} as const satisfies Record<Language, Record<string, string>>

/** The differences of a change in one text in each language, secrets untold: `Wi-Fi networks · Dock · Security: Open → WPA2`. */
export const differencesText = (changes: readonly SectionChange[]): Text =>
  Object.fromEntries(languages.map((language) => [language, textIn(language, changes)])) as Text

function textIn(language: Language, changes: readonly SectionChange[]): string {
  const { yes, no, secret, other, none, more, colon, end } = words[language]
  const labels: ValueLabels = {
    textOf: (text) => text[language],
    listOf: (items) => items.join(language === 'zh-cn' ? '、' : ', '),
    ...{ yes, no, secret, columns: {} },
    endOf: (at) => at,
  }
  const said = changes.flatMap(({ section, before, after }) => {
    const { fields, title } = sectionOf(section)
    const lines = (value: unknown) => linesOf(fields, value, labels)
    return differencesOf(lines(before), lines(after)).map(
      (each) =>
        `${title[language]} · ${each.label}${colon}${clipped(each.before ?? none)} → ${each.is_other_secret ? other : clipped(each.after ?? none)}`,
    )
  })
  const rest = said.length - shown_lines
  return [...said.slice(0, shown_lines), ...(rest > 0 ? [more.replace('{count}', String(rest))] : [])].join(end)
}
const clipped = (text: string): string =>
  text.length > shown_characters ? `${text.slice(0, shown_characters)}…` : text

import { isMask, isMeant } from '@mdm/contract/config/sections.ts'
import type { Text } from '@mdm/contract'
import type { ConfigField, ConfigFields } from '@mdm/contract/config/sections.ts'
import { listText } from '../../../i18n/list-text.ts'

/** One value of a section in words; `path` tells lines apart between versions. */
export type Line = { path: string; label: string; value: string }
export type ValueLabels = {
  textOf: (text: Text) => string
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
    if (one === undefined || one === null || one === '' || field.is_istage || !isMeant(field, beside)) return []
    const path = `${above}${name}`
    const label = [labelled, labels.textOf(field.title)].filter(Boolean).join(' · ')
    if (field.kind === 'rows' && field.fields && Array.isArray(one))
      return one.flatMap((row: unknown, at) => {
        const keys = field.known_by ?? Object.keys(field.fields!).slice(0, 1)
        const known = nameOf(keys, row) ?? String(at + 1)
        return linesOf(without(field.fields!, keys), row, labels, `${path}.${known}.`, known)
      })
    const text = textOfValue(field, one, labels)
    return text === '' ? [] : [{ path, label, value: text }]
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

function textOfValue(field: ConfigField, value: unknown, labels: ValueLabels): string {
  const { textOf, yes, no, secret, columns, endOf } = labels
  if (field.kind === 'secret' || field.kind === 'file') return isMask(value) || value !== '' ? secret : ''
  if (field.is_end && typeof value === 'string') return endOf(value)
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value))
    return listText(value.map((each) => (field.is_column ? columns[String(each)] : undefined) ?? String(each)))
  const option = field.options?.[String(value)]
  if (option) return textOf(option)
  return field.unit ? `${String(value)} ${field.unit}` : String(value)
}

export type Difference = { path: string; label: string; before: string | null; after: string | null }
/** Lines that are not the same; a secret that changed looks the same in both and is not told. */
export function differencesOf(before: readonly Line[], after: readonly Line[]): Difference[] {
  const [was, is] = [byPath(before), byPath(after)]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((path) => {
    const [old, next] = [was.get(path), is.get(path)]
    if (old?.value === next?.value) return []
    return [{ path, label: (next ?? old)!.label, before: old?.value ?? null, after: next?.value ?? null }]
  })
}
const byPath = (lines: readonly Line[]) => new Map(lines.map((line) => [line.path, line]))

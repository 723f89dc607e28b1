import { isMask, isMeant } from '@mdm/contract/config/sections.ts'
import type { Text } from '@mdm/contract'
import type { ConfigField, ConfigFields } from '@mdm/contract/config/sections.ts'

/** One value of a section in words; `path` tells lines apart between versions. */
export type Line = { path: string; label: string; value: string }
export type Words = {
  textOf: (text: Text) => string
  yes: string
  no: string
  /** For a secret that is set. */
  secret: string
}

/** A section's value as lines, from its declaration. What means nothing beside the other fields is left out. */
export function linesOf(fields: ConfigFields, value: unknown, words: Words, above = '', labelled = ''): Line[] {
  if (typeof value !== 'object' || value === null) return []
  const beside = value as Record<string, unknown>
  return Object.entries(fields).flatMap(([name, field]) => {
    const one = beside[name]
    if (one === undefined || one === null || one === '' || !isMeant(field, beside)) return []
    const path = `${above}${name}`
    const label = [labelled, words.textOf(field.title)].filter(Boolean).join(' · ')
    if (field.kind === 'rows' && field.fields && Array.isArray(one))
      return one.flatMap((row: unknown, at) => {
        const known = nameOf(field.fields!, row) ?? String(at + 1)
        return linesOf(withoutFirst(field.fields!), row, words, `${path}.${known}.`, known)
      })
    const text = textOfValue(field, one, words)
    return text === '' ? [] : [{ path, label, value: text }]
  })
}

/** Rows are known by their first field. */
function nameOf(fields: ConfigFields, row: unknown): string | undefined {
  const key = Object.keys(fields)[0]
  const name = key && typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[key] : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}
const withoutFirst = (fields: ConfigFields): ConfigFields => Object.fromEntries(Object.entries(fields).slice(1))

function textOfValue(field: ConfigField, value: unknown, { textOf, yes, no, secret }: Words): string {
  if (field.kind === 'secret' || field.kind === 'file') return isMask(value) || value !== '' ? secret : ''
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value)) return value.map(String).join(', ')
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

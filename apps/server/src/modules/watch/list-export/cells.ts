import { Instant } from '@mdm/contract'
import type { Contract, In, Language } from '@mdm/contract'
import * as z from 'zod'
import type { Cell } from '../../../workers/sheet.ts'

type Column = In<Contract['listExport']['calls']['insert']>['columns'][number]
type Shape = Record<string, z.ZodType>

/** How the rows of a list become cells: times in one zone, values in the words of the screen, everything else readable. */
export function cellsOf(
  shape: Shape,
  columns: readonly Column[],
  { zone_id, language }: { zone_id: string; language: Language },
): (row: Record<string, unknown>) => Cell[] {
  const timeText = timeFormat(offsets(zone_id))
  const writers = columns.map(({ key, words }) => {
    const valueOf = getter(key)
    const is_time = key in shape && isInstant(shape[key]!)
    return (row: Record<string, unknown>): Cell => {
      const value = valueOf(row)
      if (value === null || value === undefined) return null
      if (is_time) return timeText(value instanceof Date ? value : new Date(value as string))
      if (!words && (typeof value === 'string' || typeof value === 'number')) return value
      const word = wordOf(words, value)
      if (word !== undefined) return word
      return typeof value === 'number' ? value : textOf(value, words, language)
    }
  })
  return (row) => writers.map((write) => write(row))
}

/** `fields.<kid>` is what the record `fields` has under that name. */
export function splitKey(key: string): [field: string, inner: string | undefined] {
  const at = key.indexOf('.')
  return at < 0 ? [key, undefined] : [key.slice(0, at), key.slice(at + 1)]
}
function getter(key: string): (row: Record<string, unknown>) => unknown {
  const [field, inner] = splitKey(key)
  if (inner === undefined) return (row) => row[field]
  return (row) => {
    const record = row[field] as Record<string, unknown> | null | undefined
    return record && Object.hasOwn(record, inner) ? record[inner] : null
  }
}

/** Whatever it is described as, and whether or not it may be missing. */
function isInstant(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return isInstant(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodPipe && schema.def.out === Instant.def.out
}

const wordOf = (words: Column['words'], value: unknown): string | undefined => {
  const key = String(value)
  return words && typeof value !== 'object' && Object.hasOwn(words, key) ? words[key] : undefined
}

/** Lists with commas; of a thing its name, in the reader's language if it has several; else field by field. */
function textOf(value: unknown, words: Column['words'], language: Language): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((part) => textOf(part, words, language)).join(', ')
  if (typeof value !== 'object') return wordOf(words, value) ?? String(value)
  const fields = value as Record<string, unknown>
  const named = fields[language] ?? fields['name']
  // Names are nobody's words: a group may be called 'true'.
  if (named !== undefined) return textOf(named, undefined, language)
  return Object.entries(fields)
    .filter(([, part]) => part !== null && part !== undefined)
    .map(([key, part]) => `${wordOf(words, key) ?? key}: ${textOf(part, words, language)}`)
    .join('; ')
}

const day_ms = 24 * 3_600_000
/** No zone changes its offset between two of these. */
const quarter_ms = 15 * 60_000
const remembered = 10_000

const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/** What is worked out once for each day, of which a column may have years: devices were last seen on any of them. */
function remembering<T>(make: (key: number) => T): (key: number) => T {
  const known = new Map<number, T>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    if (known.size >= remembered) known.clear()
    known.set(key, made)
    return made
  }
}
const dayText = (day: number) => new Date(day * day_ms).toISOString().slice(0, 10).replaceAll('-', '/')

/** year/month/day hour:minute:second (specification, 9). */
function timeFormat(offset: (ms: number) => number): (at: Date) => string {
  const textOfDay = remembering(dayText)
  return (at) => {
    const local = at.getTime() + offset(at.getTime())
    const day = Math.floor(local / day_ms)
    const seconds = Math.floor((local - day * day_ms) / 1_000)
    return `${textOfDay(day)} ${two[Math.floor(seconds / 3_600)]}:${two[Math.floor(seconds / 60) % 60]}:${two[seconds % 60]}`
  }
}

/** What a zone's clocks are ahead of UTC. Intl, which is slow, is asked once a day, and more on days of a change. */
function offsets(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  const offsetAt = (ms: number): number => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year, month, day, hour, minute, second } = parts as Record<
      'year' | 'month' | 'day' | 'hour' | 'minute' | 'second',
      number
    >
    return Date.UTC(year, month - 1, day, hour, minute, second) - ms
  }
  const ofQuarter = remembering((quarter) => offsetAt(quarter * quarter_ms))
  /** NaN on a day on which it changes. */
  const ofDay = remembering((day) => {
    const offset = offsetAt(day * day_ms)
    return offset === offsetAt((day + 1) * day_ms) ? offset : NaN
  })
  return (ms) => {
    const offset = ofDay(Math.floor(ms / day_ms))
    return Number.isNaN(offset) ? ofQuarter(Math.floor(ms / quarter_ms)) : offset
  }
}

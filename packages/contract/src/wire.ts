import * as z from 'zod'
import type { FieldFaultName } from './field_faults.ts'
import { plainLine, serialNumber } from './text-keys.ts'

export const languages = ['en', 'vi', 'zh-cn'] as const
export type Language = (typeof languages)[number]

/** One sentence or name in every language of the product. */
export type Text = Record<Language, string>
export const text = (en: string, vi: string, zh: string): Text => ({ en, vi, 'zh-cn': zh })

/**
 * Control characters inside of a class. Not `\p{Cc}`: patterns are published, and who reads them may have no classes of
 * Unicode.
 */
export const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f`
const plain = new RegExp(String.raw`^[^${controlCharacters}\u2028\u2029]*$`)

/** For `regex`: a text that fails is told so by this entry of the catalogue of faults. */
export const shaped = (name: FieldFaultName, pattern: RegExp, shown = pattern.source): [RegExp, string] => [
  pattern,
  `${name}: must match regular expression ${shown}`,
]
/** For `refine`: what fails is told so by this entry of the catalogue of faults, at `path` where that is another field. */
export const wrong = (name: FieldFaultName, params?: Record<string, string | number>, path?: string) => ({
  error: name as string,
  ...(params && { params }),
  ...(path !== undefined && { path: [path] }),
})

/** Opaque id of every entity: UUIDv7, lower case. */
export const Kid = z.uuid().describe('opaque id')
/** RFC 3339 in UTC, milliseconds. Handlers answer with a Date. */
const offset = /[+-]\d\d:?\d\d$/
const first_ms = Date.parse('0001-01-01T00:00:00Z')
const last_ms = Date.UTC(9999, 11, 31)
/** In UTC: devices give times in zones of their own, and may give ones that no calendar has. */
const inUtc = (at: string): string => {
  const ms = offset.test(at) ? Date.parse(at) : NaN
  return Number.isNaN(ms) ? at : new Date(Math.min(Math.max(ms, first_ms), last_ms)).toISOString()
}
export const Instant = z
  .union([z.date(), z.string()])
  .transform((at) => (typeof at === 'string' ? inUtc(at) : at.toISOString()))
  .pipe(z.iso.datetime())
export const Count = z.number().int().min(0)
export const Bytes = z.number().int().min(0).describe('bytes')
/** Numbers and booleans of a query string arrive as text. */
export const QueryInt = z.coerce.number<number | string>().int()
export const QueryBool = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((v) => v === true || v === 'true' || v === '1')
  .pipe(z.boolean())

/** What an edit takes: what is not said does not change, so the defaults of something new are not its own. */
export const edited = <S extends z.ZodRawShape>({ shape }: z.ZodObject<S>) =>
  z.object(
    Object.fromEntries(
      Object.entries(shape).map(([name, field]) => [
        name,
        field instanceof z.ZodDefault ? z.optional(field.unwrap()).describe(field.description ?? '') : field,
      ]),
    ) as { [K in keyof S]: S[K] extends z.ZodDefault<infer T> ? z.ZodOptional<T> : S[K] },
  )

export const Nothing = z.object({})
export const ByKid = z.object({ kid: Kid })
export const Done = z.object({}).describe('nothing but success')
/** Whether something of that name is there already. */
export const Exists = z.object({ exists: z.boolean() })

/** Trimmed single-line text without control characters. */
export const Line = (max: number, min = 0) =>
  z
    .string()
    .overwrite(plainLine)
    .min(min)
    .max(max)
    .regex(...shaped('control_character', plain, String.raw`^[^\p{Cc}]*$`))

/** A serial number in whatever way it is written. What is too long has a code of its own in some calls. */
export const Sn = (max: number) => z.string().overwrite(serialNumber).min(1).max(max)

/** `LIKE` and index lookups need a bounded search text. */
export const Search = Line(100).optional()

/**
 * Paging of every list: `page` for the first 10,000 rows, `after` (the `next` of the page before) at any depth.
 * `sort` names one of `columns`.
 */
export const paging = <const C extends readonly [string, ...string[]]>(columns: C) =>
  z.object({
    page: z.number().int().min(1).max(10_000).default(1),
    page_size: z.number().int().min(1).max(200).default(20),
    sort: z.enum(columns).optional(),
    order: z.enum(['asc', 'desc']).optional(),
    after: z.string().max(1000).optional(),
  })

/** `total` is exact up to 10,000 matches; beyond that `total_is_exact` may be false and `total` is a lower bound. */
export const paged = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    total: Count,
    total_is_exact: z.boolean(),
    page: z.number().int(),
    page_size: z.number().int(),
    next: z.string().nullable(),
  })
export type Paged<T> = {
  items: T[]
  total: number
  total_is_exact: boolean
  page: number
  page_size: number
  next: string | null
}

/** Every reply but a file. `result` 1 is success. */
export const envelope = <T extends z.ZodType>(data: T) => z.object({ result: z.literal(1), message: z.string(), data })
export type Envelope = { result: number; message: string; data: unknown }

/** Whether it names a time zone that this machine knows. Distances from UTC, which some machines take too, are no names. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Whatever JSON can say: a body was parsed as JSON before, so there is nothing else that it could be. */
export const JsonValue = z.custom<z.core.util.JSONType>((value) => value !== undefined)

import { describe, expect, it, test } from 'vitest'
import * as z from 'zod'
import { contract } from './calls.ts'
import { fieldFaults, fieldMessages } from './field_faults.ts'
import { fieldFaultsOf } from './field_faults_of.ts'
import type { Call } from './kit.ts'
import { Line, languages, shaped, wrong } from './wire.ts'

const calls = Object.values(contract).flatMap((group) => Object.values(group.calls) as Call[])
const withoutPattern = (message: string) => message.replace(/ \(must match regular expression .+\)$/su, '')
const told = (schema: z.ZodType, input: unknown, language: (typeof languages)[number] = 'en') => {
  const { error } = schema.safeParse(input)
  return error ? fieldMessages(fieldFaultsOf(error, input), language) : {}
}

describe('a field is told', () => {
  const schema = z.object({
    name: Line(64, 1),
    count: z.number().int().min(2).max(20_000),
    email: z.union([z.email(), z.literal('').transform(() => null), z.null()]).default(null),
    code: z.string().regex(...shaped('client_code', /^[A-Za-z0-9]{5}$/)),
    kind: z.enum(['a', 'b']),
    zone: z.string().refine(() => false, wrong('zone_unknown')),
  })
  const good = { name: 'n', count: 2, code: 'AB12c', kind: 'a', zone: 'z' }
  const of = (input: object, language: (typeof languages)[number] = 'en') => {
    const { zone: _, ...others } = told(schema, { ...good, ...input }, language)
    return others
  }

  it('of a list that is wrong throughout, as far as anybody reads', () => {
    const list = Array.from({ length: 1_000 }, () => 'x')
    expect(Object.keys(told(z.object({ list: z.array(z.number()) }), { list }))).toHaveLength(200)
  })

  it('in words of the one who fills it in, in the language of the call', () => {
    expect(of({ name: 'x'.repeat(65) }, 'vi')).toEqual({ name: 'Nhiều nhất 64 ký tự.' })
    expect(of({ name: undefined }, 'zh-cn')).toEqual({ name: '必填。' })
    expect(of({ name: '  ' })).toEqual({ name: 'Required.' })
    expect(of({ count: 20_001 }, 'vi')).toEqual({ count: 'Nhiều nhất 20.000.' })
    expect(of({ count: 'ten' })).toEqual({ count: 'Must be a number.' })
    expect(of({ count: 2.5 })).toEqual({ count: 'Must be a whole number.' })
    expect(of({ kind: 'c' })).toEqual({ kind: 'Must be one of: a, b.' })
    expect(told(schema, { ...good }, 'vi')).toEqual({ zone: 'Không phải múi giờ đã biết.' })
  })

  it('what is meant by a value that may have several shapes', () => {
    expect(of({ email: 'nobody' }, 'vi')).toEqual({ email: 'Không phải địa chỉ email.' })
    expect(of({ email: 7 })).toEqual({ email: 'Not valid.' })
  })

  it('and of a failed pattern also the pattern, by which clients know it', () => {
    expect(of({ code: 'AB' }, 'zh-cn')).toEqual({
      code: '必须为 5 位字母或数字。 (must match regular expression ^[A-Za-z0-9]{5}$)',
    })
  })
})

/** What strangers, scripts and slips of the hand put into any field. */
const wrongs: unknown[] = [
  undefined,
  null,
  '',
  ' ',
  'x'.repeat(70_000),
  'a\nb',
  '§',
  -1,
  1e300,
  0.5,
  true,
  [],
  [null],
  {},
  { x: 1 },
]

/** The fields of an object, below whatever wraps it. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> {
  const { def } = schema as unknown as {
    def: { type: string; shape?: Record<string, z.ZodType>; innerType?: z.ZodType; in?: z.ZodType }
  }
  if (def.type === 'object') return def.shape ?? {}
  const inner = def.innerType ?? def.in
  return inner ? shapeOf(inner) : {}
}

/** The sentence of each entry as a pattern, its placeholders open. */
const sentences = Object.fromEntries(
  languages.map((language) => [
    language,
    Object.values(fieldFaults).map(
      (fault) =>
        new RegExp(
          `^${fault[language].replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replace(/\{\w+\}/g, '.+')}( \\(must match regular expression .+\\))?$`,
          'su',
        ),
    ),
  ]),
)

const seen = new Set<string>()
test.each(calls.map((call) => [call.path, call] as const))(
  '%s says what is wrong from the catalogue',
  (_path, call) => {
    const shape = shapeOf(call.input)
    const deep = Object.entries(shape).flatMap(([key, field]) =>
      Object.keys(shapeOf(field)).map((inner) => [key, inner]),
    )
    const inputs = wrongs.flatMap((value) => [
      value,
      ...Object.keys(shape).map((key) => ({ [key]: value })),
      ...deep.map(([key, inner]) => ({ [key!]: { [inner!]: value } })),
      ...Object.keys(shape).map((key) => ({ [key]: [value] })),
    ])
    for (const input of inputs) {
      const { error } = call.input.safeParse(input)
      if (!error) continue
      const faults = fieldFaultsOf(error, input)
      for (const language of languages) {
        for (const [field, message] of Object.entries(fieldMessages(faults, language))) {
          if (seen.has(`${language} ${message}`)) continue
          seen.add(`${language} ${message}`)
          const known = sentences[language]!.some((sentence) => sentence.test(message))
          expect(known ? '' : `${field}: ${message}`).toBe('')
          expect(withoutPattern(message)).not.toMatch(/\{\w+\}|expected|received|undefined|NaN|Too (big|small)|Invalid/)
        }
      }
    }
  },
)

test('every rule of a schema names an entry of the catalogue', () => {
  const unnamed = calls.flatMap((call) => {
    const seen = new Set<unknown>()
    const found: string[] = []
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return
      seen.add(value)
      if ('_zod' in value) {
        const { def } = value._zod as { def: { check?: string; format?: string; error?: (issue: object) => unknown } }
        const is_rule = def.check === 'custom' || def.format === 'regex'
        const says = is_rule ? String(def.error?.({}) ?? '').split(':')[0]! : undefined
        // A superRefine says it with each issue.
        if (says !== undefined && says !== '' && !(says in fieldFaults)) found.push(`${call.path}: ${says}`)
        if (def.format === 'regex' && !def.error) found.push(`${call.path}: a pattern without words`)
        return walk(def)
      }
      for (const part of Object.values(value)) walk(part)
    }
    walk(call.input)
    return found
  })
  expect(unnamed).toEqual([])
})

test('every entry has its placeholders in every language', () => {
  const holes = (sentence: string) => [...sentence.matchAll(/\{\w+\}/g)].map(String).sort()
  for (const fault of Object.values(fieldFaults))
    for (const language of languages) expect(holes(fault[language])).toEqual(holes(fault.en))
})

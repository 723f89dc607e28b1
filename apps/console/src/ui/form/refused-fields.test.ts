import { expect, test } from 'vitest'
import type * as z from 'zod'
import { contract, errors } from '@mdm/contract'
import type { Call, ErrorName } from '@mdm/contract'
import { refusedFields } from './refused-fields.ts'

/** The fields of an input, below whatever wraps it. */
function fieldsOf(schema: z.ZodType): string[] {
  const { def } = schema as unknown as {
    def: { type: string; shape?: object; options?: z.ZodType[]; innerType?: z.ZodType; in?: z.ZodType }
  }
  if (def.type === 'object') return Object.keys(def.shape ?? {})
  const inner = [...(def.options ?? []), def.innerType ?? def.in].filter((each) => each !== undefined)
  return inner.flatMap(fieldsOf)
}
const calls = Object.values(contract).flatMap((group) => Object.values(group.calls) as Call[])

test('a refusal stands at a field of a call that can be refused so', () => {
  const names = new Map(Object.entries(errors).map(([name, { result }]) => [result, name as ErrorName]))
  const astray = Object.entries(refusedFields).flatMap(([result, fields]) => {
    const name = names.get(Number(result))
    const asked = new Set(
      calls.filter((call) => name && call.errors.includes(name)).flatMap((call) => fieldsOf(call.input)),
    )
    return fields.filter((field) => !asked.has(field)).map((field) => `${result} ${name}: ${field}`)
  })
  expect(astray).toEqual([])
})

test('what is taken already is said where it was typed', () => {
  const taken = Object.entries(errors).filter(([name]) => name.startsWith('duplicate_') || name.endsWith('_name_taken'))
  expect(taken.filter(([, { result }]) => !refusedFields[result]).map(([name]) => name)).toEqual([])
})

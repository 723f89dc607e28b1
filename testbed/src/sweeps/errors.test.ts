import { errors } from '@mdm/contract'
import type { ErrorName } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allRefusals, everyCall } from './features.ts'
import type { Refusals } from './refusals.ts'
import { stage } from './stage.ts'
import type { Stage } from './stage.ts'

let s: Stage
let refusals: Refusals
beforeAll(async () => {
  s = await stage()
  refusals = await allRefusals(s)
})
afterAll(() => s.w[Symbol.asyncDispose]())

const declared = everyCall.flatMap((call) => call.errors.map((name) => `${call.path} ${name}`))

test('every refusal that a call declares has a way to come about, and no other has', () => {
  expect(Object.keys(refusals).toSorted()).toEqual(declared.toSorted())
})

describe('declared refusals', () => {
  test.each(declared)('%s', async (key) => {
    const name = key.split(' ')[1] as ErrorName
    const reply = await refusals[key]!()
    expect(reply).toMatchObject({ result: errors[name].result, status: errors[name].status })
    expect(reply.message).not.toMatch(/\{\w+\}/)
  })
})

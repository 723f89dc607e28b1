import { errors } from '@mdm/contract'
import type { ErrorName } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCall } from './inputs.ts'
import { batchProvocations } from './provoke-batch.ts'
import { contentProvocations } from './provoke-content.ts'
import { customerProvocations } from './provoke-customers.ts'
import { deviceFileProvocations } from './provoke-device-files.ts'
import { deviceProvocations } from './provoke-devices.ts'
import { exportProvocations } from './provoke-export.ts'
import { lifeProvocations } from './provoke-life.ts'
import { locationProvocations } from './provoke-location.ts'
import { listProvocations } from './provoke-list.ts'
import { peopleProvocations } from './provoke-people.ts'
import { qrcodeProvocations } from './provoke-qrcode.ts'
import { signInProvocations } from './provoke-sign-in.ts'
import { stage } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

let s: Stage
/** How each refusal that a call declares comes about. */
let provocations: Provocations
beforeAll(async () => {
  s = await stage()
  provocations = {
    ...signInProvocations(s),
    ...(await peopleProvocations(s)),
    ...(await customerProvocations(s)),
    ...deviceProvocations(s),
    ...batchProvocations(s),
    ...(await lifeProvocations(s)),
    ...listProvocations(s),
    ...deviceFileProvocations(s),
    ...locationProvocations(s),
    ...exportProvocations(s),
    ...contentProvocations(s),
    ...qrcodeProvocations(s),
  }
})
afterAll(() => s.w[Symbol.asyncDispose]())

const declared = everyCall.flatMap((call) => call.errors.map((name) => `${call.path} ${name}`))

test('every refusal that a call declares has a way to come about, and no other has', () => {
  expect(Object.keys(provocations).toSorted()).toEqual(declared.toSorted())
})

describe('declared refusals', () => {
  test.each(declared)('%s', async (key) => {
    const name = key.split(' ')[1] as ErrorName
    const reply = await provocations[key]!()
    expect(reply).toMatchObject({ result: errors[name].result, status: errors[name].status })
    expect(reply.message).not.toMatch(/\{\w+\}/)
  })
})

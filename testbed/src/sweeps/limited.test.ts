import { errors } from '@mdm/contract'
import { createRole, createUser } from '@mdm/server/modules/people/account/index.ts'
import { sharedHash } from '@mdm/server/lib/shared-hash.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { demoPassword, signedIn } from '../seed.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { everyCall, features, makeThings } from './features.ts'
import { confirmPasswords } from './stage.ts'

let w: World
let limited: Caller
let inputs: Record<string, unknown>

/** Somebody who holds every permission, for the devices of one group. */
beforeAll(async () => {
  w = await world()
  await confirmPasswords(w)
  const { deps } = w.server
  const things = await makeThings(w, 0)
  const { account_kid, group_kid } = things
  const role = await createRole(deps.db, {
    account_kid,
    code: 'Limited',
    name: 'Limited',
    permissions: ['*'],
    weight: 9,
  })
  const password_hash = await sharedHash(demoPassword, deps.password_cost)
  const draft = { account_kid, type: 3, username: 'limited', name: 'Limited', password_hash } as const
  const { kid: user_kid } = await createUser(deps.db, { ...draft, role_kids: [role.kid] })
  const limit = { account_kid, user_kid, terminal_group_kid: group_kid }
  await deps.db.insertInto('terminal_group_user_manged').values(limit).execute()
  limited = await signedIn(w.url, deps, { user_kid })
  await confirmPasswords(w)
  inputs = Object.assign({}, ...Object.values(features).map((feature) => feature.inputs(things))) as typeof inputs
})
afterAll(() => w[Symbol.asyncDispose]())

const refused = everyCall.filter((call) => call.limited === 'refused')

test('there are calls that change what is everybody’s', () => {
  expect(refused.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['custom_field/delete', 'app_center/delist', 'push_task/save_setting', 'webhook/delete']),
  )
})

test.each(refused.filter(({ scope }) => scope === 'tenant'))(
  '$path is refused to who is limited to device groups',
  async (call) => {
    expect(await limited.try_(call, inputs[call.path])).toMatchObject({
      result: errors.no_permission.result,
      status: errors.no_permission.status,
    })
  },
)

import { errors, opens } from '@mdm/contract'
import type { Call, ErrorName } from '@mdm/contract'
import { createRole, createUser } from '@mdm/server/modules/people/account/index.ts'
import { sharedHash } from '@mdm/server/lib/shared-hash.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { demoPassword, signedIn } from '../seed.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { watchRows } from './changes.ts'
import type { Changes } from './changes.ts'
import { foreignCases, foreignInput, saysNotFound } from './foreign.ts'
import type { Things } from './feature.ts'
import { everyCall, features, is, makeThings } from './features.ts'
import { kinds, outside } from './kinds.ts'
import type { Kind } from './kinds.ts'
import { confirmPasswords } from './stage.ts'

let w: World
let mine: Things
let theirs: Things
let changes: Changes
type User = { call: Caller; permissions: readonly string[]; is_operator: boolean; has_entered: boolean }
const users = new Map<Kind, User>()

beforeAll(async () => {
  w = await world()
  await confirmPasswords(w)
  const { deps } = w.server
  mine = await makeThings(w, 0)
  theirs = await makeThings(w, 1)
  const customer = w.customers[0]!
  const add = async (kind: Kind, call: Caller) => {
    const { permissions, account_type, enter_kid } = await call.login.session({})
    users.set(kind, { call, permissions, is_operator: account_type === 101, has_entered: enter_kid !== null })
  }
  const addNew = async (kind: Kind, account_kid: string, type: 3 | 101, permissions: string[], group_kid?: string) => {
    const code = kind.replaceAll(' ', '')
    const role = await createRole(deps.db, { account_kid, code, name: kind, permissions, weight: 100 })
    const password_hash = await sharedHash(demoPassword, deps.password_cost)
    const draft = { account_kid, type, username: code, name: kind, password_hash }
    const user = await createUser(deps.db, { ...draft, role_kids: [role.kid] })
    const limit = { account_kid, user_kid: user.kid, terminal_group_kid: group_kid! }
    if (group_kid) await deps.db.insertInto('terminal_group_user_manged').values(limit).execute()
    await add(kind, await signedIn(w.url, deps, { user_kid: user.kid }))
    expect(users.get(kind)!.permissions.toSorted()).toEqual(permissions.toSorted())
  }
  const seeded = (kind: string) =>
    signedIn(
      w.url,
      deps,
      w.seed.customers[0]!.users.find((user) => user.kind === kind)!,
    )

  await add('operator', w.operator)
  const inside = await signedIn(w.url, deps, w.seed.operator)
  await inside.opsAccount.enter({ kid: mine.account_kid })
  await add('operator inside', inside.as({ ...inside.identity, account_kid: mine.account_kid }))
  await addNew('support without rights', w.seed.operator.account_kid, 101, ['homeIndex'])
  await add('customer', customer)
  await add('sub-account', await seeded('sub_account'))
  await add('manager', await seeded('manager'))
  await add('viewer', await seeded('viewer'))
  const wide = ['homeIndex', 'device*', 'file*', 'user*', 'webhook*', 'operationLogList']
  await addNew('manager of one group', mine.account_kid, 3, wide, mine.group_kid)
  await addNew('nobody in particular', mine.account_kid, 3, [])
  const granted = { permissions: ['device*', 'userAccountManageList'], expires_in_days: 1, may_destroy: true }
  const { token } = await customer.apiToken.insert({ name: 'Roles', ...granted })
  await add('API token', customer.as({ token }))
  await confirmPasswords(w)
  changes = await watchRows(w, theirs)
})
afterAll(() => w[Symbol.asyncDispose]())

/** Signing out would end the sweep. */
const closed = everyCall.filter((call) => call.needs !== 'public' && !is('ends_session', call))
const fieldsOf = ({ input }: Call) => Object.keys((input as { shape?: object }).shape ?? {})

/**
 * What no input takes: a list instead of fields, or, in an address, fields that are far too long. So nothing is done by
 * it, and who may not call hears no word of it.
 */
const garbageFor = (call: Call): unknown =>
  call.method === 'POST' ? ['x'] : Object.fromEntries(fieldsOf(call).map((field) => [field, 'x'.repeat(1000)]))
/** What a call answers to garbage; `done` where there is nothing to get wrong. */
type Outcome = ErrorName | 'done'

function outcomeFor(call: Call, { permissions, is_operator, has_entered }: User, kind: Kind): Outcome {
  const is_open = opens(call, permissions)
  const is_reachable = {
    ops: is_operator,
    tenant: !is_operator || has_entered,
    person: true,
  }[call.scope]
  if (!is_open || !is_reachable || (call.is_personal && kind === 'API token')) return 'no_permission'
  return call.input.safeParse(garbageFor(call)).success ? 'done' : 'bad_input'
}
const codes = (outcome: Outcome) =>
  outcome === 'done' ? { status: 200, result: 1 } : { status: errors[outcome].status, result: errors[outcome].result }

test('garbage is taken by reads without fields only', () => {
  const taking = closed.filter((call) => call.input.safeParse(garbageFor(call)).success)
  expect(taking.filter((call) => call.effect === 'write' || fieldsOf(call).length > 0)).toEqual([])
})

const known = Object.values(features).flatMap(({ open_to = {} }) => Object.entries(open_to))
test.each(known)('%s is open to those it should be', async (path, who) => {
  const call = closed.find((each) => each.path === path)!
  const open: Kind[] = []
  for (const kind of kinds) {
    const { result } = await users.get(kind)!.call.try_(call, garbageFor(call))
    if (result !== errors.no_permission.result) open.push(kind)
  }
  expect(open).toEqual(who)
})

test.each(outside)('%s reaches nothing of a tenant from outside', async (kind) => {
  const { call: who } = users.get(kind)!
  const open: string[] = []
  for (const call of closed) {
    const { result } = await who.try_(call, garbageFor(call))
    const is_of_provider = call.scope === 'ops' || is('of_provider', call)
    if (result !== errors.no_permission.result && !is_of_provider) open.push(call.path)
  }
  expect(open).toEqual(closed.filter((call) => is('open_outside', call)).map(({ path }) => path))
})

describe.each(kinds)('%s', (kind) => {
  test('gets past the door of exactly the calls that the permissions name', async () => {
    const user = users.get(kind)!
    const odd: unknown[] = []
    for (const call of closed) {
      const { status, result } = await user.call.try_(call, garbageFor(call))
      const expected = codes(outcomeFor(call, user, kind))
      if (status !== expected.status || result !== expected.result)
        odd.push({ path: call.path, status, result, expected })
    }
    expect(odd).toEqual([])
  })

  test('finds nothing of another customer, on any call, in any field', async () => {
    const { call: who } = users.get(kind)!
    await changes()
    const odd: unknown[] = []
    const begun: { at: Date; path: string }[] = []
    for (const { call, path: place } of foreignCases()) {
      const path = `${call.path} ${place.join('.')}`
      begun.push({ at: new Date(), path })
      const reply = await who.try_(call, foreignInput(mine, theirs, call.path, place).input)
      if (!saysNotFound(reply)) odd.push({ path, ...reply })
    }
    for (const { at, change } of await changes.each())
      odd.push({ path: begun.findLast((one) => one.at <= at)?.path, change })
    expect(odd).toEqual([])
  })
})

import { errors, fieldMessages, languages } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { parseInput, withoutShared } from '@mdm/server/http/mount.ts'
import { createRole, createUser } from '@mdm/server/modules/people/account/index.ts'
import { Refusal } from '@mdm/server/refusal.ts'
import { sharedHash } from '@mdm/server/lib/shared-hash.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryOf } from '../caller.ts'
import type { Caller } from '../caller.ts'
import { demoPassword, signedIn } from '../seed.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { watchRows } from './changes.ts'
import type { Changes } from './changes.ts'
import { foreignCases, foreignInput, saysNotFound } from './foreign.ts'
import type { Things } from './feature.ts'
import { everyCall, is, makeThings, validInput } from './features.ts'
import { pathsIn, replaced } from './paths.ts'
import { confirmPasswords } from './stage.ts'

let w: World
let mine: Things
let theirs: Things
let powerless: Caller

beforeAll(async () => {
  w = await world()
  await confirmPasswords(w)
  mine = await makeThings(w, 0)
  theirs = await makeThings(w, 1)
  const { account_kid } = w.seed.customers[0]!
  const role = await createRole(w.server.deps.db, {
    account_kid,
    code: 'powerless',
    name: 'Powerless',
    permissions: ['homeIndex'],
  })
  const user = await createUser(w.server.deps.db, {
    account_kid,
    type: 3,
    username: 'powerless',
    name: 'Powerless',
    password_hash: await sharedHash(demoPassword, w.server.deps.password_cost),
    role_kids: [role.kid],
  })
  powerless = await signedIn(w.url, w.server.deps, { user_kid: user.kid })
})
afterAll(() => w[Symbol.asyncDispose]())

test('the valid input of every call parses', () => {
  expect(everyCall.filter((c) => !c.input.safeParse(validInput(mine, c.path)).success).map((c) => c.path)).toEqual([])
})

describe('who may call', () => {
  const closed = everyCall.filter((c) => c.needs !== 'public')
  test.each(closed.map((c) => [c.path, c] as const))('%s refuses a stranger', async (path, call) => {
    const reply = await w.anonymous.try_(call, validInput(mine, path))
    expect(reply).toMatchObject({ status: 401, result: 401 })
    const forged = await w.anonymous.as({ token: 'f'.repeat(64) }).try_(call, validInput(mine, path))
    expect(forged).toMatchObject({ status: 401, result: 401 })
  })

  const guarded = closed.filter((c) => c.needs !== 'signed_in' || c.needs_for !== undefined)
  test.each(guarded.map((c) => [c.path, c] as const))(
    '%s refuses a role without its permission',
    async (path, call) => {
      const reply = await powerless.try_(call, validInput(mine, path))
      expect(reply).toMatchObject({ status: 403, result: 403 })
    },
  )

  const operators = everyCall.filter((c) => c.scope === 'ops' && !is('open_to_all', c))
  test.each(operators.map((c) => [c.path, c] as const))(
    '%s refuses a customer, whatever its permissions',
    async (path, call) => {
      expect(await w.customers[0]!.try_(call, validInput(mine, path))).toMatchObject({ status: 403, result: 403 })
    },
  )
})

describe('the provider is no tenant', () => {
  let changes: Changes
  beforeAll(async () => {
    changes = await watchRows(w, { ...mine, account_kid: w.seed.operator.account_kid })
  })
  const tenants = everyCall.filter((c) => c.scope === 'tenant')
  test.each(tenants.map((c) => [c.path, c] as const))(
    '%s refuses an operator who has entered no customer, and does nothing',
    async (path, call) => {
      expect(await w.operator.try_(call, validInput(mine, path))).toMatchObject({ status: 403, result: 403 })
      expect(await changes()).toEqual([])
    },
  )
})

describe('another tenant', () => {
  let changes: Changes
  beforeAll(async () => {
    changes = await watchRows(w, theirs)
  })

  test('what is done in their account is noticed: a row that is added, changed or deleted', async () => {
    const { customField } = w.customers[1]!
    const { kid } = await customField.insert({ name: 'Noticed', kind: 'text' })
    const row = (sign: string, name: string) =>
      expect.stringMatching(`^\\${sign} custom_field .*"${kid}".*"${name}"`) as string
    expect(await changes()).toEqual([row('+', 'Noticed')])
    await customField.update({ kid, name: 'Noticed again', kind: 'text' })
    expect(await changes()).toEqual([row('-', 'Noticed'), row('+', 'Noticed again')])
    await customField.delete({ kid })
    expect(await changes()).toEqual([row('-', 'Noticed again')])
    // What was put back is no change in the end, and was one nevertheless.
    const brief = await customField.insert({ name: 'Brief', kind: 'text' })
    await customField.delete({ kid: brief.kid })
    const at = expect.any(Date) as Date
    const text = expect.stringMatching(/^custom_field .*"Brief"/) as string
    expect(await changes.each()).toEqual([
      { at, change: ['', text] },
      { at, change: [text, ''] },
    ])
  })

  const cases = foreignCases().map(({ call, path }) => [`${call.path} ${path.join('.')}`, call, path] as const)

  test.each(cases)('%s: a foreign id is not found, and nothing of theirs is read or changed', async (_, call, path) => {
    const { foreign, input } = foreignInput(mine, theirs, call.path, path)
    const reply = await w.customers[0]!.try_(call, input)
    const theirSecrets = Object.values(theirs).filter((kid) => typeof kid === 'string' && kid !== foreign) as string[]
    expect(theirSecrets.filter((kid) => JSON.stringify(reply.data).includes(kid))).toEqual([])
    expect(saysNotFound(reply)).toBe(true)
    expect(await changes()).toEqual([])
  })

  test.each(everyCall.filter((c) => c.needs !== 'public').map((c) => [c.path, c] as const))(
    '%s refuses a foreign account_kid',
    async (path, call) => {
      if (is('ends_session', call) || is('open_to_all', call)) return
      const stranger = w.customers[0]!.as({ ...w.customers[0]!.identity, account_kid: theirs.account_kid })
      expect(await stranger.try_(call, validInput(mine, path))).toMatchObject({ status: 403, result: 403 })
    },
  )
})

describe('garbage', () => {
  const strange: unknown[] = [
    null,
    '',
    'x'.repeat(5000),
    -1,
    1e308,
    true,
    [],
    {},
    ['a', { b: 1 }],
    { $gt: '' },
    "'; DROP TABLE terminal; --",
    '%',
    '\u0000',
    '../../etc/passwd',
    '\ud800',
    { __proto__: { x: 1 }, constructor: 1 },
  ]
  /** As the server reads it from the wire. */
  const received = (call: Call, input: unknown): unknown =>
    call.method === 'GET'
      ? withoutShared(Object.fromEntries(new URLSearchParams(queryOf(input))))
      : JSON.parse(JSON.stringify(input))

  /** Whether the call's schema takes an input; what it does not take is refused in words, in every language. */
  function isTaken(call: Call, input: unknown): boolean {
    try {
      parseInput(call, received(call, input))
      return true
    } catch (error) {
      if (!(error instanceof Refusal) || error.refusal !== 'bad_input') throw error
      for (const language of languages) fieldMessages(error.fields ?? {}, language)
      return false
    }
  }

  test.each(everyCall.filter((c) => !is('ends_session', c)).map((c) => [c.path, c] as const))(
    '%s never answers garbage with an internal error',
    async (path, call) => {
      const who = call.scope === 'ops' ? w.operator : w.customers[0]!
      const valid = validInput(mine, path)
      const places = pathsIn(valid)
      const inputs = [
        ...strange.filter((s) => s !== null && typeof s === 'object'),
        ...places.flatMap((at) => strange.map((value) => replaced(valid, at, value))),
      ]
      // What the schema refuses reaches nothing but the operation log: one of them, with all that is strange in it, shows that.
      const everything = places[0] ? replaced(valid, places[0], strange) : strange
      for (const input of [everything, ...inputs.filter((each) => isTaken(call, each))]) {
        // What would delete or end something on purpose is tried elsewhere.
        if (is('destructive', call) && isTaken(call, input)) continue
        const reply = await who.try_(call, input)
        expect(reply.status, JSON.stringify(input)).toBeLessThan(500)
        expect(reply.message === '' ? 1 : reply.result).not.toBe(500)
      }
    },
  )
})

describe('the operation log', () => {
  const writes = everyCall.filter((c) => c.effect === 'write' && !c.is_unlogged && !is('unattributed', c))
  test.each(writes.map((c) => [c.path, c] as const))(
    '%s leaves exactly one row, refused or not, without secrets',
    async (path, call) => {
      const who = call.scope === 'ops' ? w.operator : w.customers[0]!
      const count = async () =>
        Number(
          (
            await w.server.deps.db
              .selectFrom('operation_log')
              .select((eb) => eb.fn.countAll().as('n'))
              .executeTakeFirstOrThrow()
          ).n,
        )
      const before = await count()
      const reply = await who.try_(call, { ...validInput(mine, path), confirm: 'no' })
      // Whoever is not signed in any more would prove nothing here.
      expect(reply.status).not.toBe(401)
      // What asks for the password first is sent again with it: that one is the act.
      if (reply.result === errors.password_required.result) return expect(await count()).toBe(before)
      expect(await count()).toBe(before + 1)
      const rows = await w.server.deps.db
        .selectFrom('operation_log')
        .selectAll()
        .orderBy('created_at', 'desc')
        .limit(1)
        .execute()
      expect(JSON.stringify(rows)).not.toContain(who.identity.token!)
    },
  )
})

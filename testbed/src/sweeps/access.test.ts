import { createRole, createUser } from '@mdm/server/modules/account/service.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { demoPassword, signedIn } from '../seed.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { foreignCases, foreignInput, rowsOf, saysNotFound } from './foreign.ts'
import { confirmPasswords, everyCall, makeThings, pathsIn, replaced, validInputs } from './inputs.ts'
import type { Things } from './inputs.ts'

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
    password: demoPassword,
    role_kids: [role.kid],
  })
  powerless = await signedIn(w.url, w.server.deps, { user_kid: user.kid })
})
afterAll(() => w[Symbol.asyncDispose]())

test('there is a valid input for every call, and it parses', () => {
  const inputs = validInputs(mine)
  expect(everyCall.map((c) => c.path).filter((path) => !inputs[path])).toEqual([])
  expect(everyCall.filter((c) => !c.input.safeParse(inputs[c.path]).success).map((c) => c.path)).toEqual([])
})

describe('who may call', () => {
  const closed = everyCall.filter((c) => c.needs !== 'public')
  test.each(closed.map((c) => [c.path, c] as const))('%s refuses a stranger', async (path, call) => {
    const reply = await w.anonymous.try_(call, validInputs(mine)[path])
    expect(reply).toMatchObject({ status: 401, result: 401 })
    const forged = await w.anonymous.as({ token: 'f'.repeat(64) }).try_(call, validInputs(mine)[path])
    expect(forged).toMatchObject({ status: 401, result: 401 })
  })

  const guarded = closed.filter((c) => c.needs !== 'signed_in' || c.needs_for !== undefined)
  test.each(guarded.map((c) => [c.path, c] as const))(
    '%s refuses a role without its permission',
    async (path, call) => {
      const reply = await powerless.try_(call, validInputs(mine)[path])
      expect(reply).toMatchObject({ status: 403, result: 403 })
    },
  )

  const operators = everyCall.filter((c) => c.scope === 'ops' && c.path !== 'ops/account/leave')
  test.each(operators.map((c) => [c.path, c] as const))(
    '%s refuses a customer, whatever its permissions',
    async (path, call) => {
      expect(await w.customers[0]!.try_(call, validInputs(mine)[path])).toMatchObject({ status: 403, result: 403 })
    },
  )
})

describe('the provider is no tenant', () => {
  const provider = () => ({ ...mine, account_kid: w.seed.operator.account_kid })
  const tenants = everyCall.filter((c) => c.scope === 'tenant')
  test.each(tenants.map((c) => [c.path, c] as const))(
    '%s refuses an operator who has entered no customer, and does nothing',
    async (path, call) => {
      const before = await rowsOf(w, provider())
      expect(await w.operator.try_(call, validInputs(mine)[path])).toMatchObject({ status: 403, result: 403 })
      expect(await rowsOf(w, provider())).toBe(before)
    },
  )
})

describe('another tenant', () => {
  const cases = foreignCases().map(({ call, path }) => [`${call.path} ${path.join('.')}`, call, path] as const)

  test.each(cases)('%s: a foreign id is not found, and nothing of theirs is read or changed', async (_, call, path) => {
    const { foreign, input } = foreignInput(mine, theirs, call.path, path)
    const before = await rowsOf(w, theirs)
    const reply = await w.customers[0]!.try_(call, input)
    const theirSecrets = Object.values(theirs).filter((kid) => typeof kid === 'string' && kid !== foreign) as string[]
    expect(theirSecrets.filter((kid) => JSON.stringify(reply.data).includes(kid))).toEqual([])
    expect(saysNotFound(reply)).toBe(true)
    expect(await rowsOf(w, theirs)).toBe(before)
  })

  test.each(everyCall.filter((c) => c.needs !== 'public').map((c) => [c.path, c] as const))(
    '%s refuses a foreign account_kid',
    async (path, call) => {
      if (path === 'login/logout' || path === 'ops/account/leave') return
      const stranger = w.customers[0]!.as({ ...w.customers[0]!.identity, account_kid: theirs.account_kid })
      expect(await stranger.try_(call, validInputs(mine)[path])).toMatchObject({ status: 403, result: 403 })
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
  test.each(everyCall.filter((c) => c.path !== 'login/logout').map((c) => [c.path, c] as const))(
    '%s never answers garbage with an internal error',
    async (path, call) => {
      const who = call.scope === 'ops' ? w.operator : w.customers[0]!
      const valid = validInputs(mine)[path]!
      const inputs = [
        ...strange.filter((s) => s !== null && typeof s === 'object'),
        ...pathsIn(valid).flatMap((at) => strange.map((value) => replaced(valid, at, value))),
      ]
      for (const input of inputs) {
        // What would delete or end something on purpose is tried elsewhere.
        if (
          /delete|batch_cancel|batch_scrap|renew_secret|enter|end_|set_status|password|totp_disable/.test(path) &&
          call.input.safeParse(input).success
        )
          continue
        const reply = await who.try_(call, input)
        expect(reply.status, JSON.stringify(input)).toBeLessThan(500)
        expect(reply.message === '' ? 1 : reply.result).not.toBe(500)
      }
    },
  )
})

describe('the operation log', () => {
  /** Who signs out is gone afterwards; a stranger's token says nothing of whom it would have been. */
  const unattributed = new Set(['login/logout', 'login/totp', 'login/exchange'])
  const writes = everyCall.filter((c) => c.effect === 'write' && !c.is_unlogged && !unattributed.has(c.path))
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
      const reply = await who.try_(call, {
        ...validInputs(mine)[path],
        kid: path.startsWith('ops/client_code') ? mine.log_kid : (validInputs(mine)[path] as { kid?: string }).kid,
        confirm: 'no',
      })
      // Whoever is not signed in any more would prove nothing here.
      expect(reply.status).not.toBe(401)
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

import { constants, contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { clientHash } from '../../../lib/passwords.ts'
import { createAccount, createRole } from '../account/index.ts'
import { endSessions } from '../login/index.ts'
import { confirm } from '../../../testing/sign-in.ts'

const api = contract.apiToken.calls
const { session, logout } = contract.login.calls
const account = contract.account.calls
const groups = contract.terminalGroup.calls
const opsAccount = contract.opsAccount.calls
const second = 1_000
const day = 24 * 3_600_000

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

let made = 0
async function create(as: As, permissions: string[], more: { expires_in_days?: number; may_destroy?: boolean } = {}) {
  await confirm(o, as)
  const reply = await o.call(api.insert, { name: `token ${made++}`, permissions, expires_in_days: 30, ...more }, as)
  return { ...reply, ...reply.data }
}
const who = async (token: string, account_kid?: string) =>
  o.call(session, {}, account_kid === undefined ? { token } : { token, account_kid })
const isAlive = async (token: string) => (await who(token)).result === 1

describe('a token', () => {
  it('is made with the password, shown once and kept as a hash', async () => {
    const person = await o.person(3, o.acme.kid, 'maker', ['deviceList*'])
    const input = { name: 'Backup', permissions: ['deviceList'], expires_in_days: 1 }
    expect((await o.call(api.insert, input, person)).result).toBe(41021)
    await confirm(o, person)
    const { token, kid } = (await o.call(api.insert, input, person)).data
    expect(token).toMatch(/^mdm_[0-9a-f]{64}$/)
    expect((await o.call(api.list, {}, person)).data).toEqual([
      {
        kid,
        name: 'Backup',
        prefix: token.slice(0, 12),
        permissions: ['deviceList'],
        may_destroy: false,
        created_at: o.deps.clock.now().toISOString(),
        expires_at: new Date(o.deps.clock.now().getTime() + day).toISOString(),
        last_use_at: null,
        last_address: null,
      },
    ])
    const kept = [
      await o.deps.db.selectFrom('api_token').selectAll().execute(),
      await o.deps.db.selectFrom('operation_log').selectAll().execute(),
    ]
    expect(JSON.stringify(kept)).not.toContain(token.slice(12))
    expect((await o.call(api.insert, { ...input, name: 'BACKUP' }, person)).result).toBe(44001)
    expect((await o.call(api.list, {}, o.acme_root)).data).toEqual([])
  })

  it('is taken from the header only', async () => {
    const { token } = await create(o.acme_root, ['deviceList'])
    expect((await who(token)).data).toMatchObject({ username: 'acme', account_kid: o.acme.kid })
    const inAddress = await o.app.inject({ url: `/api/login/session?AccessToken=${token}` })
    expect(inAddress.statusCode).toBe(401)
    for (const bad of [token.slice(4), `${token}0`, token.toUpperCase(), `mdm_${'0'.repeat(64)}`])
      expect((await who(bad)).status).toBe(401)
  })

  it('grants nothing that its maker does not hold', async () => {
    const person = await o.person(3, o.acme.kid, 'modest', ['deviceList*'])
    const wide = await create(person, ['deviceList', '*', 'homeIndex'])
    expect(wide).toMatchObject({ result: 41042, message: expect.stringContaining('*, homeIndex') as string })
    expect((await create(person, ['deviceList:*'])).result).toBe(1)
  })

  it('is one of fifty at most, also when many are made at once', async () => {
    const person = await o.person(3, o.acme.kid, 'collector', ['deviceList'])
    await confirm(o, person)
    const replies = await Promise.all(
      Array.from({ length: 55 }, (_, i) =>
        o.call(api.insert, { name: `many ${i}`, permissions: ['deviceList'], expires_in_days: 1 }, person),
      ),
    )
    expect(replies.filter((reply) => reply.result === 1)).toHaveLength(constants.api_tokens_max)
    expect(replies.filter((reply) => reply.result === 41061)).toHaveLength(5)
  })
})

describe('what a token may', () => {
  it('is what it was granted and its owner holds now', async () => {
    const person = await o.person(3, o.acme.kid, 'narrowing', ['deviceList*', 'homeIndex'])
    const { token } = await create(person, ['deviceList*'])
    expect((await who(token)).data.permissions).toEqual(['deviceList*'])
    const setRole = async (permissions: string[]) => {
      await o.deps.db.updateTable('role').set({ permissions }).where('code', '=', 'narrowing').execute()
      await endSessions(o.deps, person.kid)
      await o.deps.clock.advance(second)
    }
    await setRole(['deviceList:*', 'homeIndex'])
    expect((await who(token)).data.permissions).not.toContain('deviceList')
    expect((await o.call(groups.list_with_child, {}, { token })).status).toBe(403)
    await setRole(['*'])
    expect((await who(token)).data.permissions).toEqual(['deviceList*'])
    expect((await o.call(groups.list_with_child, {}, { token })).result).toBe(1)
  })

  it('is nothing personal, and the password only when it may destroy', async () => {
    const plain = await create(o.operator, ['*'])
    const strong = await create(o.operator, ['*'], { may_destroy: true })
    for (const { token } of [plain, strong]) {
      for (const call of [api.list, account.list_session, account.end_other_sessions, account.totp_begin, logout])
        expect((await o.call(call, {} as never, { token })).status).toBe(403)
      const password = clientHash('x')
      expect((await o.call(contract.login.calls.confirm_password, { password }, { token })).status).toBe(403)
      expect((await o.call(account.info, {}, { token })).result).toBe(1)
    }
    const disable = {
      kid: (await createAccount(o.deps.db, { type: 1, name: 'To disable' })).kid,
      status: 'invalid',
    } as const
    expect((await o.call(opsAccount.set_status, disable, { token: plain.token })).result).toBe(41021)
    expect((await o.call(opsAccount.set_status, disable, { token: strong.token })).result).toBe(1)
  })

  it('is for the accounts of its owner', async () => {
    const { token } = await create(o.acme_root, ['deviceList'])
    expect((await who(token, o.acme_sub.kid)).data.account_kid).toBe(o.acme_sub.kid)
    expect((await who(token, o.globex.kid)).status).toBe(403)
    const person = await create(o.acme_person, ['deviceList'])
    expect((await who(person.token, o.acme_sub.kid)).status).toBe(403)
  })

  it('of an operator who may enter is for every customer that can be entered, without entering', async () => {
    const { token } = await create(o.operator, ['*'])
    expect((await who(token)).data).toMatchObject({ account_kid: o.provider.kid, enter_kid: null })
    for (const kid of [o.acme.kid, o.globex.kid, o.acme_sub.kid])
      expect((await who(token, kid)).data).toMatchObject({ account_kid: kid, enter_kid: kid })
    const init = await createAccount(o.deps.db, { type: 1, name: 'Init', status: 'init' })
    expect((await who(token, init.kid)).result).toBe(1)
    const gone = await createAccount(o.deps.db, { type: 1, name: 'Gone', status: 'invalid' })
    expect((await who(token, gone.kid)).result).toBe(41003)
    const without = await create(o.operator, ['deviceList', 'externalUserManageList'])
    expect((await who(without.token, o.acme.kid)).status).toBe(403)
    expect((await who(o.operator.token, o.acme.kid)).status).toBe(403)
  })
})

describe('a token ends', () => {
  it('when it is revoked, by its owner only', async () => {
    const { token, kid } = await create(o.acme_root, ['deviceList'])
    expect((await o.call(api.delete, { kid }, o.globex_root)).status).toBe(404)
    expect(await isAlive(token)).toBe(true)
    expect((await o.call(api.delete, { kid }, o.acme_root)).result).toBe(1)
    expect(await isAlive(token)).toBe(false)
    expect((await o.call(api.delete, { kid }, o.acme_root)).status).toBe(404)
  })

  it('when its owner is disabled or the account expires, and works again after', async () => {
    const { kid: account_kid } = await createAccount(o.deps.db, { type: 1, name: 'Coming and going' })
    const person = await o.person(1, account_kid, 'coming', ['deviceList'])
    const { token } = await create(person, ['deviceList'])
    const user = (status: 'invalid' | 'normal') =>
      o.deps.db.updateTable('user_account').set({ status }).where('kid', '=', person.kid).execute()
    const expire = (expire_time: Date | null) =>
      o.deps.db.updateTable('account').set({ expire_time }).where('kid', '=', account_kid).execute()
    const steps: [() => Promise<unknown>, boolean][] = [
      [() => user('invalid'), false],
      [() => user('normal'), true],
      [() => expire(o.deps.clock.now()), false],
      [() => expire(null), true],
    ]
    for (const [change, expected] of steps) {
      await change()
      await o.deps.clock.advance(second)
      expect(await isAlive(token)).toBe(expected)
    }
  })

  it('at its time; not when it lies idle, the password or the roles change', async () => {
    const person = await o.person(3, o.acme.kid, 'idle', ['deviceList'])
    const { token } = await create(person, ['deviceList'], { expires_in_days: 3 })
    await o.deps.clock.advance(2 * day)
    expect(await isAlive(token)).toBe(true)
    const role = await createRole(o.deps.db, {
      account_kid: o.acme.kid,
      code: 'more',
      name: 'more',
      permissions: ['*'],
    })
    await o.deps.db.insertInto('user_role').values({ user_kid: person.kid, role_kid: role.kid }).execute()
    await endSessions(o.deps, person.kid)
    expect(await isAlive(token)).toBe(true)
    await o.deps.clock.advance(day - second)
    expect(await isAlive(token)).toBe(true)
    await o.deps.clock.advance(second)
    expect(await isAlive(token)).toBe(false)
  })
})

it('the use is noted at most once a minute, with its address', async () => {
  const person = await o.person(3, o.globex.kid, 'noted', ['deviceList'])
  const { token, kid } = await create(person, ['deviceList'])
  const use = async (address: string) => {
    await o.call(session, {}, { token, address })
    const row = await o.deps.db
      .selectFrom('api_token')
      .select(['last_use_at', 'last_address'])
      .where('kid', '=', kid)
      .executeTakeFirstOrThrow()
    return [row.last_use_at?.getTime(), row.last_address]
  }
  const at = o.deps.clock.now().getTime()
  expect(await use('203.0.113.1')).toEqual([at, '203.0.113.1'])
  await o.deps.clock.advance(59 * second)
  expect(await use('203.0.113.2')).toEqual([at, '203.0.113.1'])
  await o.deps.clock.advance(second)
  expect(await use('203.0.113.2')).toEqual([at + 60 * second, '203.0.113.2'])
})

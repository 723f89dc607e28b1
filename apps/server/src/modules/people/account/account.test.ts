import { constants, contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi, testPassword } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { clientHash, noPassword, passwordProblems, verifyPassword } from '../../../lib/passwords.ts'
import { testDeps } from '../../../testing/deps.ts'
import { ensureProvider } from './bootstrap.ts'
import { createAccount, createRole, createUser } from './service.ts'

const account = contract.account.calls

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

describe('the first start', () => {
  it('makes one operator, whose password is told once, however many servers start', async () => {
    const deps = await testDeps()
    const made = await Promise.all([ensureProvider(deps), ensureProvider(deps), ensureProvider(deps)])
    const told = made.filter((one) => one !== undefined)
    expect(told).toHaveLength(1)
    expect(told[0]!.username).toBe('admin')
    expect(passwordProblems(told[0]!.password)).toEqual([])
    expect(await ensureProvider(deps)).toBeUndefined()
    const users = await deps.db
      .selectFrom('user_account as u')
      .innerJoin('user_role as ur', 'ur.user_kid', 'u.kid')
      .innerJoin('role as r', 'r.kid', 'ur.role_kid')
      .select(['u.type', 'u.password_hash', 'r.permissions'])
      .execute()
    expect(users).toMatchObject([{ type: 101, permissions: ['*'] }])
    const { is_right } = await verifyPassword(clientHash(told[0]!.password), users[0]!.password_hash)
    expect(is_right).toBe(true)
    await deps.close()
  })

  it('refuses a second user or role of the same name', async () => {
    const { kid: account_kid } = await createAccount(o.deps.db, { type: 1, name: 'Twice' })
    const user = { type: 3 as const, account_kid, name: 'x', password_hash: noPassword }
    await createUser(o.deps.db, { ...user, username: 'twice' })
    await expect(createUser(o.deps.db, { ...user, username: 'TWICE' })).rejects.toMatchObject({
      refusal: 'duplicate_login_name',
    })
    const role = { account_kid, code: 'r', name: 'r', permissions: [] }
    await createRole(o.deps.db, role)
    await expect(createRole(o.deps.db, role)).rejects.toMatchObject({ refusal: 'duplicate_role' })
  })
})

describe('the own account', () => {
  it('is shown with its person and roles, and keeps preferences', async () => {
    const info = async () => (await o.call(account.info, {}, o.acme_person)).data
    expect(await info()).toMatchObject({
      enterprise_kid: o.acme.kid,
      organization_kid: o.acme.kid,
      account_details: { name: 'Acme', type: 1, parent_kid: null, terminal_max: 100, expire_time: null },
      username: 'acme.person',
      type: 3,
      roles: ['acme.person'],
      language: null,
      zone_id: null,
      map_type: null,
    })
    const save = (input: object) => o.call(account.save_preferences, input, o.acme_person)
    expect((await save({ language: 'vi', zone_id: 'Asia/Ho_Chi_Minh' })).result).toBe(1)
    expect((await save({ map_type: '2' })).result).toBe(1)
    expect((await save({})).result).toBe(1)
    expect(await info()).toMatchObject({ language: 'vi', zone_id: 'Asia/Ho_Chi_Minh', map_type: '2' })
    for (const bad of [{ zone_id: 'Mars/Olympus' }, { language: 'xx' }, { map_type: 2 }])
      expect((await save(bad)).result).toBe(10000)
  })
})

describe('the quota', () => {
  const check = (input: object, as: Parameters<TestApi['call']>[2] = o.acme_root) =>
    o.call(account.check_inventory, input, as)

  it('of a root leaves out what its sub-accounts were given', async () => {
    expect((await check({ num: 70 })).data).toEqual({
      terminal_max: 100,
      terminal_count: 0,
      given: 30,
      remaining: 70,
      is_enough: true,
    })
    expect((await check({ num: 71 })).data.is_enough).toBe(false)
    expect((await check({ src_kid: o.acme_sub.kid })).data).toMatchObject({ terminal_max: 30, remaining: 30 })
    expect((await check({ parent_kid: o.acme.kid, src_kid: o.acme_sub.kid })).data.remaining).toBe(100)
  })

  it('of a sub-account is never more than the parent has', async () => {
    await o.deps.db.updateTable('account').set({ terminal_max: 20 }).where('kid', '=', o.acme.kid).execute()
    expect((await check({ src_kid: o.acme_sub.kid })).data.remaining).toBe(20)
    expect((await check({})).data.remaining).toBe(0)
    const terminal_max = constants.unlimited_devices
    await o.deps.db.updateTable('account').set({ terminal_max }).where('kid', '=', o.acme.kid).execute()
    expect((await check({ num: 1_000_000 })).data.is_enough).toBe(true)
  })

  it('of someone else does not exist', async () => {
    for (const kid of [o.globex.kid, o.provider.kid, newKid()]) {
      expect((await check({ src_kid: kid })).status).toBe(404)
      expect((await check({ parent_kid: kid })).status).toBe(404)
    }
    expect((await check({ src_kid: o.acme.kid }, o.globex_root)).status).toBe(404)
    expect((await check({ num: -1 })).result).toBe(10000)
  })
})

describe('the account', () => {
  it('that a customer, a sub-account or a person belongs to is said with each of them', async () => {
    const { opsAccount, subAccount, userAccount, opsInsideUser } = contract
    const boss = await o.person(1, o.acme.kid, 'acme.boss', ['*'])
    const acme = {
      organization_kid: o.acme.kid,
      enterprise_kid: o.acme.kid,
      account_details: { name: 'Acme', type: 1 },
    }
    expect((await o.call(opsAccount.calls.get, { kid: o.acme.kid }, o.operator)).data).toMatchObject(acme)
    expect((await o.call(userAccount.calls.get, { kid: o.acme_person.kid }, boss)).data).toMatchObject(acme)
    const inside = (await o.call(opsInsideUser.calls.get, { kid: o.operator.kid }, o.operator)).data
    expect(inside).toMatchObject({ enterprise_kid: o.provider.kid, account_details: { name: 'Provider', type: 101 } })
    await o.deps.db.updateTable('account').set({ sub_accounts_allowed: true }).where('kid', '=', o.acme.kid).execute()
    const draft = {
      username: 'acme.below',
      name: 'Below',
      password: clientHash(testPassword),
      terminal_max: 1,
      permissions: [],
    }
    const { kid } = (await o.call(subAccount.calls.insert, draft, boss)).data
    const below = { organization_kid: o.acme.kid, enterprise_kid: kid, account_details: { parent_kid: o.acme.kid } }
    expect((await o.call(subAccount.calls.get, { kid }, boss)).data).toMatchObject(below)
  })
})

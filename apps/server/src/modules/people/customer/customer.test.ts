import { constants, contract, permissions } from '@mdm/contract'
import type { Sent } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi, testPassword } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { clientHash, verifyPassword } from '../../../lib/passwords.ts'
import { createAccount, createRole } from '../account/index.ts'
import { createSession } from '../login/index.ts'
import { addTerminal } from '../../../testing/devices.ts'

const calls = contract.opsAccount.calls
const { session, logout } = contract.login.calls
type Draft = Sent<typeof calls.insert>

let o: TestApi
let n = 0
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const as = async () => {
  // Acts that ask for the password again are asked for one that was just given.
  await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
  await o.deps.clock.advance(1_001)
  return o.operator
}
const draft = (more: Partial<Draft> = {}): Draft => {
  n += 1
  return {
    username: `customer-${n}`,
    password: clientHash(testPassword),
    name: `Customer ${n}`,
    terminal_max: 10,
    ...more,
  }
}
const insert = async (more: Partial<Draft> = {}) => o.call(calls.insert, draft(more), await as())
const made = async (more: Partial<Draft> = {}) => {
  const reply = await insert(more)
  expect(reply).toMatchObject({ result: 1 })
  return { ...reply.data, username: `customer-${n}`, name: `Customer ${n}` }
}
const get = async (kid: string) => (await o.call(calls.get, { kid }, o.operator)).data
const update = async (kid: string, more: Partial<Sent<typeof calls.update>> = {}) => {
  const { name, organization_name, phone, email, wechat, remark, ...rest } = await get(kid)
  const { terminal_max, user_max, expire_time, sub_accounts_allowed, fae_kid, permissions: held } = rest
  const kept = { name, organization_name, phone, email, wechat, remark, terminal_max, user_max, expire_time }
  return o.call(calls.update, { kid, ...kept, sub_accounts_allowed, fae_kid, permissions: held, ...more }, await as())
}
const tokenOf = (user_kid: string) => createSession(o.deps, user_kid, { address: '192.0.2.9', user_agent: 'test' })
const lives = async (token: string) => {
  await o.deps.clock.advance(1_001)
  return (await o.call(session, {}, { token })).result === 1
}
/** A sub-account with a share, put there directly. */
const below = (parent_kid: string, name: string, terminal_max: number) =>
  createAccount(o.deps.db, { type: 2, parent_kid, name, terminal_max })

describe('customers', () => {
  const rows = async (input: Sent<typeof calls.paging>) => (await o.call(calls.paging, input, o.operator)).data

  it('are listed with what may be done, sorted, searched and paged', async () => {
    const past = new Date('2020-01-01T00:00:00Z')
    const soon = new Date('2026-02-01T00:00:00Z')
    const at = (name: string, more: object) => createAccount(o.deps.db, { type: 1, name: `Paged ${name}`, ...more })
    await at('a', { expire_time: soon, organization_name: 'Pa_ged Holding' })
    await at('B', { expire_time: past })
    await at('c', { status: 'invalid' })
    const above = await at('d', { expire_time: past })
    await at('e', { type: 2, parent_kid: above.kid })
    await at('f', { status: 'init' })
    const all = await rows({ text: 'paged', sort: 'name' })
    expect(all.items.map((row) => [row.name.slice(6), row.state, row.is_expired, row.can])).toEqual([
      ['a', 'normal', false, ['enter', 'disable', 'renew']],
      ['B', 'invalid', true, ['disable', 'renew']],
      ['c', 'invalid', false, ['enable', 'renew']],
      ['d', 'invalid', true, ['disable', 'renew']],
      ['e', 'invalid', true, ['disable', 'renew']],
      ['f', 'init', false, ['enter', 'disable', 'renew']],
    ])
    expect(all).toMatchObject({ total: 6, total_is_exact: true, next: null })
    expect((await rows({ text: 'pa_ged h' })).items.map((row) => row.name)).toEqual(['Paged a'])
    expect((await rows({ text: 'paged', state: 'invalid' })).total).toBe(4)
    expect((await rows({ text: 'paged', state: 'init' })).total).toBe(1)
    expect((await rows({ text: 'paged', type: 2 })).items.map((row) => row.name)).toEqual(['Paged e'])
    const ends = await rows({ text: 'paged', expires_within_days: 30, sort: 'name' })
    expect(ends.items.map((row) => row.name.slice(6))).toEqual(['a', 'B', 'd'])
    expect((await rows({ text: 'paged', expires_within_days: 0 })).total).toBe(2)
    expect((await rows({ text: 'ACME.PERSON' })).items).toEqual([])
    const acme = await rows({ text: 'acme', sort: 'username' })
    expect(acme.items.map((row) => [row.username, row.user_count])).toEqual([
      ['acme', 1],
      ['', 0],
    ])

    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await rows({ text: 'paged', sort: 'expire_time', page_size: 2, ...(after ? { after } : {}) })
      seen.push(...page.items.map((row) => row.name.slice(6)))
      after = page.next ?? undefined
    } while (after)
    expect(seen.slice(0, 3).toSorted()).toEqual(['B', 'a', 'd'].toSorted())
    expect(seen.toSorted()).toEqual(['B', 'a', 'c', 'd', 'e', 'f'].toSorted())
  })

  it('never include the provider itself, which nobody edits here either', async () => {
    expect((await rows({ text: 'provider' })).items).toEqual([])
    const { kid } = o.provider
    for (const reply of [
      await o.call(calls.get, { kid }, o.operator),
      await o.call(calls.set_status, { kid, status: 'invalid' }, await as()),
      await o.call(calls.renew, { kid, expire_time: null }, o.operator),
      await o.call(calls.update, { ...draft(), kid, password: null }, o.operator),
      await o.call(calls.reset_totp, { kid }, await as()),
    ])
      expect(reply.status).toBe(404)
  })

  it.each(['name', 'username', 'expire_time', 'terminal_count', 'last_use_at', 'created_at'] as const)(
    'sort by %s',
    async (sort) => {
      for (const order of ['asc', 'desc'] as const) {
        const first = await rows({ sort, order, page_size: 3 })
        const second = await rows({ sort, order, page_size: 200, after: first.next! })
        const kids = [...first.items, ...second.items].map((row) => row.kid)
        expect(new Set(kids).size).toBe(kids.length)
        expect(kids).toHaveLength(first.total)
      }
    },
  )

  it('are for operators only', async () => {
    expect((await o.call(calls.paging, {}, o.acme_root)).status).toBe(403)
    const viewer = await o.person(101, o.provider.kid, 'viewer', ['externalUserManageList'])
    expect((await o.call(calls.paging, {}, viewer)).result).toBe(1)
    expect((await o.call(calls.insert, draft(), viewer)).status).toBe(403)
    expect((await o.call(calls.renew, { kid: o.acme.kid, expire_time: null }, viewer)).status).toBe(403)
  })
})

describe('a new customer', () => {
  it('has an administrator role, a root login and space, and is new until somebody signs in', async () => {
    const fae_kid = o.operator.kid
    const { kid, user_kid } = await made({
      name: ' Nhà kho 仓库 ',
      organization_name: 'Org',
      phone: '+84243936',
      email: 'Kho@Example.com',
      wechat: '',
      remark: 'r',
      user_max: 3,
      expire_time: '2027-01-01T00:00:00Z',
      fae_kid,
      permissions: ['device*', 'homeIndex', 'homeIndex'],
    })
    expect(await get(kid)).toMatchObject({
      name: 'Nhà kho 仓库',
      user_kid,
      username: `customer-${n}`,
      organization_name: 'Org',
      phone: '+84243936',
      state: 'init',
      terminal_max: 10,
      user_max: 3,
      user_count: 0,
      expire_time: '2027-01-01T00:00:00.000Z',
      fae_kid,
      fae_name: 'Name of operator',
      permissions: ['device*', 'homeIndex'],
      sub_accounts_allowed: false,
      file_disk_space: constants.default_disk_space,
      app_center_used: 0,
      can: ['enter', 'disable', 'renew'],
    })
    const user = await o.deps.db.selectFrom('user_account').selectAll().where('kid', '=', user_kid).executeTakeFirst()
    expect(user).toMatchObject({ type: 1, account_kid: kid, status: 'init' })
    expect(await verifyPassword(clientHash(testPassword), user!.password_hash)).toMatchObject({ is_right: true })
    const roles = await o.deps.db.selectFrom('role').selectAll().where('account_kid', '=', kid).execute()
    expect(roles).toMatchObject([{ code: 'admin', weight: 1000, parent_kid: null }])
    expect((await o.call(session, {}, { token: await tokenOf(user_kid) })).data).toMatchObject({ account_kid: kid })
    expect((await o.call(calls.enter, { kid }, o.operator)).result).toBe(1)
    expect((await o.call(calls.leave, {}, o.operator)).result).toBe(1)
  })

  it('is refused for names that somebody has, whole or not at all', async () => {
    const { username, name } = await made({ email: 'one@example.com', phone: '12345678' })
    const count = async () => (await o.deps.db.selectFrom('account').select('kid').execute()).length
    const before = await count()
    expect((await insert({ username: username.toUpperCase() })).result).toBe(44003)
    expect((await insert({ name: name.toUpperCase() })).result).toBe(44001)
    expect((await insert({ email: 'ONE@example.com' })).result).toBe(44004)
    expect((await insert({ phone: '12345678' })).result).toBe(44005)
    expect((await insert({ fae_kid: o.acme_root.kid })).result).toBe(41053)
    expect((await insert({ fae_kid: newKid() })).result).toBe(41053)
    expect((await insert({ password: 'Secret-2026!' })).result).toBe(10000)
    expect((await insert({ terminal_max: -1 })).result).toBe(10000)
    const twice = draft()
    const both = await Promise.all([1, 2].map(() => o.call(calls.insert, twice, o.operator)))
    expect(both.map(({ result }) => result).filter((result) => result === 1)).toHaveLength(1)
    expect(await count()).toBe(before + 1)
    const taken = async (input: object) => (await o.call(calls.exists, input, o.operator)).data.taken
    expect(await taken({ username: username.toUpperCase(), email: 'one@EXAMPLE.com' })).toEqual(['username', 'email'])
    expect(await taken({ username: 'nobody-yet' })).toEqual([])
  })

  it('gets no more than whoever makes it holds', async () => {
    const limited = await o.person(101, o.provider.kid, 'limited', [
      'mdmManageExternalUser*',
      'externalUser*',
      'device*',
    ])
    const may = (held: string[]) => o.call(calls.insert, draft({ permissions: held }), limited)
    expect((await may(['*'])).message).toContain('*')
    expect((await may(['deviceList', 'fileCloudList'])).result).toBe(41042)
    const { data } = await may(['deviceList*'])
    const { kid } = await made()
    const edit = (over: object) => ({ ...draft(), kid, password: null, terminal_max: 10, ...over })
    expect((await o.call(calls.update, edit({ permissions: ['*'] }), limited)).result).toBe(1)
    expect((await o.call(calls.update, { ...edit({}), kid: data.kid, permissions: ['*'] }, limited)).result).toBe(41042)
  })
})

describe('an edited customer', () => {
  it('keeps a blank password and its sessions; a new password ends those of the root login', async () => {
    const { kid, user_kid, username } = await made()
    const token = await tokenOf(user_kid)
    expect((await update(kid, { name: `Renamed ${n}`, phone: '87654321', remark: 'x', password: '' })).result).toBe(1)
    expect(await get(kid)).toMatchObject({ name: `Renamed ${n}`, phone: '87654321', remark: 'x', permissions: ['*'] })
    expect(await lives(token)).toBe(true)
    for (const bad of ['', username]) expect((await update(kid, { password: clientHash(bad) })).result).toBe(10000)
    expect((await update(kid, { password: clientHash('Other-2026!') })).result).toBe(1)
    expect(await lives(token)).toBe(false)
    const { password_hash } = await o.deps.db
      .selectFrom('user_account')
      .select('password_hash')
      .where('kid', '=', user_kid)
      .executeTakeFirstOrThrow()
    expect((await verifyPassword(clientHash('Other-2026!'), password_hash)).is_right).toBe(true)
  })

  it('is taken over by nobody who may less: password, address and second factor stay as they were', async () => {
    const support = await o.person(101, o.provider.kid, 'support', ['mdmManageExternalUser*', 'externalUser*'])
    const { kid, user_kid } = await made({ email: 'owner@example.com' })
    const totp_enabled_at = o.deps.clock.now()
    await o.deps.db.updateTable('user_account').set({ totp_enabled_at }).where('kid', '=', user_kid).execute()
    const login = () =>
      o.deps.db
        .selectFrom('user_account')
        .select(['password_hash', 'email', 'totp_enabled_at'])
        .where('kid', '=', user_kid)
        .executeTakeFirstOrThrow()
    const before = await login()
    const kept = { kid, name: `Customer ${n}`, terminal_max: 10, email: 'owner@example.com' }
    await as()
    for (const reply of [
      await o.call(calls.update, { ...kept, password: clientHash('Taken-2026!') }, support),
      await o.call(calls.update, { ...kept, email: 'support@example.com' }, support),
      await o.call(calls.update, { ...kept, email: '' }, support),
      await o.call(calls.update, { ...kept, permissions: ['homeIndex'], password: clientHash('Taken-2026!') }, support),
      await o.call(calls.reset_totp, { kid }, support),
    ])
      expect(reply).toMatchObject({ status: 422, result: 41042 })
    expect(await login()).toEqual(before)
    expect((await o.call(calls.update, { ...kept, remark: 'called back' }, support)).result).toBe(1)
    const { kid: small } = await made({ permissions: ['externalUserManageList'] })
    expect((await o.call(calls.reset_totp, { kid: small }, support)).result).toBe(1)
  })

  it('takes no name of another, its own it keeps', async () => {
    const first = await made({ email: 'first@example.com' })
    const second = await made({ email: 'second@example.com' })
    expect((await update(second.kid, { name: first.name.toUpperCase() })).result).toBe(44001)
    expect((await update(second.kid, { email: 'FIRST@example.com' })).result).toBe(44004)
    expect((await update(second.kid, { name: second.name.toUpperCase() })).result).toBe(1)
    const unknown = { ...draft(), kid: newKid(), password: null }
    expect((await o.call(calls.update, unknown, o.operator)).status).toBe(404)
  })

  it('passes a change of permissions on to its roles and below, and ends the sessions that it concerns', async () => {
    const { kid, user_kid } = await made({ sub_accounts_allowed: true })
    const sub = await below(kid, 'Below', 1)
    const person = await o.person(3, kid, `person-${n}`, ['fileCloud*', 'deviceList'])
    const other = await o.person(3, kid, `other-${n}`, ['deviceList'])
    const deep = await o.person(3, sub.kid, `deep-${n}`, ['*'])
    const root = await tokenOf(user_kid)
    expect((await update(kid, { permissions: ['*'] })).result).toBe(1)
    expect(await lives(root)).toBe(true)
    expect((await update(kid, { permissions: ['deviceList', 'homeIndex'] })).result).toBe(1)
    expect(await get(kid)).toMatchObject({ permissions: ['deviceList', 'homeIndex'] })
    const held = async (user: string) =>
      (await o.call(calls.get_elements, { scope: 'user', scope_kid: user }, o.operator)).data.elements
    expect(await held(person.kid)).toEqual(['deviceList'])
    expect(await held(deep.kid)).toEqual(['homeIndex', 'deviceList'])
    expect(await Promise.all([root, person.token, deep.token].map(lives))).toEqual([false, false, false])
    expect(await lives(other.token)).toBe(true)
  })

  it('has places for what it uses and what it gave away', async () => {
    const { kid } = await made({ terminal_max: 10, sub_accounts_allowed: true })
    const sub = await below(kid, 'Share', 4)
    for (let i = 0; i < 3; i += 1) await addTerminal(o.deps, kid)
    await addTerminal(o.deps, sub.kid)
    const refused = await update(kid, { terminal_max: 6 })
    expect(refused).toMatchObject({ result: 41051 })
    expect(refused.message).toMatch(/than 7: 3 registered, 4 given/)
    expect((await o.call(calls.renew, { kid, expire_time: null, terminal_max: 6 }, o.operator)).result).toBe(41051)
    expect((await update(kid, { terminal_max: 7 })).result).toBe(1)
    const share = (terminal_max: number) =>
      o.call(calls.renew, { kid: sub.kid, expire_time: null, terminal_max }, o.operator)
    expect((await share(5)).result).toBe(40016)
    expect((await share(0)).result).toBe(41051)
    expect((await share(1)).result).toBe(1)
    expect((await update(kid, { terminal_max: 4 })).result).toBe(1)
    expect((await update(kid, { terminal_max: constants.unlimited_devices })).result).toBe(1)
    expect((await share(constants.unlimited_devices)).result).toBe(1)
    expect((await update(kid, { terminal_max: 4 })).result).toBe(1)
  })
})

describe('a customer that is disabled', () => {
  it('ends all sessions in it and below it, and starts as it was', async () => {
    const { kid, user_kid } = await made()
    const sub = await below(kid, 'Sub', 1)
    const deep = await o.person(3, sub.kid, `subs-${n}`, ['deviceList'])
    const root = await tokenOf(user_kid)
    const set = async (status: 'normal' | 'invalid') => o.call(calls.set_status, { kid, status }, await as())
    expect((await set('invalid')).result).toBe(1)
    expect(await get(kid)).toMatchObject({ state: 'invalid', can: ['enable', 'renew'] })
    expect(await Promise.all([root, deep.token].map(lives))).toEqual([false, false])
    const left = await o.deps.db
      .selectFrom('session')
      .select('kid')
      .where('user_kid', 'in', [user_kid, deep.kid])
      .execute()
    expect(left).toEqual([])
    expect((await o.call(calls.enter, { kid }, o.operator)).result).toBe(41003)
    expect((await set('normal')).result).toBe(1)
    expect(await get(kid)).toMatchObject({ state: 'init' })
    await o.deps.db.updateTable('account').set({ last_use_at: o.deps.clock.now() }).where('kid', '=', kid).execute()
    expect((await set('normal')).result).toBe(1)
    expect(await get(kid)).toMatchObject({ state: 'normal' })
    expect(await lives(await tokenOf(user_kid))).toBe(true)
  })

  it('or past its time is so until it is renewed', async () => {
    const { kid, user_kid } = await made()
    const token = await tokenOf(user_kid)
    const renew = (expire_time: string | null) => o.call(calls.renew, { kid, expire_time }, o.operator)
    expect((await renew('2026-01-01T00:00:00Z')).result).toBe(1)
    expect(await get(kid)).toMatchObject({ state: 'invalid', is_expired: true })
    expect(await lives(token)).toBe(false)
    expect((await renew(null)).result).toBe(1)
    expect(await get(kid)).toMatchObject({ state: 'init', is_expired: false, expire_time: null })
    expect((await o.call(logout, {}, { token })).status).toBe(401)
  })
})

describe('help for a customer', () => {
  it('switches off the two-factor sign-in of its root login', async () => {
    const { kid, user_kid } = await made()
    const columns = ['totp_secret', 'totp_enabled_at', 'totp_last_step', 'totp_recovery'] as const
    const at = o.deps.clock.now()
    await o.deps.db
      .updateTable('user_account')
      .set({ totp_secret: 's', totp_enabled_at: at, totp_last_step: 1, totp_recovery: ['x'] })
      .where('kid', '=', user_kid)
      .execute()
    const token = await tokenOf(user_kid)
    expect((await o.call(calls.reset_totp, { kid }, await as())).result).toBe(1)
    const row = await o.deps.db
      .selectFrom('user_account')
      .select(columns)
      .where('kid', '=', user_kid)
      .executeTakeFirst()
    expect(row).toEqual({ totp_secret: null, totp_enabled_at: null, totp_last_step: null, totp_recovery: [] })
    expect(await lives(token)).toBe(false)
  })

  it('comes from enabled people of the provider', async () => {
    const gone = await o.person(101, o.provider.kid, 'gone.away', ['*'])
    await sql`UPDATE user_account SET status = 'invalid' WHERE kid = ${gone.kid}`.execute(o.deps.db)
    const { data } = await o.call(calls.list_fae, {}, o.operator)
    const kids = data.map((one) => one.kid)
    expect(kids).toContain(o.operator.kid)
    expect(kids).not.toContain(gone.kid)
    expect(kids).not.toContain(o.acme_root.kid)
    expect((await insert({ fae_kid: gone.kid })).result).toBe(41053)
    // Whoever was in charge already stays until somebody else is.
    const { kid } = await made({ fae_kid: o.operator.kid })
    await sql`UPDATE account SET fae_kid = ${gone.kid} WHERE kid = ${kid}`.execute(o.deps.db)
    expect((await update(kid, { remark: 'still' })).result).toBe(1)
  })

  it('sees what an account, a role or a user may do', async () => {
    const { kid, user_kid } = await made({ permissions: ['homeIndex', 'webhookList*'] })
    const role = await createRole(o.deps.db, { account_kid: kid, code: 'x', name: 'x', permissions: ['*'] })
    const read = async (scope: 'account' | 'role' | 'user', scope_kid: string) =>
      o.call(calls.get_elements, { scope, scope_kid }, o.operator)
    const expected = {
      permissions: ['homeIndex', 'webhookList*'],
      elements: ['homeIndex', 'webhookList', 'webhookList:edit'],
    }
    expect((await read('account', kid)).data).toEqual(expected)
    expect((await read('user', user_kid)).data).toEqual(expected)
    expect((await read('role', role.kid)).data.elements).toEqual([...permissions])
    for (const scope of ['account', 'role', 'user'] as const) expect((await read(scope, newKid())).status).toBe(404)
  })
})

import { constants, contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi, testPassword } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { clientHash } from '../../../lib/passwords.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { createSession } from '../login/index.ts'
import { confirm, signIn } from '../../../testing/sign-in.ts'

const { confirm_password, session, logout } = contract.login.calls
const account = contract.account.calls
const opsAccount = contract.opsAccount.calls
const minute = 60_000
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
const fresh = (kid: string, user_agent = chrome) => createSession(o.deps, kid, { address: '192.0.2.7', user_agent })
const isAlive = async (token: string) => (await o.call(session, {}, { token })).result === 1

describe('the password again', () => {
  const disable = (token: string) => o.call(opsAccount.set_status, { kid: o.globex.kid, status: 'invalid' }, { token })

  it('is asked for before what is destructive, counts for five minutes and for one session', async () => {
    const [token, other] = [await fresh(o.operator.kid), await fresh(o.operator.kid)]
    expect(await disable(token)).toMatchObject({ status: 403, result: 41021, data: null })
    const until = (await confirm(o, { token })).data.confirmed_until
    expect(new Date(until).getTime() - o.deps.clock.now().getTime()).toBe(constants.password_confirmed_minutes * minute)
    expect((await disable(token)).result).toBe(1)
    expect((await disable(other)).result).toBe(41021)
    await o.deps.clock.advance(constants.password_confirmed_minutes * minute)
    expect((await disable(token)).result).toBe(41021)
  })

  it('leaves one row in the operation log for one act, and one for a wrong password', async () => {
    const token = await fresh(o.operator.kid)
    await o.deps.db.deleteFrom('operation_log').execute()
    const logged = async () =>
      (
        await o.deps.db.selectFrom('operation_log').select(['action_code', 'result']).orderBy('created_at').execute()
      ).map(({ action_code, result }) => [action_code, result])
    expect((await disable(token)).result).toBe(41021)
    expect((await o.call(confirm_password, { password: clientHash('Wrong-0!') }, { token })).result).toBe(41022)
    await confirm(o, { token })
    expect((await disable(token)).result).toBe(1)
    expect(await logged()).toEqual([
      ['confirm_password', 41022],
      ['set_status', 1],
    ])
  })

  it('is asked for what destroys only, and after the input was understood', async () => {
    const token = await fresh(o.operator.kid)
    const enable = { kid: o.globex.kid, status: 'normal' as const }
    expect((await o.call(opsAccount.set_status, enable, { token })).result).toBe(1)
    expect((await o.call(opsAccount.set_status, { ...enable, status: 'gone' } as never, { token })).result).toBe(10000)
    expect((await disable(await fresh(o.acme_root.kid))).result).toBe(403)
  })

  it('counts at once where another server has just confirmed it', async () => {
    const token = await fresh(o.operator.kid)
    expect((await disable(token)).result).toBe(41021)
    const { kid } = (await o.call(account.list_session, {}, { token })).data[0]!
    await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).where('kid', '=', kid).execute()
    expect((await disable(token)).result).toBe(1)
  })

  it('is guessed five times, whatever the session, and then sign-in is locked too', async () => {
    const { kid } = await o.person(3, o.acme.kid, 'stolen', ['deviceList'])
    const tokens = [await fresh(kid), await fresh(kid)]
    const guess = (i: number) =>
      o.call(confirm_password, { password: clientHash(`Wrong-${i}!`) }, { token: tokens[i % 2]! })
    const replies = await Promise.all(Array.from({ length: 9 }, (_, i) => guess(i)))
    expect(replies.filter((reply) => reply.result === 41022)).toHaveLength(5)
    expect(replies.filter((reply) => reply.result === 41002)).toHaveLength(4)
    expect((await confirm(o, { token: tokens[0]! })).result).toBe(41002)
    expect((await signIn(o, 'stolen')).result).toBe(41002)
    await o.deps.clock.advance(15 * minute)
    expect((await confirm(o, { token: tokens[0]! })).result).toBe(1)
  })
})

describe('the own details', () => {
  it('are changed, seen at once, and unique', async () => {
    const { kid, token } = await o.person(3, o.acme.kid, 'details', ['deviceList'])
    await o.person(3, o.globex.kid, 'details2', ['deviceList'])
    await o.deps.db
      .updateTable('user_account')
      .set({ email: 'Taken@example.com', phone: '+84900000000' })
      .where('username', '=', 'details2')
      .execute()
    const save = (more: object) => o.call(account.update_info, { name: 'Nguyễn Văn A', ...more }, { token })
    // A link to set a password goes to the address, and so the password is asked for again.
    expect((await save({ email: 'a@example.com' })).result).toBe(41021)
    await o.deps.db
      .updateTable('session')
      .set({ confirmed_at: o.deps.clock.now() })
      .where('user_kid', '=', kid)
      .execute()
    forgetSessions(o.deps)
    expect((await save({ email: 'a@example.com', phone: '+84 91 111 1111', wechat: 'a-wx' })).result).toBe(1)
    expect((await o.call(account.info, {}, { token })).data).toMatchObject({
      kid,
      name: 'Nguyễn Văn A',
      email: 'a@example.com',
      phone: '+84911111111',
      wechat: 'a-wx',
      has_totp: false,
      has_oidc: false,
    })
    expect((await o.call(session, {}, { token })).data.name).toBe('Nguyễn Văn A')
    expect((await save({ email: 'taken@EXAMPLE.com' })).result).toBe(44004)
    for (const phone of ['+84 90 000 0000', '+84900000000', '(+84) 90-000.0000'])
      expect((await save({ phone })).result).toBe(44005)
    expect((await save({ phone: '(024) 3825-1234' })).result).toBe(1)
    expect((await o.call(account.info, {}, { token })).data.phone).toBe('02438251234')
    expect((await save({ phone: '12 34' })).result).toBe(10000)
    expect((await save({ email: '' })).result).toBe(1)
    expect((await o.call(account.info, {}, { token })).data).toMatchObject({ email: null, phone: '02438251234' })
    expect((await save({ phone: '' })).result).toBe(1)
    expect((await o.call(account.info, {}, { token })).data).toMatchObject({ email: null, phone: null })
    expect((await save({ name: '' })).result).toBe(10000)
  })
})

describe('the own password', () => {
  const change = (token: string, from: string, to: string) =>
    o.call(account.change_password, { old_password: clientHash(from), new_password: clientHash(to) }, { token })

  it('needs the old one; the other sessions end and this one stays', async () => {
    const { kid, token } = await o.person(3, o.acme.kid, 'changing', ['deviceList'])
    const [here, there] = [await fresh(kid), await fresh(kid)]
    expect((await change(here, 'Wrong-2026!', 'New-2026!')).result).toBe(41022)
    expect(await isAlive(there)).toBe(true)
    expect((await change(here, testPassword, 'New-2026!')).result).toBe(1)
    expect([await isAlive(here), await isAlive(there), await isAlive(token)]).toEqual([true, false, false])
    expect((await signIn(o, 'changing')).result).toBe(41001)
    expect((await signIn(o, 'changing', 'New-2026!')).result).toBe(1)
    const log = JSON.stringify(await o.deps.db.selectFrom('operation_log').selectAll().execute())
    for (const plain of [testPassword, 'New-2026!', 'Wrong-2026!']) expect(log).not.toContain(clientHash(plain))
  })

  it('is never nothing or the login name', async () => {
    const { token } = await o.person(3, o.acme.kid, 'Obvious1', ['deviceList'])
    for (const bad of ['', 'Obvious1', 'obvious1', 'OBVIOUS1'])
      expect(await change(token, testPassword, bad)).toMatchObject({
        result: 10000,
        data: { fields: { new_password: 'The password must not be empty or the login name.' } },
      })
  })

  it('is guessed five times', async () => {
    const { token } = await o.person(3, o.acme.kid, 'guess-old', ['deviceList'])
    for (let i = 0; i < 5; i++) expect((await change(token, `Wrong-${i}!`, 'New-2026!')).result).toBe(41022)
    expect((await change(token, testPassword, 'New-2026!')).result).toBe(41002)
  })
})

describe('the own sessions', () => {
  it('are listed, this one first, and end one by one or all others at once', async () => {
    const { kid, token: first } = await o.person(3, o.acme.kid, 'sessions', ['deviceList'])
    await o.deps.clock.advance(2 * minute)
    const [second, here] = [await fresh(kid, 'curl/8.5.0'), await fresh(kid)]
    const list = (await o.call(account.list_session, {}, { token: here })).data
    expect(list.map((row) => [row.is_current, row.browser, row.os])).toEqual([
      [true, 'Chrome 142', 'Linux'],
      [false, 'curl 8', null],
      [false, null, null],
    ])
    expect(list[0]).toMatchObject({ address: '192.0.2.7', created_at: o.deps.clock.now().toISOString() })
    expect((await o.call(account.end_session, { kid: list[1]!.kid }, { token: here })).result).toBe(1)
    expect([await isAlive(second), await isAlive(first)]).toEqual([false, true])
    expect((await o.call(account.end_session, { kid: list[1]!.kid }, { token: here })).status).toBe(404)
    expect((await o.call(account.end_session, { kid: list[2]!.kid }, o.acme_root)).status).toBe(404)
    await fresh(kid)
    expect((await o.call(account.end_other_sessions, {}, { token: here })).data).toEqual({ ended: 2 })
    expect([await isAlive(first), await isAlive(here)]).toEqual([false, true])
    expect((await o.call(account.list_session, {}, { token: here })).data).toHaveLength(1)
    expect((await o.call(logout, {}, { token: here })).result).toBe(1)
  })
})

describe('what the console remembers', () => {
  it('is kept for the person, replaced and forgotten, and is no operation', async () => {
    const save = (key: string, value: unknown, as = o.acme_person) =>
      o.call(account.save_preference, { key, value } as never, as)
    const all = async (as = o.acme_person) => (await o.call(account.preferences, {}, as)).data
    const logged = await o.deps.db.selectFrom('operation_log').select('kid').execute()
    expect((await save('columns.devices', ['sn', 'name'])).result).toBe(1)
    expect((await save('sort.devices', { by: 'sn', half: 'a\ud800\\ud800' })).result).toBe(1)
    expect((await save('columns.devices', { sn: 120 })).result).toBe(1)
    expect(await all()).toEqual([
      { key: 'columns.devices', value: { sn: 120 } },
      { key: 'sort.devices', value: { by: 'sn', half: 'a\uFFFD\\ud800' } },
    ])
    expect(await all(o.acme_root)).toEqual([])
    expect((await save('columns.devices', null)).result).toBe(1)
    expect((await all()).map((row) => row.key)).toEqual(['sort.devices'])
    for (const value of [0, false, '', []]) expect((await save('panel.x', value)).result).toBe(1)
    expect((await save('../x', 1)).result).toBe(10000)
    expect(await o.deps.db.selectFrom('operation_log').select('kid').execute()).toHaveLength(logged.length)
  })

  it('has an end: 32 KB a value, 200 keys', async () => {
    const { token } = await o.person(3, o.acme.kid, 'hoarder', ['deviceList'])
    const save = (key: string, value: unknown) => o.call(account.save_preference, { key, value } as never, { token })
    expect((await save('views.large', 'x'.repeat(32 * 1024 - 2))).result).toBe(1)
    expect(await save('views.large', 'ế'.repeat(12 * 1024))).toMatchObject({ status: 413, result: 413 })
    const replies = await Promise.all(Array.from({ length: 205 }, (_, i) => save(`panel.k${i}`, i)))
    expect(replies.filter((reply) => reply.result === 1)).toHaveLength(199)
    expect(replies.filter((reply) => reply.result === 413)).toHaveLength(6)
    expect((await save('views.large', 1)).result).toBe(1)
  })
})

import { contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { createAccount } from '../modules/people/account/index.ts'
import { purgeExpiredRows } from '../jobs/purge.ts'
import { createSession, endSessions } from '../modules/people/login/index.ts'
import { testApi } from '../testing/calls.ts'
import type { TestApi } from '../testing/calls.ts'
import { readSession } from './session.ts'

const login = contract.login.calls
const groups = contract.terminalGroup.calls
const opsAccount = contract.opsAccount.calls
const hour = 3_600_000
const from = { address: '192.0.2.1', user_agent: 'test' }

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

describe('a token', () => {
  it('is known by its hash only, from the header or the query', async () => {
    const { token } = o.acme_root
    const rows = await o.deps.db.selectFrom('session').select('token_hash').execute()
    expect(rows.some((row) => row.token_hash.toString('hex') === token)).toBe(false)
    expect((await o.call(login.session, {}, { token })).data.username).toBe('acme')
    const byQuery = await o.app.inject({ url: `/api/login/session?AccessToken=${token}` })
    expect(byQuery.json()).toMatchObject({ result: 1, data: { username: 'acme', account_kid: o.acme.kid } })
  })

  it.each(['', 'x', 'f'.repeat(64), `${'0'.repeat(63)}'`])('that nobody has (%s) is unauthorized', async (token) => {
    expect(await o.call(login.session, {}, { token })).toMatchObject({ status: 401, result: 401 })
  })

  it('that is bad does not keep anyone from a public call', async () => {
    expect((await o.call(login.puzzle, {}, { token: 'f'.repeat(64) })).result).toBe(1)
  })

  it('ends after 12 idle hours, and after 7 days however busy', async () => {
    const idle = await createSession(o.deps, o.acme_root.kid, from)
    await o.deps.clock.advance(11.9 * hour)
    expect(await readSession(o.deps, idle)).toBeDefined()
    await o.deps.clock.advance(11.9 * hour)
    expect(await readSession(o.deps, idle)).toBeDefined()
    await o.deps.clock.advance(12 * hour)
    expect(await readSession(o.deps, idle)).toBeUndefined()

    const busy = await createSession(o.deps, o.acme_root.kid, from)
    for (let hours = 0; hours < 167; hours += 10) {
      expect(await readSession(o.deps, busy)).toBeDefined()
      await o.deps.clock.advance(10 * hour)
    }
    expect(await readSession(o.deps, busy)).toBeUndefined()
    await purgeExpiredRows(o.deps)
    const left = await o.deps.db.selectFrom('session').select('expires_at').execute()
    expect(left.filter((row) => row.expires_at <= o.deps.clock.now())).toEqual([])
  })

  it('notes its use at most once a minute', async () => {
    const token = await createSession(o.deps, o.acme_root.kid, from)
    const { kid } = (await readSession(o.deps, token))!
    const lastUse = () =>
      o.deps.db.selectFrom('session').select('last_use_at').where('kid', '=', kid).executeTakeFirstOrThrow()
    const before = await lastUse()
    await o.deps.clock.advance(59_000)
    await readSession(o.deps, token)
    expect(await lastUse()).toEqual(before)
    await o.deps.clock.advance(1_000)
    await readSession(o.deps, token)
    expect((await lastUse()).last_use_at.getTime() - before.last_use_at.getTime()).toBe(60_000)
  })

  it('that was taken away behind our back ends within a second', async () => {
    const token = await createSession(o.deps, o.acme_root.kid, from)
    const { kid } = (await readSession(o.deps, token))!
    await o.deps.db.deleteFrom('session').where('kid', '=', kid).execute()
    await o.deps.clock.advance(1_000)
    expect((await o.call(login.session, {}, { token })).status).toBe(401)
  })

  it('ends at once by signing out, and when roles change', async () => {
    const token = await createSession(o.deps, o.acme_root.kid, from)
    expect((await o.call(login.logout, {}, { token, account_kid: newKid() })).result).toBe(1)
    expect((await o.call(login.session, {}, { token })).status).toBe(401)
    const other = await createSession(o.deps, o.acme_person.kid, from)
    expect((await o.call(login.session, {}, { token: other })).result).toBe(1)
    await endSessions(o.deps, o.acme_person.kid)
    expect((await o.call(login.session, {}, { token: other })).status).toBe(401)
  })

  it.each([{ status: 'invalid' as const }, { expire_time: new Date('2020-01-01T00:00:00Z') }])(
    'ends when its account is %o',
    async (change) => {
      const name = `short-${Object.keys(change)[0]}`
      const { kid } = await createAccount(o.deps.db, { type: 1, name })
      const user = await o.person(1, kid, name, ['*'])
      expect((await o.call(login.session, {}, user)).result).toBe(1)
      await o.deps.db.updateTable('account').set(change).where('kid', '=', kid).execute()
      await o.deps.clock.advance(1_000)
      expect((await o.call(login.session, {}, { token: user.token })).status).toBe(401)
    },
  )

  it('ends when its user is switched off', async () => {
    const user = await o.person(3, o.globex.kid, 'switched-off', ['*'])
    await o.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', user.kid).execute()
    expect((await o.call(login.session, {}, { token: user.token })).status).toBe(401)
  })
})

describe('the account acted for', () => {
  const ask = (token: string, account_kid?: string) =>
    o.call(login.session, {}, account_kid === undefined ? { token } : { token, account_kid })
  const fresh = (user: { kid: string }) => createSession(o.deps, user.kid, from)

  it('is the own one; a root may name a sub-account; nothing else exists for it', async () => {
    const token = await fresh(o.acme_root)
    expect((await ask(token)).data).toMatchObject({ account_kid: o.acme.kid, enter_kid: null })
    expect((await ask(token, o.acme.kid)).data.account_kid).toBe(o.acme.kid)
    expect((await ask(token, o.acme_sub.kid)).data).toMatchObject({
      account_kid: o.acme_sub.kid,
      account_name: 'Acme Sub',
    })
    const foreign = await ask(token, o.globex.kid)
    expect(foreign).toMatchObject({ status: 403, result: 403 })
    for (const nobody of [newKid(), 'nonsense', "' or 1=1"]) expect(await ask(token, nobody)).toEqual(foreign)
    const twice = await o.app.inject({
      url: `/api/login/session?account_kid=${o.acme.kid}&account_kid=${o.globex.kid}`,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(twice.statusCode).toBe(403)
  })

  it('of a person is never a sub-account', async () => {
    expect((await ask(await fresh(o.acme_person), o.acme_sub.kid)).status).toBe(403)
  })

  it('of an operator is the entered customer until it is left', async () => {
    const token = await fresh(o.operator)
    const { own_account_kid } = (await ask(token)).data
    expect(own_account_kid).toBe(o.provider.kid)
    expect((await ask(token, o.globex.kid)).status).toBe(403)
    expect((await o.call(opsAccount.enter, { kid: o.globex.kid }, { token })).data).toEqual({
      enter_kid: o.globex.kid,
      enter_name: 'Globex',
    })
    expect((await ask(token)).data).toMatchObject({
      account_kid: o.globex.kid,
      account_name: 'Globex',
      enter_kid: o.globex.kid,
      enter_name: 'Globex',
      permissions: ['*'],
    })
    expect((await ask(token, o.provider.kid)).data).toMatchObject({ account_kid: o.provider.kid, enter_kid: null })
    expect((await ask(token, o.acme.kid)).status).toBe(403)
    const left = await o.call(opsAccount.leave, {}, { token, account_kid: o.globex.kid })
    expect(left.result).toBe(1)
    expect((await ask(token)).data.account_kid).toBe(o.provider.kid)
    expect((await ask(token, o.globex.kid)).status).toBe(403)
  })

  it('is unavailable when the entered customer expires, which can still be left', async () => {
    const { kid } = await createAccount(o.deps.db, {
      type: 1 as const,
      name: 'Expiring',
      expire_time: new Date(o.deps.clock.now().getTime() + 5_000),
    })
    const token = await fresh(o.operator)
    expect((await o.call(opsAccount.enter, { kid }, { token })).result).toBe(1)
    expect((await ask(token, kid)).result).toBe(1)
    await o.deps.clock.advance(5_000)
    expect((await ask(token, kid)).result).toBe(41003)
    expect((await ask(token)).data.account_kid).toBe(o.provider.kid)
    expect((await o.call(opsAccount.enter, { kid }, { token })).result).toBe(41003)
    expect((await o.call(opsAccount.leave, {}, { token, account_kid: kid })).result).toBe(1)
  })

  it('may be entered by operators with the permission only', async () => {
    const customer = { token: await fresh(o.acme_root) }
    expect((await o.call(opsAccount.enter, { kid: o.globex.kid }, customer)).status).toBe(403)
    const clerk = await o.person(101, o.provider.kid, 'clerk', ['externalUserManageList'])
    expect((await o.call(opsAccount.enter, { kid: o.globex.kid }, clerk)).status).toBe(403)
    const token = await fresh(o.operator)
    for (const kid of [o.provider.kid, newKid()])
      expect((await o.call(opsAccount.enter, { kid }, { token })).status).toBe(404)
  })

  it('keeps its device groups: a limited person has the chosen groups and all below', async () => {
    const group = async (name: string, parent_kid: string | null, depth: number) => {
      const kid = newKid()
      await o.deps.db
        .insertInto('terminal_group')
        .values({ kid, account_kid: o.acme.kid, parent_kid, name, depth })
        .execute()
      return kid
    }
    const north = await group('north', null, 1)
    const dock = await group('dock', north, 2)
    const ramp = await group('ramp', dock, 3)
    await group('south', null, 1)
    const token = await fresh(o.acme_person)
    expect((await readSession(o.deps, token))!.group_kids).toBeUndefined()
    const limit = { account_kid: o.acme.kid, terminal_group_kid: dock }
    await o.deps.db
      .insertInto('terminal_group_user_manged')
      .values([
        { ...limit, user_kid: o.acme_person.kid },
        { ...limit, user_kid: o.acme_root.kid },
      ])
      .execute()
    await o.deps.clock.advance(1_000)
    expect((await readSession(o.deps, token))!.group_kids?.toSorted()).toEqual([dock, ramp].toSorted())
    expect((await readSession(o.deps, await fresh(o.acme_root)))!.group_kids).toBeUndefined()
  })
})

it('a permission that is not held is refused, and so is the operator side to everyone else', async () => {
  const viewer = await o.person(3, o.globex.kid, 'viewer', ['homeIndex'])
  expect((await o.call(groups.list_with_child, {}, viewer)).status).toBe(403)
  const star = await o.person(3, o.globex.kid, 'star', ['*'])
  expect((await o.call(groups.list_with_child, {}, star)).result).toBe(1)
  expect((await o.call(opsAccount.paging, {}, star)).status).toBe(403)
})

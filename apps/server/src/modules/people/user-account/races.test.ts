import { holds } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actorOf } from '../../../actor.ts'
import { newKid } from '../../../lib/ids.ts'
import { clientHash, noPassword } from '../../../lib/passwords.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { createAccount, createRole, createUser } from '../account/index.ts'
import * as roles from '../role/index.ts'
import { lockingDatabases, openDeps, refusalOf } from '../../../testing/devices.ts'
import * as people from './service.ts'

const password = clientHash('Secret-2026!')
const contact = { phone: null, email: null, wechat: null, remark: '' }
/** 'done', or by which name it was refused. */
const outcome = async (work: Promise<unknown>): Promise<unknown> => {
  const name = await refusalOf(work)
  return typeof name === 'string' ? name : 'done'
}
const tally = (outcomes: readonly unknown[]) => outcomes.map(String).toSorted()

describe.each(lockingDatabases)('people who act at once on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
  })
  afterAll(() => deps?.close())

  const role = (account_kid: string, code: string, weight: number, permissions: string[], parent_kid?: string) =>
    createRole(deps.db, { account_kid, code, name: code, weight, permissions, ...(parent_kid ? { parent_kid } : {}) })
  /** An account with an administrator, and what the services want to know of that caller. */
  async function house(type: 1 | 101 = 1) {
    const { kid: account_kid } = await createAccount(deps.db, { type, name: newKid() })
    const admin = (await role(account_kid, 'admin', 1000, ['*'])).kid
    const clerk = (await role(account_kid, 'clerk', 100, ['deviceList'], admin)).kid
    const member = async () => {
      const draft = {
        type,
        account_kid,
        username: newKid().slice(-12),
        name: 'x',
        password_hash: noPassword,
        role_kids: [admin],
      }
      return (await createUser(deps.db, draft)).kid
    }
    const callerOf = (user_kid: string) => ({
      ...actorOf(deps, { account_kid, group_kids: undefined, user_kid, name: 'x', token_kid: null }),
      type: type === 101 ? (101 as const) : (3 as const),
      is_own_account: true,
      is_provider: type === 101,
      limits: [['*']],
    })
    const boss = await member()
    return { account_kid, admin, clerk, member, callerOf, boss, caller: callerOf(boss) }
  }

  it('get exactly the places that are left, twenty at a time', async () => {
    const { account_kid, clerk, caller } = await house()
    await deps.db.updateTable('account').set({ user_max: 3 }).where('kid', '=', account_kid).execute()
    const ask = () =>
      people.insert(caller, { ...contact, username: newKid().slice(-12), name: 'x', password, role_kids: [clerk] })
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(ask())))
    expect(outcomes.filter((each) => each === 'done')).toHaveLength(3)
    expect(new Set(outcomes)).toEqual(new Set(['done', 'registered_users_exceed_limit']))
    expect(await people.inventory(caller)).toEqual({ user_max: 3, user_count: 3 })
  })

  it('never leave the provider without an administrator', async () => {
    const { admin, clerk, member, callerOf, boss } = await house(101)
    let last = boss
    for (const act of [
      (by: string, kid: string) => people.setStatus(callerOf(by), { kid, status: 'invalid' }),
      (by: string, kid: string) =>
        people.update(callerOf(by), { ...contact, kid, name: 'x', password: null, role_kids: [clerk] }),
      (by: string, kid: string) => people.remove(callerOf(by), kid),
    ]) {
      const rival = await member()
      const outcomes = await Promise.all([outcome(act(last, rival)), outcome(act(rival, last))])
      expect(outcomes.filter((each) => each === 'done')).toHaveLength(1)
      // Who was struck first is refused: as the last one in the way, or as no administrator any more.
      expect(['last_administrator', 'role_weight']).toContain(outcomes.find((each) => each !== 'done'))
      last = outcomes[0] === 'done' ? last : rival
      const left = await deps.db
        .selectFrom('user_account as u')
        .innerJoin('user_role', 'user_role.user_kid', 'u.kid')
        .select('u.kid')
        .where('user_role.role_kid', '=', admin)
        .where('u.status', '!=', 'invalid')
        .execute()
      expect(left).toEqual([{ kid: last }])
    }
  })

  it('move roles into no circle, and delete none that somebody is just getting', async () => {
    const { account_kid, admin, caller } = await house()
    const [a, b] = [
      (await role(account_kid, 'a', 300, [], admin)).kid,
      (await role(account_kid, 'b', 200, [], admin)).kid,
    ]
    const move = (kid: string, code: string, parent_kid: string, weight: number) =>
      roles.update(caller, { kid, code, name: code, remark: '', parent_kid, weight })
    expect(tally(await Promise.all([outcome(move(a, 'a', b, 100)), outcome(move(b, 'b', a, 290))]))).toHaveLength(2)
    expect((await roles.list(caller)).map((each) => each.kid)).toEqual(expect.arrayContaining([a, b]))
    const fresh = (await role(account_kid, 'fresh', 10, [], admin)).kid
    const hire = people.insert(caller, {
      ...contact,
      username: newKid().slice(-12),
      name: 'x',
      password,
      role_kids: [fresh],
    })
    const both = tally(await Promise.all([outcome(hire), outcome(roles.remove(caller, fresh))]))
    expect([
      ['done', 'role_in_use'],
      ['done', 'role_unknown'],
    ]).toContainEqual(both)
  })

  it('cannot keep above a new ceiling what they grant while it comes down', async () => {
    const { account_kid, admin, caller } = await house()
    const grants = Array.from({ length: 8 }, (_, i) =>
      outcome(
        roles.insert(caller, {
          code: `code${'abcdefgh'[i]}`,
          name: `${i}`,
          weight: 10,
          remark: '',
          parent_kid: admin,
          permissions: ['deviceList', 'fileCloudList'],
        }),
      ),
    )
    const ceiling = ['deviceList*']
    await deps.db.transaction().execute((trx) => roles.limitAccountTo(trx, account_kid, ceiling))
    for (const each of await Promise.all(grants)) expect(['done', 'role_beyond_own']).toContain(each)
    const held = (await roles.list(caller)).flatMap((each) => each.permissions)
    expect(held.filter((name) => !holds(ceiling, name))).toEqual([])
  })
})

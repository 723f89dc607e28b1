import { contract, errors } from '@mdm/contract'
import type { ErrorName, Sent } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forgetSessions } from '../../../http/session-cache.ts'
import { newKid } from '../../../lib/ids.ts'
import { clientHash, verifyPassword } from '../../../lib/passwords.ts'
import { staff } from '../../../testing/staff.ts'
import type { Member, Staff } from '../../../testing/staff.ts'

const { paging, get, exists, list_role, inventory, insert, update, set_status, reset_totp } = contract.userAccount.calls
const remove = contract.userAccount.calls.delete
const ops = contract.opsInsideUser.calls
const { list_group_kid } = contract.terminalGroupUserManaged.calls

let o: Staff
/** Roles of Acme: `clerk` is within what the manager holds, `wide` is as light but holds more. */
let clerk: string
let wide: string
let north: string
let north_inner: string
let south: string
beforeAll(async () => {
  o = await staff()
  clerk = await o.role(o.acme.kid, 'clerk', 100, ['deviceList'], o.manager_role)
  wide = await o.role(o.acme.kid, 'wide', 100, ['homeIndex', 'deviceList:move'], o.admin.acme)
  const group = async (name: string, account_kid: string, parent_kid: string | null = null) => {
    const kid = newKid()
    const depth = parent_kid ? 2 : 1
    await o.deps.db.insertInto('terminal_group').values({ kid, account_kid, parent_kid, name, depth }).execute()
    return kid
  }
  north = await group('North', o.acme.kid)
  north_inner = await group('Inner', o.acme.kid, north)
  south = await group('South', o.acme.kid)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
beforeEach(() => forgetSessions(o.deps))

const refused = (name: ErrorName) => ({ result: errors[name].result, status: errors[name].status })
const done = { result: 1, status: 200 }
const password = clientHash('Secret-2026!')
let n = 0
const fresh = () => `person.${++n}`
type Draft = Sent<typeof insert>
const draft = (over: Partial<Draft> = {}): Draft => {
  const username = fresh()
  return { username, name: `Name of ${username}`, password, role_kids: [clerk], ...over }
}
const add = async (over: Partial<Draft> = {}, as: { token: string } = o.owner) => {
  const reply = await o.call(insert, draft(over), as)
  expect(reply).toMatchObject(done)
  return reply.data.kid
}
const rowOf = async (kid: string, as: { token: string } = o.owner) => (await o.call(get, { kid }, as)).data
const edit = async (kid: string, over: Partial<Sent<typeof update>> = {}, as: { token: string } = o.owner) => {
  const { name, phone, email, wechat, remark, roles, group_kids } = await rowOf(kid)
  const role_kids = roles.map((role) => role.kid)
  return o.call(update, { kid, name, phone, email, wechat, remark, role_kids, group_kids, ...over }, as)
}
const stored = (kid: string) =>
  o.deps.db.selectFrom('user_account').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()

describe('a person of an account', () => {
  it('is made with roles, contact and groups, and read as given', async () => {
    const given = draft({
      phone: '+84 912 345 678',
      email: 'An@Example.com',
      wechat: 'an_wx',
      remark: 'Ca đêm 夜班',
      role_kids: [clerk, wide, clerk],
      group_kids: [north, south, north],
    })
    const { kid } = (await o.call(insert, given, o.owner)).data
    const row = await rowOf(kid)
    expect(row).toMatchObject({
      username: given.username,
      phone: '+84912345678',
      email: 'An@Example.com',
      wechat: 'an_wx',
      remark: 'Ca đêm 夜班',
      state: 'init',
      has_totp: false,
      last_use_at: null,
      created_at: o.deps.clock.now().toISOString(),
      can: ['edit', 'disable', 'delete'],
    })
    expect(row.roles.map((role) => role.code)).toEqual(['clerk', 'wide'])
    expect(row.group_kids.toSorted()).toEqual([north, south].toSorted())
    expect((await stored(kid)).type).toBe(3)
    expect((await verifyPassword(password, (await stored(kid)).password_hash)).is_right).toBe(true)
    const groups = await o.call(list_group_kid, { user_kid: kid }, o.owner)
    expect(groups.data).toEqual({ is_limited: true, group_kids: [north, south].toSorted() })
  })

  it('reaches the groups it was given, and what is below them', async () => {
    const kid = await add({ group_kids: [north] })
    const token = await o.signIn(kid)
    const { data } = await o.call(contract.terminalGroup.calls.list, {}, { token })
    expect(data.map((group) => group.kid).toSorted()).toEqual([north, north_inner].toSorted())
    await edit(kid, { group_kids: [] })
    expect((await o.call(contract.terminalGroup.calls.list, {}, { token })).data).toHaveLength(3)
    expect((await o.call(list_group_kid, { user_kid: kid }, o.owner)).data).toEqual({
      is_limited: false,
      group_kids: [],
    })
    expect((await o.call(list_group_kid, { user_kid: kid }, o.stranger)).status).toBe(404)
  })

  it('has a login name, an address and a phone that nobody else in the house has', async () => {
    const first = draft({ email: 'one@example.com', phone: '0901111111' })
    const first_kid = await add(first)
    const taken = { username: first.username.toUpperCase(), email: 'ONE@example.com', phone: '090 111-1111' }
    for (const [field, name] of [
      ['username', 'duplicate_login_name'],
      ['email', 'duplicate_email'],
      ['phone', 'duplicate_phone'],
    ] as const) {
      expect(await o.call(insert, draft({ [field]: taken[field] }), o.owner)).toMatchObject(refused(name))
      expect((await o.call(exists, { [field]: taken[field] }, o.stranger)).data).toEqual({
        exists: true,
        taken: [field],
      })
    }
    const other = await add({ role_kids: [clerk] })
    expect(await edit(other, { email: taken.email })).toMatchObject(refused('duplicate_email'))
    expect(await edit(other, { phone: taken.phone })).toMatchObject(refused('duplicate_phone'))
    expect(await edit(first_kid, { email: taken.email })).toMatchObject(done)
    expect((await o.call(exists, { ...taken, src_kid: first_kid }, o.owner)).data).toEqual({ exists: false, taken: [] })
    expect((await o.call(exists, {}, o.owner)).data.exists).toBe(false)
    // Left out for another account, or as no person of this kind, it would say whose they are.
    for (const [call, as] of [
      [exists, o.stranger],
      [contract.subAccount.calls.exists, o.stranger],
      [contract.opsInsideUser.calls.exists, o.boss],
      [contract.opsAccount.calls.exists, o.boss],
    ] as const)
      expect((await o.call(call, { email: taken.email, src_kid: first_kid }, as)).data.taken).toEqual(['email'])
    // Without an address is no address: any number may have none.
    expect(await edit(first_kid, { email: '', phone: null })).toMatchObject(done)
    expect(await rowOf(first_kid)).toMatchObject({ email: null, phone: null })
  })

  it('is looked for by nobody who tries a list of names', async () => {
    const person = await o.member(3, o.acme.kid, 'lister', [o.manager_role])
    const results = []
    for (let i = 0; i < 62; i++) results.push((await o.call(exists, { email: `${i}@example.com` }, person)).result)
    expect(results).toEqual([...Array.from({ length: 60 }, () => 1), 429, 429])
    await o.deps.clock.advance(60_000)
    expect((await o.call(exists, { email: 'a@example.com' }, person)).result).toBe(1)
  })

  it('needs at least one role, and nothing that is not what it should be', async () => {
    for (const bad of [
      { role_kids: [] },
      { username: 'abc' },
      { username: 'not a name' },
      { password: 'Secret-2026!' },
      { email: 'nobody' },
      { phone: 'call me' },
      { name: '' },
    ])
      expect((await o.call(insert, draft(bad), o.owner)).result, JSON.stringify(bad)).toBe(10000)
  })

  it('never gets a password that anybody would try first', async () => {
    const given = draft()
    expect((await o.call(insert, { ...given, password: clientHash(given.username) }, o.owner)).result).toBe(10000)
    const { kid } = (await o.call(insert, given, o.owner)).data
    const before = (await stored(kid)).password_hash
    for (const plain of ['', given.username])
      expect((await edit(kid, { password: clientHash(plain) })).result).toBe(10000)
    expect((await stored(kid)).password_hash).toBe(before)
  })

  it('has roles of its account only', async () => {
    const kid = await add()
    for (const role_kid of [newKid(), o.admin.globex, o.admin.provider]) {
      expect(await o.call(insert, draft({ role_kids: [clerk, role_kid] }), o.owner)).toMatchObject(
        refused('role_unknown'),
      )
      expect(await edit(kid, { role_kids: [role_kid] })).toMatchObject(refused('role_unknown'))
    }
  })

  it('is out of reach for another account, by any call', async () => {
    const kid = await add()
    const there = o.stranger
    expect((await o.call(get, { kid }, there)).status).toBe(404)
    expect((await edit(kid, { role_kids: [o.admin.globex] }, there)).status).toBe(404)
    expect((await o.call(set_status, { kid, status: 'invalid' }, there)).status).toBe(404)
    expect((await o.call(reset_totp, { kid }, there)).status).toBe(404)
    expect((await o.call(remove, { kid }, there)).status).toBe(404)
    expect((await o.call(paging, { text: 'person.' }, there)).data.total).toBe(0)
    // Neither are root logins and the provider's people, who are no persons of an account.
    expect((await o.call(get, { kid: o.owner.kid }, o.owner)).status).toBe(404)
    expect((await o.call(remove, { kid: o.acme_root.kid }, o.owner)).status).toBe(404)
    expect((await o.call(ops.get, { kid }, o.boss)).status).toBe(404)
    expect((await o.call(ops.paging, {}, o.owner)).status).toBe(403)
  })
})

describe('nobody raises anybody above oneself', () => {
  it('with a role as heavy as the own, heavier, or that may more', async () => {
    const equal = await o.role(o.acme.kid, 'equal', 500, ['deviceList'], o.admin.acme)
    const kid = await add()
    for (const [role_kid, name] of [
      [o.manager_role, 'role_weight'],
      [equal, 'role_weight'],
      [o.admin.acme, 'role_weight'],
      [wide, 'role_beyond_own'],
    ] as const) {
      const made = await o.call(insert, draft({ role_kids: [role_kid] }), o.manager)
      expect(made).toMatchObject(refused(name))
      if (name === 'role_beyond_own') expect(made.message).toContain('homeIndex, deviceList:move')
      expect(await edit(kid, { role_kids: [clerk, role_kid] }, o.manager)).toMatchObject(refused(name))
    }
    expect(await edit(kid, { role_kids: [clerk] }, o.manager)).toMatchObject(done)
    // The head of the account is one: it makes no second of its weight either.
    expect(await o.call(insert, draft({ role_kids: [o.admin.acme] }), o.owner)).toMatchObject(refused('role_weight'))
  })

  it('nor changes, disables or deletes oneself', async () => {
    const { kid } = o.manager
    expect(await edit(kid, { role_kids: [clerk] }, o.manager)).toMatchObject(refused('own_account'))
    expect(await o.call(set_status, { kid, status: 'invalid' }, o.manager)).toMatchObject(refused('own_account'))
    expect(await o.call(reset_totp, { kid }, o.manager)).toMatchObject(refused('own_account'))
    expect(await o.call(remove, { kid }, o.manager)).toMatchObject(refused('own_account'))
    expect((await rowOf(kid, o.manager)).can).toEqual([])
  })

  it('nor touches somebody as heavy, nor takes over somebody who may more', async () => {
    const peer = await o.member(3, o.acme.kid, 'peer', [o.manager_role])
    for (const reply of [
      await edit(peer.kid, { role_kids: [clerk] }, o.manager),
      await o.call(set_status, { kid: peer.kid, status: 'invalid' }, o.manager),
      await o.call(reset_totp, { kid: peer.kid }, o.manager),
      await o.call(remove, { kid: peer.kid }, o.manager),
    ])
      expect(reply).toMatchObject(refused('role_weight'))
    expect((await rowOf(peer.kid, o.manager)).can).toEqual([])
    const more = await add({ role_kids: [wide] })
    expect(await edit(more, { role_kids: [clerk], password }, o.manager)).toMatchObject(refused('role_beyond_own'))
    const totp_enabled_at = o.deps.clock.now()
    await o.deps.db.updateTable('user_account').set({ totp_enabled_at }).where('kid', '=', more).execute()
    expect(await o.call(reset_totp, { kid: more }, o.manager)).toMatchObject(refused('role_beyond_own'))
    expect((await rowOf(more, o.manager)).can).toEqual(['disable', 'delete'])
    expect(await o.call(set_status, { kid: more, status: 'invalid' }, o.manager)).toMatchObject(done)
  })

  it('and finds out beforehand which roles may be given', async () => {
    const { data } = await o.call(list_role, {}, o.manager)
    const may = Object.fromEntries(data.map((role) => [role.code, role.can_assign]))
    expect(may).toMatchObject({ admin: false, manager: false, clerk: true, wide: false })
    expect(data[0]).toMatchObject({ code: 'admin', parent_kid: null, weight: 1000 })
  })

  it('whoever acts for the account from above may give every role of it that holds no more than the giver', async () => {
    await o.call(contract.opsAccount.calls.enter, { kid: o.acme.kid }, o.boss)
    const inside = { token: o.boss.token, account_kid: o.acme.kid }
    expect(await o.call(insert, draft({ role_kids: [o.admin.acme, wide] }), inside)).toMatchObject(done)
    await o.call(contract.opsAccount.calls.leave, {}, o.boss)
    const below = { token: o.owner.token, account_kid: o.acme_sub.kid }
    expect(await o.call(insert, draft({ role_kids: [o.admin.acme_sub] }), below)).toMatchObject(done)
  })
})

describe('somebody limited to groups', () => {
  let limited: Member
  beforeAll(async () => {
    limited = await o.member(3, o.acme.kid, 'limited', [o.manager_role])
    const row = { account_kid: o.acme.kid, user_kid: limited.kid, terminal_group_kid: north }
    await o.deps.db.insertInto('terminal_group_user_manged').values(row).execute()
  })

  it('makes people who are limited to the same or less, never to nothing, elsewhere or more', async () => {
    for (const group_kids of [undefined, [], [south], [north, south], [newKid()]])
      expect(await o.call(insert, draft(group_kids ? { group_kids } : {}), limited)).toMatchObject(
        refused('group_unknown'),
      )
    expect(await o.call(insert, draft({ group_kids: [north] }), limited)).toMatchObject(done)
    const kid = await add({ group_kids: [north_inner] }, limited)
    expect(await edit(kid, { group_kids: [] }, limited)).toMatchObject(refused('group_unknown'))
    expect(await edit(kid, { group_kids: [south] }, limited)).toMatchObject(refused('group_unknown'))
    expect(await edit(kid, { group_kids: [north] }, limited)).toMatchObject(done)
  })

  it('touches nobody who reaches further', async () => {
    for (const group_kids of [[], [south], [north, south]]) {
      const kid = await add({ group_kids })
      expect((await rowOf(kid, limited)).can).toEqual([])
      for (const reply of [
        await edit(kid, { group_kids: [north], password }, limited),
        await o.call(set_status, { kid, status: 'invalid' }, limited),
        await o.call(remove, { kid }, limited),
      ])
        expect(reply).toMatchObject(refused('no_permission'))
    }
  })

  it('and nobody else names a group of another account', async () => {
    const kid = newKid()
    const row = { kid, account_kid: o.globex.kid, parent_kid: null, name: 'Theirs', depth: 1 }
    await o.deps.db.insertInto('terminal_group').values(row).execute()
    expect(await o.call(insert, draft({ group_kids: [kid] }), o.owner)).toMatchObject(refused('group_unknown'))
    expect(await edit(await add(), { group_kids: [north, kid] })).toMatchObject(refused('group_unknown'))
  })
})

describe('the sessions of a person', () => {
  const signedIn = async (over: Partial<Draft> = {}) => {
    const kid = await add(over)
    return { kid, token: await o.signIn(kid) }
  }

  it('end with new roles and with a new password, and with nothing else', async () => {
    const person = await signedIn({ role_kids: [clerk, wide] })
    const before = (await stored(person.kid)).password_hash
    await edit(person.kid, { name: 'Renamed', remark: 'x', role_kids: [wide, clerk], password: '' })
    expect(await o.isSignedIn(person)).toBe(true)
    expect((await stored(person.kid)).password_hash).toBe(before)
    await edit(person.kid, { role_kids: [clerk] })
    expect(await o.isSignedIn(person)).toBe(false)
    person.token = await o.signIn(person.kid)
    await edit(person.kid, { password: clientHash('Other-2026!') })
    expect(await o.isSignedIn(person)).toBe(false)
    const { password_hash } = await stored(person.kid)
    expect((await verifyPassword(clientHash('Other-2026!'), password_hash)).is_right).toBe(true)
  })

  it('end when the person is disabled, who is enabled again as what it was', async () => {
    const person = await signedIn()
    expect(await o.call(set_status, { kid: person.kid, status: 'invalid' }, o.owner)).toMatchObject(done)
    expect(await o.isSignedIn(person)).toBe(false)
    expect(await rowOf(person.kid)).toMatchObject({ state: 'invalid', can: ['edit', 'enable', 'delete'] })
    await o.call(set_status, { kid: person.kid, status: 'normal' }, o.owner)
    expect(await rowOf(person.kid)).toMatchObject({ state: 'init' })
    const last_use_at = o.deps.clock.now()
    await o.deps.db.updateTable('user_account').set({ last_use_at }).where('kid', '=', person.kid).execute()
    await o.call(set_status, { kid: person.kid, status: 'normal' }, o.owner)
    expect(await rowOf(person.kid)).toMatchObject({ state: 'normal' })
  })

  it('end when the second factor is switched off for somebody, which forgets all of it', async () => {
    const person = await signedIn()
    const totp = { totp_secret: 'sealed', totp_enabled_at: o.deps.clock.now(), totp_last_step: 1, totp_recovery: ['x'] }
    await o.deps.db.updateTable('user_account').set(totp).where('kid', '=', person.kid).execute()
    expect(await rowOf(person.kid)).toMatchObject({ has_totp: true, can: ['edit', 'disable', 'delete', 'reset_totp'] })
    expect(await o.call(reset_totp, { kid: person.kid }, o.owner)).toMatchObject(done)
    expect(await o.isSignedIn(person)).toBe(false)
    expect(await stored(person.kid)).toMatchObject({
      totp_secret: null,
      totp_enabled_at: null,
      totp_last_step: null,
      totp_recovery: [],
    })
  })

  it('are gone with the person', async () => {
    const person = await signedIn({ group_kids: [north] })
    expect(await o.call(remove, { kid: person.kid }, o.owner)).toMatchObject(done)
    expect(await o.isSignedIn(person)).toBe(false)
    expect((await o.call(get, { kid: person.kid }, o.owner)).status).toBe(404)
    expect((await o.call(remove, { kid: person.kid }, o.owner)).status).toBe(404)
  })
})

describe('places for people', () => {
  it('are counted, and twenty who ask at once get exactly what is left', async () => {
    const counted = await o.call(inventory, {}, o.stranger)
    expect(counted.data).toEqual({ user_max: null, user_count: 0 })
    await o.deps.db.updateTable('account').set({ user_max: 4 }).where('kid', '=', o.globex.kid).execute()
    const role_kid = await o.role(o.globex.kid, 'clerk', 100, ['deviceList'], o.admin.globex)
    const ask = () => o.call(insert, draft({ role_kids: [role_kid] }), o.stranger)
    const first = (await ask()).data.kid
    const replies = await Promise.all(Array.from({ length: 20 }, ask))
    expect(replies.filter((reply) => reply.result === 1)).toHaveLength(3)
    expect(new Set(replies.map((reply) => reply.result))).toEqual(new Set([1, 40015]))
    expect((await o.call(inventory, {}, o.stranger)).data).toEqual({ user_max: 4, user_count: 4 })
    // A disabled person keeps the place; one who is deleted gives it back.
    await o.call(set_status, { kid: first, status: 'invalid' }, o.stranger)
    expect(await ask()).toMatchObject(refused('registered_users_exceed_limit'))
    await o.call(remove, { kid: first }, o.stranger)
    expect(await ask()).toMatchObject(done)
  })
})

describe('the list', () => {
  it('is searched, filtered, sorted and paged', async () => {
    const role_kid = await o.role(o.globex.kid, 'listed', 90, [], o.admin.globex)
    await o.deps.db.updateTable('account').set({ user_max: null }).where('kid', '=', o.globex.kid).execute()
    for (const [i, name] of ['delta', 'Alpha', 'charlie', 'Bravo%'].entries()) {
      await o.call(insert, draft({ username: `list.${i}`, name, role_kids: [role_kid] }), o.stranger)
      await o.deps.clock.advance(1_000)
    }
    const listed = async (input: object) => {
      const { data } = await o.call(paging, { role_kid, ...input }, o.stranger)
      return { ...data, names: data.items.map((row) => row.name).join(' ') }
    }
    expect((await listed({})).names).toBe('Alpha Bravo% charlie delta')
    expect((await listed({ sort: 'created_at' })).names).toBe('Bravo% charlie Alpha delta')
    expect((await listed({ sort: 'username', order: 'desc' })).names).toBe('Bravo% charlie Alpha delta')
    expect((await listed({ text: 'LIST.2' })).names).toBe('charlie')
    expect((await listed({ text: '%' })).names).toBe('Bravo%')
    expect((await listed({ state: 'normal' })).names).toBe('')
    expect((await listed({ role_kid: clerk })).total).toBe(0)
    const first = await listed({ page_size: 3 })
    expect(first).toMatchObject({ names: 'Alpha Bravo% charlie', total: 4 })
    expect((await listed({ page_size: 3, after: first.next })).names).toBe('delta')
    expect((await listed({ sort: 'last_use_at' })).total).toBe(4)
    expect((await o.call(paging, { sort: 'phone' } as never, o.stranger)).result).toBe(10000)
  })
})

describe('the provider’s own people', () => {
  let aide: string
  beforeAll(async () => {
    aide = await o.role(o.provider.kid, 'aide', 400, ['insideUser*', 'mdmManageInsideUser*'], o.admin.provider)
  })
  const make = async (role_kids: string[], as: { token: string } = o.boss) => {
    const { group_kids: _, ...rest } = draft({ role_kids })
    return o.call(ops.insert, rest, as)
  }
  const administrator = async () => {
    const { kid } = (await make([o.admin.provider])).data
    return { kid, token: await o.signIn(kid) }
  }

  it('are theirs alone, also for somebody inside a customer', async () => {
    await o.call(contract.opsAccount.calls.enter, { kid: o.acme.kid }, o.boss)
    const inside = { token: o.boss.token, account_kid: o.acme.kid }
    const { kid } = (await make([aide], inside)).data
    expect((await o.call(ops.get, { kid }, o.boss)).data).toMatchObject({ roles: [{ code: 'aide' }], state: 'init' })
    expect((await stored(kid)).type).toBe(101)
    expect((await o.call(get, { kid }, inside)).status).toBe(404)
    const all = (await o.call(ops.paging, {}, inside)).data.items
    expect(all.map((row) => row.kid)).toEqual(expect.arrayContaining([kid, o.boss.kid]))
    expect(all.map((row) => row.kid)).not.toContain(o.owner.kid)
    await o.call(contract.opsAccount.calls.leave, {}, o.boss)
    expect((await o.call(ops.list_role, {}, o.boss)).data.find((role) => role.code === 'admin')).toMatchObject({
      can_assign: true,
    })
  })

  it('stay below whoever makes them, except that administrators are equals', async () => {
    const helper = await o.member(101, o.provider.kid, 'aide.one', [aide])
    expect(await make([aide], helper)).toMatchObject(refused('role_weight'))
    expect(await make([o.admin.provider], helper)).toMatchObject(refused('role_weight'))
    const other = await administrator()
    for (const reply of [
      await o.call(ops.set_status, { kid: other.kid, status: 'invalid' }, helper),
      await o.call(ops.delete, { kid: other.kid }, helper),
    ])
      expect(reply).toMatchObject(refused('role_weight'))
    const over = { kid: other.kid, name: 'Demoted', role_kids: [aide] }
    expect(await o.call(ops.update, over, helper)).toMatchObject(refused('role_weight'))
    expect(await o.call(ops.update, over, o.boss)).toMatchObject(done)
    expect(await o.isSignedIn(other)).toBe(false)
    expect(await o.call(ops.update, { ...over, kid: o.boss.kid }, o.boss)).toMatchObject(refused('own_account'))
  })

  it('always have an administrator left, however two of them go for each other', async () => {
    await o.deps.db
      .deleteFrom('user_role')
      .where('role_kid', '=', o.admin.provider)
      .where('user_kid', '!=', o.boss.kid)
      .execute()
    const attacks = {
      disable: (kid: string, as: { token: string }) => o.call(ops.set_status, { kid, status: 'invalid' }, as),
      delete: (kid: string, as: { token: string }) => o.call(ops.delete, { kid }, as),
      demote: (kid: string, as: { token: string }) =>
        o.call(ops.update, { kid, name: 'Demoted', role_kids: [aide] }, as),
    }
    let last: { kid: string; token: string } = o.boss
    for (const [what, attack] of Object.entries(attacks)) {
      const { kid } = (await make([o.admin.provider], last)).data
      const rival = { kid, token: await o.signIn(kid) }
      const replies = await Promise.all([attack(rival.kid, last), attack(last.kid, rival)])
      expect(
        replies.filter((reply) => reply.result === 1),
        what,
      ).toHaveLength(1)
      // The first to get through is the one who stays.
      last = replies[0].result === 1 ? last : rival
      expect(await o.isSignedIn(last), what).toBe(true)
      expect((await o.call(ops.list_role, {}, last)).data.find((role) => role.code === 'admin')?.can_assign).toBe(true)
    }
    // Somebody who was disabled this very second still counts as signed in, but no longer as an administrator.
    const rival = (await make([o.admin.provider], last)).data
    expect(await o.isSignedIn(last)).toBe(true)
    await o.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', last.kid).execute()
    expect(await attacks.demote(rival.kid, last)).toMatchObject(refused('last_administrator'))
    expect(
      (await o.deps.db.selectFrom('user_role').selectAll().where('user_kid', '=', rival.kid).execute())[0],
    ).toEqual({ user_kid: rival.kid, role_kid: o.admin.provider })
  })
})

import { contract, errors } from '@mdm/contract'
import type { ErrorName, Sent } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { ensureMenus } from '../menu-tree/index.ts'
import { limitAccountTo } from './index.ts'
import { staff } from '../../../testing/staff.ts'
import type { Staff } from '../../../testing/staff.ts'

const { list, get, list_grantable, exists, insert, update, save_permissions, delete: remove } = contract.role.calls
const ops = contract.opsRole.calls

let o: Staff
beforeAll(async () => {
  o = await staff()
  await ensureMenus(o.deps)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const refused = (name: ErrorName) => ({ result: errors[name].result, status: errors[name].status })
const done = { result: 1, status: 200 }
let n = 0
/** A code that no role has yet: letters only. */
const freshCode = () => `code${[...String(++n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
const draft = (over: Partial<Sent<typeof insert>> = {}): Sent<typeof insert> => {
  const code = freshCode()
  return { code, name: `Name ${code}`, weight: 100, parent_kid: o.admin.acme, ...over }
}
const add = async (over: Partial<Sent<typeof insert>> = {}, as: { token: string; account_kid?: string } = o.owner) => {
  const reply = await o.call(insert, draft(over), as)
  expect(reply).toMatchObject(done)
  return reply.data.kid
}
const permissionsOf = async (kid: string) =>
  (await o.deps.db.selectFrom('role').select('permissions').where('kid', '=', kid).executeTakeFirstOrThrow())
    .permissions

describe('the tree of roles', () => {
  it('is listed parents first, the heaviest sibling first, with what each is used for', async () => {
    const low = await add({ weight: 10, name: 'Low' })
    const top = await add({ weight: 600, name: 'Top', permissions: ['deviceList'] })
    const inner = await add({ weight: 599, parent_kid: top })
    await o.member(3, o.acme.kid, 'lister', [inner])
    const { data } = await o.call(list, {}, o.owner)
    const at = (kid: string) => data.findIndex((role) => role.kid === kid)
    expect(at(o.admin.acme)).toBe(0)
    expect(at(top)).toBeLessThan(at(inner))
    expect(at(inner)).toBe(at(top) + 1)
    expect(at(top)).toBeLessThan(at(o.manager_role))
    expect(at(o.manager_role)).toBeLessThan(at(low))
    expect(data[0]).toMatchObject({ is_admin: true, parent_kid: null, weight: 1000, has_child: true })
    expect(data[at(top)]).toMatchObject({ has_child: true, user_count: 0, is_admin: false, parent_kid: o.admin.acme })
    expect(data[at(inner)]).toMatchObject({ has_child: false, user_count: 1 })
    expect((await o.call(get, { kid: inner }, o.owner)).data).toEqual(data[at(inner)])
  })

  it('says of each role what the caller may do with it', async () => {
    const used = await add({ weight: 20, permissions: ['homeIndex'] })
    await o.member(3, o.acme.kid, 'user.of.used', [used])
    const free = await add({ weight: 21 })
    const lightest = await add({ weight: 1 })
    const can = async (kid: string, as: { token: string }) =>
      (await o.call(get, { kid }, as)).data.can.toSorted().join(' ')
    expect(await can(o.admin.acme, o.owner)).toBe('add_child')
    expect(await can(used, o.owner)).toBe('add_child assign edit grant')
    expect(await can(free, o.owner)).toBe('add_child assign delete edit grant')
    expect(await can(lightest, o.owner)).toBe('assign delete edit grant')
    // The manager does not hold homeIndex, may not touch the own role, and only look at what is heavier.
    expect(await can(used, o.manager)).toBe('add_child edit grant')
    expect(await can(o.manager_role, o.manager)).toBe('add_child')
    expect(await can(o.admin.acme, o.manager)).toBe('add_child')
  })

  it('holds another account out, whoever of it asks', async () => {
    const kid = await add()
    expect((await o.call(list, {}, o.stranger)).data.map((role) => role.kid)).not.toContain(kid)
    expect((await o.call(get, { kid }, o.stranger)).status).toBe(404)
    expect((await o.call(update, { kid, ...draft({ parent_kid: o.admin.globex }) }, o.stranger)).status).toBe(404)
    expect((await o.call(save_permissions, { kid, permissions: [] }, o.stranger)).status).toBe(404)
    expect((await o.call(remove, { kid }, o.stranger)).status).toBe(404)
    expect(await o.call(insert, draft(), o.stranger)).toMatchObject(refused('role_unknown'))
    expect((await o.call(ops.list, {}, o.owner)).status).toBe(403)
  })
})

describe('a role', () => {
  it('is made with its permissions, edited and found by code and name', async () => {
    const code = freshCode()
    const kid = await add({ code, name: 'Clerks 店员', remark: 'note', permissions: ['deviceList', 'deviceList'] })
    expect((await o.call(get, { kid }, o.owner)).data).toMatchObject({
      code,
      name: 'Clerks 店员',
      remark: 'note',
      weight: 100,
      permissions: ['deviceList'],
      created_at: o.deps.clock.now().toISOString(),
    })
    await o.deps.clock.advance(1_000)
    const edited = { kid, code, name: 'CLERKS 店员', weight: 90, remark: '', parent_kid: o.admin.acme }
    expect(await o.call(update, edited, o.owner)).toMatchObject(done)
    expect((await o.call(get, { kid }, o.owner)).data).toMatchObject({
      ...edited,
      permissions: ['deviceList'],
      updated_at: o.deps.clock.now().toISOString(),
    })
    const isTaken = async (input: object, as = o.owner) => (await o.call(exists, input, as)).data.exists
    expect(await isTaken({ code })).toBe(true)
    expect(await isTaken({ name: 'clerks 店员' })).toBe(true)
    expect(await isTaken({ code, name: 'clerks 店员', src_kid: kid })).toBe(false)
    expect(await isTaken({})).toBe(false)
    expect(await isTaken({ code }, o.stranger)).toBe(false)
  })

  it('has a code of letters, a weight below 1000 and patterns that are patterns', async () => {
    for (const bad of [
      { code: 'a1' },
      { code: '' },
      { code: 'mã' },
      { weight: 0 },
      { weight: 1000 },
      { weight: 1.5 },
      { name: ' ' },
      { permissions: ['a b'] },
    ])
      expect((await o.call(insert, draft(bad), o.owner)).result, JSON.stringify(bad)).toBe(10000)
  })

  it('has a code and a name of its own, also when two people save at once', async () => {
    const [one, two] = [draft(), draft()]
    await o.call(insert, one, o.owner)
    const kid = await add(two)
    expect(await o.call(insert, draft({ code: one.code }), o.owner)).toMatchObject(refused('duplicate_role'))
    expect(await o.call(insert, draft({ name: one.name.toUpperCase() }), o.owner)).toMatchObject(
      refused('duplicate_name'),
    )
    const rest = { kid, weight: 100, parent_kid: o.admin.acme }
    expect(await o.call(update, { ...rest, code: one.code, name: two.name }, o.owner)).toMatchObject(
      refused('duplicate_role'),
    )
    expect(await o.call(update, { ...rest, code: two.code, name: one.name }, o.owner)).toMatchObject(
      refused('duplicate_name'),
    )
    const same = draft()
    const both = await Promise.all([o.call(insert, same, o.owner), o.call(insert, same, o.owner)])
    expect(both.map((reply) => reply.result).toSorted()).toEqual([1, errors.duplicate_role.result])
    expect(await add({ ...one, parent_kid: o.admin.globex }, o.stranger)).toBeTruthy()
  })

  it('is lighter than its maker, than the role above it, and heavier than those below', async () => {
    const parent = await add({ weight: 300 })
    const child = await add({ weight: 200, parent_kid: parent })
    const edit = (kid: string, over: object, as = o.owner) => {
      const { permissions: _, ...rest } = draft()
      return o.call(update, { kid, ...rest, ...over }, as)
    }
    expect(await o.call(insert, draft({ weight: 500 }), o.manager)).toMatchObject(refused('role_weight'))
    expect(await o.call(insert, draft({ weight: 300, parent_kid: parent }), o.owner)).toMatchObject(
      refused('role_weight'),
    )
    expect(await edit(child, { weight: 301, parent_kid: parent })).toMatchObject(refused('role_weight'))
    expect(await edit(parent, { weight: 200 })).toMatchObject(refused('role_weight'))
    expect(await edit(parent, { weight: 500 }, o.manager)).toMatchObject(refused('role_weight'))
    expect(await edit(parent, { weight: 201 })).toMatchObject(done)
    const light = await add({ weight: 150 })
    expect(await edit(child, { weight: 200, parent_kid: light })).toMatchObject(refused('role_weight'))
    expect(await edit(child, { weight: 149, parent_kid: light })).toMatchObject(done)
    expect(await edit(child, { weight: 1, parent_kid: newKid() })).toMatchObject(refused('role_unknown'))
    expect(await edit(child, { weight: 1, parent_kid: o.admin.globex })).toMatchObject(refused('role_unknown'))
  })

  it('does not move into itself or below itself, also when two moves meet', async () => {
    const top = await add({ weight: 300 })
    const inner = await add({ weight: 200, parent_kid: top })
    const move = (kid: string, parent_kid: string, weight: number) => {
      const { permissions: _, ...rest } = draft()
      return o.call(update, { ...rest, kid, parent_kid, weight }, o.owner)
    }
    expect(await move(top, top, 10)).toMatchObject(refused('role_into_itself'))
    expect(await move(top, inner, 10)).toMatchObject(refused('role_into_itself'))
    const [a, b] = [await add({ weight: 300 }), await add({ weight: 200 })]
    const replies = await Promise.all([move(a, b, 100), move(b, a, 290)])
    expect(replies.map((reply) => reply.result === 1).toSorted()).toEqual([false, true])
    const listed = (await o.call(list, {}, o.owner)).data
    expect(listed.map((role) => role.kid)).toEqual(expect.arrayContaining([a, b]))
  })

  it('is deleted when nobody has it and nothing is below it', async () => {
    const parent = await add({ weight: 300 })
    const child = await add({ weight: 200, parent_kid: parent })
    const { kid } = await o.member(3, o.acme.kid, 'holder', [child])
    expect(await o.call(remove, { kid: parent }, o.owner)).toMatchObject(refused('role_has_children'))
    expect(await o.call(remove, { kid: child }, o.owner)).toMatchObject(refused('role_in_use'))
    await o.deps.db.deleteFrom('user_account').where('kid', '=', kid).execute()
    expect(await o.call(remove, { kid: child }, o.owner)).toMatchObject(done)
    expect(await o.call(remove, { kid: child }, o.owner)).toMatchObject({ status: 404 })
    expect(await o.call(remove, { kid: parent }, o.owner)).toMatchObject(done)
  })
})

describe('nobody raises oneself', () => {
  it('through the own role, or one as heavy or heavier', async () => {
    const equal = await add({ weight: 500, permissions: ['deviceList'] })
    const lighter = await add({ weight: 400, permissions: ['deviceList'] })
    await o.deps.db.insertInto('user_role').values({ user_kid: o.manager.kid, role_kid: lighter }).execute()
    for (const [kid, name] of [
      [o.manager_role, 'own_account'],
      [lighter, 'own_account'],
      [equal, 'role_weight'],
      [o.admin.acme, 'role_weight'],
    ] as const) {
      const { permissions: _, ...rest } = draft({ weight: 2 })
      expect(await o.call(save_permissions, { kid, permissions: ['deviceList'] }, o.manager)).toMatchObject(
        refused(name),
      )
      expect(await o.call(update, { kid, ...rest }, o.manager)).toMatchObject(refused(name))
      expect(await o.call(remove, { kid }, o.manager)).toMatchObject(refused(name))
    }
    await o.deps.db.deleteFrom('user_role').where('role_kid', '=', lighter).execute()
  })

  it('through a role that may more: by name, by a pattern wider than what is held, or by everything', async () => {
    const kid = await add({ weight: 50 })
    for (const permissions of [
      ['homeIndex'],
      ['deviceList*'],
      ['deviceList:*'],
      ['*'],
      ['deviceList', 'webhookList'],
    ]) {
      expect(await o.call(insert, draft({ permissions }), o.manager)).toMatchObject(refused('role_beyond_own'))
      const saved = await o.call(save_permissions, { kid, permissions }, o.manager)
      expect(saved).toMatchObject(refused('role_beyond_own'))
      expect(saved.message).toContain(permissions.at(-1))
    }
    expect(await permissionsOf(kid)).toEqual([])
    const within = ['deviceList:edit', 'userAccountManageList*', 'userAccountManageAdd']
    expect(await o.call(save_permissions, { kid, permissions: within }, o.manager)).toMatchObject(done)
    // Not even the owner of the account goes beyond what the provider gave it.
    expect(await o.call(insert, draft({ permissions: ['*'] }), o.owner)).toMatchObject(refused('role_beyond_own'))
    expect(await permissionsOf(o.admin.acme)).not.toContain('*')
  })

  it('but what a lighter role has already may stay when somebody saves it who does not hold it', async () => {
    const kid = await add({ weight: 50, permissions: ['homeIndex', 'deviceList'] })
    const save = (permissions: string[]) => o.call(save_permissions, { kid, permissions }, o.manager)
    expect(await save(['homeIndex', 'deviceList:edit'])).toMatchObject(done)
    expect(await save(['deviceList:edit'])).toMatchObject(done)
    expect(await save(['homeIndex', 'deviceList:edit'])).toMatchObject(refused('role_beyond_own'))
  })

  it('nor with what was taken away within the last second, which a session may still show', async () => {
    const kid = await o.role(o.acme.kid, 'shrinking', 450, ['deviceList*', 'userRoleManageList*'], o.admin.acme)
    const member = await o.member(3, o.acme.kid, 'shrinking', [kid])
    const grant = (permissions: string[]) => o.call(insert, draft({ permissions }), member)
    expect(await grant(['deviceList:move'])).toMatchObject(done)
    await o.deps.db
      .updateTable('role')
      .set({ permissions: ['deviceList'] })
      .where('kid', '=', kid)
      .execute()
    expect(await grant(['deviceList:move'])).toMatchObject(refused('role_beyond_own'))
    await o.deps.db.deleteFrom('user_role').where('user_kid', '=', member.kid).execute()
    expect(await grant([])).toMatchObject(refused('role_weight'))
  })

  it('nor may one look or write without the permission', async () => {
    const reader = await o.member(3, o.acme.kid, 'role.reader', [
      await add({ weight: 30, permissions: ['userRoleManageList'] }),
    ])
    expect((await o.call(list, {}, reader)).status).toBe(200)
    for (const reply of [
      await o.call(insert, draft(), reader),
      await o.call(remove, { kid: newKid() }, reader),
      await o.call(save_permissions, { kid: newKid(), permissions: [] }, reader),
    ])
      expect(reply.status).toBe(403)
    expect((await o.call(list, {}, o.acme_person)).status).toBe(403)
  })
})

describe('saving permissions', () => {
  it('ends the sessions of those who have the role at once, and of nobody else', async () => {
    const kid = await add({ weight: 60, permissions: ['deviceList'] })
    const [held, other] = [
      await o.member(3, o.acme.kid, 'saved', [kid]),
      await o.member(3, o.acme.kid, 'not.saved', [await add({ weight: 61, permissions: ['deviceList'] })]),
    ]
    expect(await o.isSignedIn(held)).toBe(true)
    await o.call(save_permissions, { kid, permissions: ['deviceList', 'deviceList'] }, o.owner)
    expect(await o.isSignedIn(held)).toBe(true)
    const { permissions: _, ...rest } = draft({ weight: 62 })
    await o.call(update, { kid, ...rest }, o.owner)
    expect(await o.isSignedIn(held)).toBe(true)
    await o.call(save_permissions, { kid, permissions: ['deviceList:edit'] }, o.owner)
    expect(await o.isSignedIn(held)).toBe(false)
    expect(await o.isSignedIn(other)).toBe(true)
    expect(await o.isSignedIn(o.owner)).toBe(true)
  })

  it('authorises the administrator of the account for what only the provider could grant', async () => {
    const inside = { token: o.boss.token, account_kid: o.globex.kid }
    const small = await o.role(o.globex.kid, 'small', 10, [], o.admin.globex)
    await o.deps.db
      .updateTable('role')
      .set({ permissions: ['deviceList*'] })
      .where('kid', '=', o.admin.globex)
      .execute()
    await o.call(contract.opsAccount.calls.enter, { kid: o.globex.kid }, o.boss)
    expect((await o.call(get, { kid: o.admin.globex }, inside)).data.can).toEqual(['add_child', 'assign'])
    expect(await o.isSignedIn(o.stranger)).toBe(true)
    const permissions = ['deviceList:edit', 'fileCloudList', 'fileCloudList*']
    expect(await o.call(save_permissions, { kid: small, permissions }, inside)).toMatchObject(done)
    expect(await permissionsOf(o.admin.globex)).toEqual(['deviceList*', 'fileCloudList', 'fileCloudList*'])
    expect(await o.isSignedIn(o.stranger)).toBe(false)
    // Not its administrator's own role, which is the account's to change.
    expect(await o.call(save_permissions, { kid: o.admin.globex, permissions: [] }, inside)).toMatchObject(
      refused('role_weight'),
    )
    await o.call(contract.opsAccount.calls.leave, {}, o.boss)
    o.stranger.token = await o.signIn(o.stranger.kid)
    await o.deps.db
      .updateTable('role')
      .set({ permissions: ['*'] })
      .where('kid', '=', o.admin.globex)
      .execute()
  })

  it('of a sub-account stays within what the account above it holds, even by the provider', async () => {
    await o.call(contract.opsAccount.calls.enter, { kid: o.acme_sub.kid }, o.boss)
    for (const as of [
      { token: o.boss.token, account_kid: o.acme_sub.kid },
      { token: o.owner.token, account_kid: o.acme_sub.kid },
    ]) {
      const below = { parent_kid: o.admin.acme_sub, weight: 999 }
      expect(await o.call(insert, draft({ ...below, permissions: ['fileCloudList'] }), as)).toMatchObject(
        refused('role_beyond_own'),
      )
      expect(await o.call(insert, draft({ ...below, permissions: ['deviceList*', 'homeIndex'] }), as)).toMatchObject(
        done,
      )
    }
    expect(await permissionsOf(o.admin.acme_sub)).toContain('homeIndex')
    await o.call(contract.opsAccount.calls.leave, {}, o.boss)
  })
})

describe('what can be granted', () => {
  it('is every entry of the client side, hidden pages too, parents first, and what of it the caller holds', async () => {
    const { data } = await o.call(list_grantable, {}, o.manager)
    const at = (code: string) => data.findIndex((entry) => entry.code === code)
    expect(data.map((entry) => entry.code)).toEqual(
      expect.arrayContaining(['homeIndex', 'deviceDetailInfo', 'deviceDetailInfo:lock', 'userAccountManageAdd']),
    )
    expect(at('mdm-manage')).toBe(-1)
    for (const [i, entry] of data.entries())
      if (entry.parent_code !== null) expect(at(entry.parent_code), entry.code).toBeLessThan(i)
    const may = Object.fromEntries(data.map((entry) => [entry.code, entry.may_grant]))
    expect(may).toMatchObject({
      'device-manages': true,
      deviceList: true,
      'deviceList:edit': true,
      'deviceList:move': false,
      'userAccountManageList:delete': true,
      homeIndex: false,
      'file-manage': false,
    })
  })

  it('to the provider’s own people is both sides, wherever the caller is', async () => {
    const { data } = await o.call(ops.list_grantable, {}, o.boss)
    expect(data.map((entry) => entry.code)).toEqual(
      expect.arrayContaining(['homeIndex', 'mdm-manage', 'insideRoleManageList:edit']),
    )
    expect(data.every((entry) => entry.may_grant)).toBe(true)
  })
})

describe('roles of the provider', () => {
  it('are the provider’s, also for somebody inside a customer', async () => {
    await o.call(contract.opsAccount.calls.enter, { kid: o.acme.kid }, o.boss)
    const inside = { token: o.boss.token, account_kid: o.acme.kid }
    const kid = (await o.call(ops.insert, draft({ parent_kid: o.admin.provider, permissions: ['*'] }), inside)).data.kid
    expect((await o.call(ops.get, { kid }, o.boss)).data).toMatchObject({ parent_kid: o.admin.provider })
    expect((await o.call(get, { kid }, inside)).status).toBe(404)
    await o.call(contract.opsAccount.calls.leave, {}, o.boss)
    const helper = await o.member(101, o.provider.kid, 'helper', [
      await o.role(o.provider.kid, 'helper', 400, ['insideRole*'], o.admin.provider),
    ])
    const over = draft({ parent_kid: o.admin.provider, permissions: ['externalUserManageList'] })
    expect(await o.call(ops.insert, over, helper)).toMatchObject(refused('role_beyond_own'))
    expect(await o.call(ops.insert, { ...over, permissions: [], weight: 400 }, helper)).toMatchObject(
      refused('role_weight'),
    )
    expect(await o.call(ops.save_permissions, { kid: o.admin.provider, permissions: ['*'] }, o.boss)).toMatchObject(
      refused('own_account'),
    )
  })
})

describe('a ceiling', () => {
  it('is what the administrator holds then, and every other role of the account and below it no more', async () => {
    const { kid } = await o.deps.db
      .insertInto('account')
      .values({ kid: newKid(), type: 1, name: 'Ceiling' })
      .returning('kid')
      .executeTakeFirstOrThrow()
    const sub = await o.deps.db
      .insertInto('account')
      .values({ kid: newKid(), type: 2, name: 'Below', parent_kid: kid })
      .returning('kid')
      .executeTakeFirstOrThrow()
    const admin = await o.role(kid, 'admin', 1000, ['*'])
    const wide = await o.role(kid, 'wide', 500, ['deviceList*', 'fileCloudList'], admin)
    const narrow = await o.role(kid, 'narrow', 400, ['deviceList'], admin)
    const below = await o.role(sub.kid, 'admin', 1000, ['*'])
    const people = {
      admin: await o.member(1, kid, 'ceil.admin', [admin]),
      wide: await o.member(3, kid, 'ceil.wide', [wide, narrow]),
      narrow: await o.member(3, kid, 'ceil.narrow', [narrow]),
      below: await o.member(2, sub.kid, 'ceil.below', [below]),
    }
    const ceiling = ['deviceList', 'deviceList:edit', 'homeIndex']
    const limit = () => o.deps.db.transaction().execute((trx) => limitAccountTo(trx, kid, ceiling))
    const { user_kids } = await limit()
    expect(user_kids.toSorted()).toEqual([people.admin.kid, people.wide.kid, people.below.kid].toSorted())
    expect(await permissionsOf(admin)).toEqual(ceiling)
    expect((await permissionsOf(wide)).toSorted()).toEqual(['deviceList', 'deviceList:edit'])
    expect(await permissionsOf(narrow)).toEqual(['deviceList'])
    expect((await permissionsOf(below)).toSorted()).toEqual(ceiling.toSorted())
    expect(await limit()).toEqual({ user_kids: [] })
    expect(await permissionsOf(o.admin.globex)).toEqual(['*'])
  })
})

import { constants, contract } from '@mdm/contract'
import type { Sent } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testApi, testPassword } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { clientHash } from '../../../lib/passwords.ts'
import { createRole } from '../account/index.ts'
import { takeSlot } from '../../fleet/enrolment/quota.ts'
import { createSession } from '../login/index.ts'
import { addTerminal } from '../../../testing/devices.ts'

const calls = contract.subAccount.calls
const customers = contract.opsAccount.calls
const { check_inventory } = contract.account.calls
const { session } = contract.login.calls
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

/** A customer with its root login, which may have sub-accounts. */
let root: { kid: string; user_kid: string; token: string }
const tokenOf = (user_kid: string) => createSession(o.deps, user_kid, { address: '192.0.2.9', user_agent: 'test' })
const confirmed = async <T>(run: () => T): Promise<T> => {
  await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
  await o.deps.clock.advance(1_001)
  return run()
}
const customer = async (more: Partial<Sent<typeof customers.insert>> = {}) => {
  n += 1
  const input = { username: `root-${n}`, password: clientHash(testPassword), name: `Root ${n}`, terminal_max: 10 }
  const { data } = await o.call(customers.insert, { ...input, sub_accounts_allowed: true, ...more }, o.operator)
  return { ...data, token: await tokenOf(data.user_kid) }
}
beforeEach(async () => {
  root = await customer()
})
const draft = (more: Partial<Draft> = {}): Draft => {
  n += 1
  return { username: `sub-${n}`, password: clientHash(testPassword), name: `Sub ${n}`, terminal_max: 2, ...more }
}
const insert = (more: Partial<Draft> = {}, by: As = root) => o.call(calls.insert, draft(more), by)
const get = async (kid: string) => (await o.call(calls.get, { kid }, root)).data
const update = async (kid: string, more: Partial<Sent<typeof calls.update>> = {}, by: As = root) => {
  const { name, organization_name, phone, email, wechat, remark, terminal_max, expire_time, permissions } =
    await get(kid)
  const kept = { name, organization_name, phone, email, wechat, remark, terminal_max, expire_time, permissions }
  return o.call(calls.update, { kid, ...kept, ...more }, by)
}
const lives = async (token: string) => {
  await o.deps.clock.advance(1_001)
  return (await o.call(session, {}, { token })).result === 1
}

describe('a sub-account', () => {
  it('is made with its login, listed, searched and entered by the root', async () => {
    const { data } = await insert({ name: 'Chi nhánh', phone: '55512345', expire_time: '2027-01-01T00:00:00Z' })
    const { enterprise_kid, organization_kid, account_details, file_disk, app_center, ...row } = await get(data.kid)
    expect([file_disk.is_shared, app_center.is_shared]).toEqual([true, true])
    expect([enterprise_kid, organization_kid, account_details.name]).toEqual([data.kid, root.kid, 'Chi nhánh'])
    expect(row).toMatchObject({
      user_kid: data.user_kid,
      name: 'Chi nhánh',
      phone: '55512345',
      state: 'init',
      terminal_max: 2,
      terminal_count: 0,
      expire_time: '2027-01-01T00:00:00.000Z',
      permissions: ['*'],
    })
    const second = await insert()
    const rows = async (input: Sent<typeof calls.paging>) => (await o.call(calls.paging, input, root)).data
    expect((await rows({})).items.map((each) => each.kid)).toEqual([data.kid, second.data.kid])
    expect((await rows({ text: 'chi NHÁNH' })).items).toEqual([row])
    expect((await rows({ text: row.username })).total).toBe(1)
    expect((await rows({ state: 'normal' })).total).toBe(0)
    for (const sort of ['name', 'username', 'expire_time', 'terminal_count', 'last_use_at', 'created_at'] as const) {
      const first = await rows({ sort, page_size: 1 })
      const rest = await rows({ sort, page_size: 1, after: first.next! })
      expect(new Set([...first.items, ...rest.items].map((each) => each.kid)).size).toBe(2)
    }
    expect((await o.call(session, {}, { token: root.token, account_kid: data.kid })).data.account_kid).toBe(data.kid)
    const own = await tokenOf(data.user_kid)
    expect((await o.call(session, {}, { token: own })).data).toMatchObject({ account_kid: data.kid, account_type: 2 })
  })

  it('has names of its own', async () => {
    const first = draft({ email: `sub-${n}@example.com` })
    expect((await o.call(calls.insert, first, root)).result).toBe(1)
    expect((await insert({ name: first.name.toUpperCase() })).result).toBe(44001)
    expect((await insert({ username: first.username.toUpperCase() })).result).toBe(44003)
    expect((await insert({ email: first.email! })).result).toBe(44004)
    const exists = await o.call(calls.exists, { username: first.username, email: 'free@example.com' }, root)
    expect(exists.data).toEqual({ exists: true, taken: ['username'] })
    // Siblings only: another customer may have the same.
    expect((await insert({ name: first.name }, await customer())).result).toBe(1)
  })

  it('is made by roots that may, and never below another', async () => {
    const alone = await customer({ sub_accounts_allowed: false })
    expect((await insert({}, alone)).result).toBe(41052)
    const { data } = await insert({ terminal_max: 4 })
    expect((await insert({ terminal_max: 1 }, { token: root.token, account_kid: data.kid })).result).toBe(41052)
    expect((await insert({}, { token: await tokenOf(data.user_kid) })).result).toBe(41052)
    expect((await o.call(calls.paging, {}, { token: await tokenOf(data.user_kid) })).data.total).toBe(0)
    expect((await insert({}, o.operator)).result).toBe(403)
    const { token } = o.operator
    await o.call(customers.enter, { kid: root.kid }, o.operator)
    expect((await insert({}, { token, account_kid: root.kid })).result).toBe(1)
    await o.call(customers.leave, {}, o.operator)
  })

  it('of another customer does not exist', async () => {
    const { data } = await insert()
    const stranger = await customer()
    for (const kid of [data.kid, root.kid, newKid(), o.provider.kid]) {
      expect((await o.call(calls.get, { kid }, stranger)).status).toBe(404)
      expect((await o.call(calls.update, { ...draft(), kid, password: null }, stranger)).status).toBe(404)
      for (const call of [
        () => o.call(calls.set_status, { kid, status: 'invalid' as const }, stranger),
        () => o.call(calls.delete, { kid }, stranger),
      ])
        expect((await confirmed(call)).status).toBe(404)
    }
    expect((await o.call(calls.paging, {}, stranger)).data.total).toBe(0)
    expect((await get(data.kid)).state).toBe('init')
    const powerless = await o.person(3, root.kid, `powerless-${n}`, ['subAccountManageList'])
    expect((await insert({}, powerless)).status).toBe(403)
    expect((await o.call(calls.paging, {}, powerless)).data.total).toBe(1)
  })
})

it('a sub-account ends with its root, and says so to its people, where that is first', async () => {
  const { data } = await insert()
  const token = await tokenOf(data.user_kid)
  const end = async () => (await o.call(session, {}, { token })).data.expire_time
  const inDays = (days: number) => new Date(o.deps.clock.now().getTime() + days * 86_400_000).toISOString()
  expect(await end()).toBe(null)
  const [tomorrow, later] = [inDays(1), inDays(10)]
  await o.call(customers.renew, { kid: root.kid, expire_time: tomorrow }, o.operator)
  expect(await end()).toBe(tomorrow)
  await update(data.kid, { expire_time: later })
  expect(await end()).toBe(tomorrow)
  await o.call(customers.renew, { kid: root.kid, expire_time: null }, o.operator)
  expect(await end()).toBe(later)
})

describe('places', () => {
  it('are given to as many of 20 as there are', async () => {
    await addTerminal(o.deps, root.kid)
    const made = await Promise.all(Array.from({ length: 20 }, () => insert({ terminal_max: 2 })))
    expect(made.map(({ result }) => result).toSorted()).toEqual([...Array(4).fill(1), ...Array(16).fill(40016)])
    const left = async (input: object) => (await o.call(check_inventory, input, root)).data.remaining
    expect(await left({ parent_kid: root.kid })).toBe(1)
    const kid = made.find(({ result }) => result === 1)!.data.kid
    expect(await left({ parent_kid: root.kid, src_kid: kid })).toBe(3)
    expect(await left({ src_kid: kid })).toBe(2)
    const raised = await Promise.all(
      made.filter(({ result }) => result === 1).map(({ data }) => update(data.kid, { terminal_max: 3 })),
    )
    expect(raised.map(({ result }) => result).toSorted()).toEqual([1, 40016, 40016, 40016])
    expect(await left({ parent_kid: root.kid })).toBe(0)
  })

  it('are no fewer than the devices, and without end only where the root has no end', async () => {
    const { data } = await insert({ terminal_max: 3 })
    await addTerminal(o.deps, data.kid)
    await addTerminal(o.deps, data.kid)
    const refused = await update(data.kid, { terminal_max: 1 })
    expect(refused).toMatchObject({ result: 41051 })
    expect(refused.message).toContain('2 registered')
    expect((await update(data.kid, { terminal_max: constants.unlimited_devices })).result).toBe(40016)
    expect((await update(data.kid, { terminal_max: 10 })).result).toBe(1)
    expect((await update(data.kid, { terminal_max: 11 })).result).toBe(40016)
    expect((await update(data.kid, { terminal_max: 2 })).result).toBe(1)
    await o.deps.db
      .updateTable('account')
      .set({ terminal_max: constants.unlimited_devices })
      .where('kid', '=', root.kid)
      .execute()
    expect((await update(data.kid, { terminal_max: constants.unlimited_devices })).result).toBe(1)
    expect((await insert({ terminal_max: 5_000 })).result).toBe(1)
    expect((await o.call(check_inventory, { num: 1_000_000 }, root)).data.is_enough).toBe(true)
  })
})

describe('registering a device', () => {
  it('leaves what was given to a sub-account to it: every call says the same', async () => {
    const small = await customer({ terminal_max: 3 })
    const { data } = await insert({ terminal_max: 2 }, small)
    const slot = (kid: string) => o.deps.db.transaction().execute((trx) => takeSlot(o.deps, trx, kid))
    const inventory = async () => (await o.call(check_inventory, { num: 1 }, small)).data
    expect(await inventory()).toMatchObject({ terminal_max: 3, terminal_count: 0, given: 2, remaining: 1 })
    expect(await slot(small.kid)).toBe(undefined)
    await addTerminal(o.deps, small.kid)
    expect(await inventory()).toMatchObject({ terminal_count: 1, given: 2, remaining: 0, is_enough: false })
    expect(await slot(small.kid)).toBe('account_device_limit')
    const refused = await o.call(customers.renew, { kid: small.kid, expire_time: null, terminal_max: 2 }, o.operator)
    expect(refused).toMatchObject({ result: 41051 })
    expect(refused.message).toMatch(/than 3: 1 registered, 2 given/)
    await addTerminal(o.deps, data.kid)
    await addTerminal(o.deps, data.kid)
    expect(await inventory()).toMatchObject({ terminal_count: 1, given: 2, remaining: 0 })
    expect(await slot(data.kid)).toBe('account_device_limit')
    // A share that is taken back is the root's again.
    await o.deps.db.updateTable('account').set({ terminal_max: 3 }).where('kid', '=', small.kid).execute()
    await o.deps.db.deleteFrom('terminal').where('account_kid', '=', data.kid).execute()
    await o.call(customers.renew, { kid: data.kid, expire_time: null, terminal_max: 0 }, o.operator)
    expect(await inventory()).toMatchObject({ given: 0, remaining: 2 })
  })

  it('keeps to places as they are edited', async () => {
    const { data } = await insert({ terminal_max: 2 })
    const slot = (kid: string) => o.deps.db.transaction().execute((trx) => takeSlot(o.deps, trx, kid))
    const setMax = (terminal_max: number) =>
      o.call(customers.renew, { kid: root.kid, expire_time: null, terminal_max }, o.operator)
    for (const kid of [root.kid, root.kid, root.kid, data.kid, data.kid]) await addTerminal(o.deps, kid)
    expect(await slot(data.kid)).toBe('account_device_limit')
    expect((await update(data.kid, { terminal_max: 3 })).result).toBe(1)
    expect(await slot(data.kid)).toBe(undefined)
    expect((await setMax(5)).result).toBe(41051)
    expect((await setMax(6)).result).toBe(1)
    expect(await slot(root.kid)).toBe('account_device_limit')
    expect((await setMax(7)).result).toBe(1)
    expect(await slot(root.kid)).toBe(undefined)
    // A share without end draws on whatever the root has.
    await setMax(constants.unlimited_devices)
    expect((await update(data.kid, { terminal_max: constants.unlimited_devices })).result).toBe(1)
    expect((await setMax(4)).result).toBe(41051)
    expect((await setMax(5)).result).toBe(1)
    expect(await slot(data.kid)).toBe('registered_devices_exceed_limit')
    expect(await slot(root.kid)).toBe('account_device_limit')
  })
})

describe('what a sub-account may', () => {
  it('is at most what the account above may, and whoever makes it', async () => {
    root = await customer({ permissions: ['subAccount*', 'userManage*', 'deviceList*', 'homeIndex'] })
    expect((await insert()).result).toBe(41042)
    expect((await insert({ permissions: ['deviceList', 'fileCloudList'] })).message).toContain('fileCloudList')
    const { data } = await insert({ permissions: ['deviceList*', 'homeIndex'] })
    const helper = await o.person(3, root.kid, `helper-${n}`, ['subAccount*', 'userManageSub*', 'deviceList'])
    expect((await insert({ permissions: ['homeIndex'] }, helper)).result).toBe(41042)
    expect((await insert({ permissions: ['deviceList'] }, helper)).result).toBe(1)
    // What it has already is granted by nobody now.
    expect((await update(data.kid, { remark: 'helped' }, helper)).result).toBe(1)
    expect((await update(data.kid, { permissions: ['subAccount*'] }, helper)).result).toBe(1)
    expect((await update(data.kid, { permissions: ['homeIndex'] }, helper)).result).toBe(41042)
    // The provider goes no further than the account above either.
    await o.call(customers.enter, { kid: root.kid }, o.operator)
    expect((await insert({ permissions: ['*'] }, { ...o.operator, account_kid: root.kid })).result).toBe(41042)
    await o.call(customers.leave, {}, o.operator)
  })

  it('is reached by nobody who may less, or in some groups only, through its login', async () => {
    const { data } = await insert({ permissions: ['*'], email: `first-${n}@example.com` })
    const looksAfter = ['subAccount*', 'userManageSub*']
    const helper = await o.person(3, root.kid, `helper-${n}`, looksAfter)
    const password = clientHash('Taken-2026!')
    const support = await o.person(101, o.provider.kid, `support-${n}`, [...looksAfter, 'externalUserManageList:enter'])
    await o.call(customers.enter, { kid: root.kid }, support)
    for (const by of [helper, { ...support, account_kid: root.kid }]) {
      expect((await update(data.kid, { password }, by)).result).toBe(41042)
      expect((await update(data.kid, { email: `taken-${n}@example.com` }, by)).result).toBe(41042)
      expect((await update(data.kid, { remark: 'helped' }, by)).result).toBe(1)
    }
    const limited = await o.person(3, root.kid, `limited-${n}`, ['*'])
    const terminal_group_kid = newKid()
    const group = { kid: terminal_group_kid, account_kid: root.kid, parent_kid: null, name: 'North', depth: 1 }
    await o.deps.db.insertInto('terminal_group').values(group).execute()
    const limit = { account_kid: root.kid, user_kid: limited.kid, terminal_group_kid }
    await o.deps.db.insertInto('terminal_group_user_manged').values(limit).execute()
    expect((await update(data.kid, { password }, limited)).result).toBe(403)
    expect((await update(data.kid, { password })).result).toBe(1)
  })

  it('is taken from its roles as well, which ends the sessions that it concerns', async () => {
    const { data } = await insert()
    const token = await tokenOf(data.user_kid)
    const person = await o.person(3, data.kid, `person-${n}`, ['fileCloudList'])
    expect((await update(data.kid, { remark: 'x' })).result).toBe(1)
    expect(await lives(token)).toBe(true)
    expect((await update(data.kid, { permissions: ['deviceList'] })).result).toBe(1)
    expect(await Promise.all([token, person.token].map(lives))).toEqual([false, false])
    const again = await tokenOf(data.user_kid)
    expect((await update(data.kid, { password: clientHash('Other-2026!') })).result).toBe(1)
    expect(await lives(again)).toBe(false)
  })
})

describe('the end of a sub-account', () => {
  it('comes with that of the account above', async () => {
    const { data } = await insert({ expire_time: '2030-01-01T00:00:00Z' })
    const token = await tokenOf(data.user_kid)
    const renew = (expire_time: string | null) => o.call(customers.renew, { kid: root.kid, expire_time }, o.operator)
    await renew('2026-01-01T00:00:00Z')
    expect(await lives(token)).toBe(false)
    const { items } = (await o.call(customers.paging, { type: 2, text: `Sub ${n}` }, o.operator)).data
    expect(items).toMatchObject([{ kid: data.kid, state: 'invalid', is_expired: true }])
    await renew(null)
    expect((await get(data.kid)).state).toBe('init')
  })

  it('is its disabling', async () => {
    const { data } = await insert()
    const token = await tokenOf(data.user_kid)
    const set = (status: 'normal' | 'invalid') =>
      confirmed(() => o.call(calls.set_status, { kid: data.kid, status }, root))
    expect((await set('invalid')).result).toBe(1)
    expect((await get(data.kid)).state).toBe('invalid')
    expect(await lives(token)).toBe(false)
    expect((await o.call(session, {}, { token: root.token, account_kid: data.kid })).result).toBe(41003)
    expect((await set('normal')).result).toBe(1)
    expect((await get(data.kid)).state).toBe('init')
  })

  it('is its deletion, once it holds nothing', async () => {
    const { data } = await insert({ name: 'To go' })
    const { kid } = data
    const remove = () => confirmed(() => o.call(calls.delete, { kid }, root))
    const refusedFor = async (undo: () => Promise<unknown>) => {
      expect((await remove()).result).toBe(43011)
      await undo()
    }
    const { db } = o.deps
    const terminal = await addTerminal(o.deps, kid)
    await refusedFor(() => db.deleteFrom('terminal').where('kid', '=', terminal).execute())
    const person = await o.person(3, kid, `stays-${n}`, ['deviceList'])
    await refusedFor(() => db.deleteFrom('user_account').where('kid', '=', person.kid).execute())
    const now = o.deps.clock.now()
    const file = {
      kid: newKid(),
      account_kid: kid,
      name: 'f',
      size: 1,
      md5: '',
      sha256: '',
      content_type: '',
      object: 'f',
    }
    await db
      .insertInto('file_cloud')
      .values({ ...file, created_by_kid: kid, created_by: '', created_at: now })
      .execute()
    await refusedFor(() => db.deleteFrom('file_cloud').where('account_kid', '=', kid).execute())

    const admin = await db
      .selectFrom('role')
      .select('kid')
      .where('account_kid', '=', kid)
      .where('code', '=', 'admin')
      .executeTakeFirstOrThrow()
    await createRole(db, { account_kid: kid, code: 'child', name: 'child', permissions: [], parent_kid: admin.kid })
    const group = (name: string, parent_kid: string | null) => ({
      kid: newKid(),
      account_kid: kid,
      name,
      parent_kid,
      depth: parent_kid ? 2 : 1,
    })
    const top = group('top', null)
    await db
      .insertInto('terminal_group')
      .values([top, group('low', top.kid)])
      .execute()
    await db
      .insertInto('scrapped_sn')
      .values({ sn: `SCRAP-${kid}`, account_kid: kid, scrapped_at: now })
      .execute()
    await db
      .insertInto('upload')
      .values({ kid: newKid(), account_kid: kid, user_kid: kid, name: '', size: 1, created_at: now })
      .execute()
    await o.call(customers.enter, { kid }, o.operator)
    expect((await remove()).result).toBe(1)
    expect((await o.call(calls.get, { kid }, root)).status).toBe(404)
    expect((await o.call(session, {}, o.operator)).data.enter_kid).toBe(null)
    for (const table of ['user_account', 'role', 'terminal_group', 'upload', 'disk_space'] as const)
      expect(await db.selectFrom(table).select('account_kid').where('account_kid', '=', kid).execute()).toEqual([])
    const scrapped = await db.selectFrom('scrapped_sn').select('account_kid').where('sn', '=', `SCRAP-${kid}`).execute()
    expect(scrapped).toEqual([{ account_kid: root.kid }])
    expect((await insert({ name: 'To go' })).result).toBe(1)
  })
})

it('is given a share of the space of its customer, as far as there is some', async () => {
  const set = (kid: string, values: { max_bytes?: number; used_bytes?: number }) =>
    o.deps.db
      .updateTable('disk_space')
      .set(values)
      .where('account_kid', '=', kid)
      .where('area', '=', 'file_disk')
      .execute()
  await set(root.kid, { max_bytes: 100 })
  expect((await insert({ file_disk_share: 101 })).result).toBe(45018)
  const made = await insert({ file_disk_share: 80 })
  expect(made.result).toBe(1)
  const { kid } = made.data
  const read = async () => {
    const { file_disk, app_center } = await get(kid)
    return [file_disk.disk_space, file_disk.is_shared, app_center.is_shared]
  }
  expect(await read()).toEqual([80, false, true])
  expect((await insert({ file_disk_share: 21 })).result).toBe(45018)
  // What an edit does not name stays.
  expect((await update(kid)).result).toBe(1)
  expect(await read()).toEqual([80, false, true])
  expect((await update(kid, { file_disk_share: 101 })).result).toBe(45018)
  await set(kid, { used_bytes: 10 })
  expect((await update(kid, { file_disk_share: 9 })).result).toBe(45006)
  expect((await update(kid, { file_disk_share: null })).result).toBe(1)
  expect(await read()).toEqual([100, true, true])
})

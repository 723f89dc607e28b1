import { constants, contract, errors, ltscopes } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'

const { batch_cancel, batch_scrap } = contract.terminal.calls
const { insert, retry } = contract.pushTask.calls
const asked = 41021
const few = constants.password_from_devices - 1

let o: TestApi
let who: Awaited<ReturnType<TestApi['person']>>
beforeAll(async () => {
  o = await testApi()
  await o.deps.db.updateTable('account').set({ terminal_max: 100_000 }).execute()
  who = await o.person(3, o.acme.kid, 'thief', ['deviceList*', 'deviceDetail*'])
})
beforeEach(async () => void (await o.deps.db.deleteFrom('destruction').execute()))
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
const add = (count: number, account_kid = o.acme.kid) =>
  Promise.all(Array.from({ length: count }, () => addTerminal(o.deps, account_kid, { sn: newKid() })))
const remove = (call: typeof batch_cancel | typeof batch_scrap, terminalKids: string[], by = who) =>
  o.call(call as typeof batch_cancel, { terminalKids, confirm: 'DELETE' }, by)
const addGroup = async () =>
  (await o.call(contract.terminalGroup.calls.insert, { name: newKid(), parent_kid: 'ROOT' }, o.acme_root)).data as {
    kid: string
  }
const push = async (type: PushTaskType, to: object, by = who) => {
  const payload = { find: { seconds: 5 }, message: { title: 'a', text: 'b' } }[type as 'find'] ?? {}
  return o.call(insert, { type, payload, ...to } as never, by)
}
const confirm = (confirmed_at: Date | null, user_kid = who.kid) =>
  o.deps.db.updateTable('session').set({ confirmed_at }).where('user_kid', '=', user_kid).execute()

describe('the password is asked for', () => {
  it.each([batch_cancel, batch_scrap])('at the second nine devices of an hour: $path', async (call) => {
    expect((await remove(call, await add(few))).result).toBe(1)
    const more = await add(few)
    expect((await remove(call, more)).result).toBe(asked)
    expect((await remove(call, more.slice(0, 1))).result).toBe(asked)
    await o.deps.clock.advance(3_600_001)
    expect((await remove(call, more)).result).toBe(1)
  })

  it('across kinds of calls and people, and in one account only', async () => {
    expect((await push('lock', { terminal_kids: await add(5) })).result).toBe(1)
    const other = await o.person(3, o.acme.kid, `other-${newKid()}`, ['deviceList*', 'deviceDetail*'])
    for (const type of ['lock', 'find', 'restart', 'shutdown', 'factory_reset'] as const)
      expect((await push(type, { terminal_kids: await add(5) }, other)).result).toBe(asked)
    expect((await remove(batch_cancel, await add(5), other)).result).toBe(asked)
    for (const type of ['message', 'screenshot', 'remote_log'] as const)
      expect((await push(type, { terminal_kids: await add(20) })).result).toBe(1)
    const theirs = { terminal_kids: await add(few, o.globex.kid) }
    expect((await remove(batch_cancel, theirs.terminal_kids, o.globex_root)).result).toBe(1)
  })

  it('for a whole fleet, however it is named, and for a second try of it', async () => {
    expect((await push('restart', { terminal_kids: await add(few + 1) })).result).toBe(asked)
    expect((await push('lock', { terminal_group_kid: 'ALL' })).result).toBe(asked)
    // What was put off leaves no row, though one had been begun.
    const begun = o.deps.db.selectFrom('operation_log').select('action_code').where('operator_kid', '=', who.kid)
    expect(await begun.where('result', 'in', [asked, errors.outcome_unknown.result]).execute()).toEqual([])
    await confirm(o.deps.clock.now())
    const task = await push('lock', { terminal_kids: await add(few + 1) })
    expect(task.result).toBe(1)
    await o.deps.db
      .updateTable('push_task_terminal')
      .set({ state: 'failed' })
      .where('push_task_kid', '=', (task.data as { kid: string }).kid)
      .execute()
    await confirm(null)
    await o.deps.clock.advance(3_600_001)
    const again = { push_task_kid: (task.data as { kid: string }).kid }
    expect((await o.call(retry, again, who)).result).toBe(asked)
  })

  const may = ['electronicFenceList*', 'alertRuleList*', 'deviceDetail*', 'deviceList*', 'deviceGroup*']
  const somebody = (permissions: string[]) => o.person(3, o.acme.kid, `orders-${newKid()}`, permissions)
  const account = { ltscope: ltscopes.account }

  it('for a fence that locks or rings where it is in force for many, whichever is set first', async () => {
    const by = await somebody(may)
    const { insert: make, update, save_places } = contract.electronicFence.calls
    const circle = { longitude: 105, latitude: 21, radius: 500 }
    const made = async (more: object) =>
      ((await o.call(make, { name: newKid(), ...circle, ...more }, by)).data as { kid: string }).kid
    const set = async (fence_kid: string, ...places: object[]) =>
      (await o.call(save_places, { fence_kid, places } as never, by)).result
    const device = async () => ({ ltscope: ltscopes.terminal, terminal_kid: (await add(1))[0] })
    const [plain, locking] = [await made({}), await made({ is_locking: true, password: '4711' })]
    expect(await set(plain, account)).toBe(1)
    expect(await set(locking, account)).toBe(asked)
    expect(await set(await made({ alarm_seconds: 5 }), account)).toBe(asked)
    expect(await set(locking, await device())).toBe(1)
    const change = async (more: object) =>
      (await o.call(update, { kid: plain, name: newKid(), ...circle, ...more } as never, by)).result
    expect(await change({ radius: 600 })).toBe(1)
    expect(await change({ is_locking: true, password: '4711' })).toBe(asked)
    expect(await change({ is_locking: true, password: '4711', is_on: false })).toBe(1)
    expect(await change({ is_on: true })).toBe(asked)
    await confirm(o.deps.clock.now(), by.kid)
    expect(await change({ is_on: true })).toBe(1)
  })

  it('for a rule that locks, also when it is switched on later', async () => {
    const by = await somebody(may)
    const { insert: make, update } = contract.alertRule.calls
    const watch = { kind: 'battery', params: { percent: 20 } }
    const rule = (more: object) => o.call(make, { name: newKid(), watch, ...more } as never, by)
    const action = { type: 'lock', password: '4711' }
    expect((await rule({ action: { type: 'message', title: 'a', text: 'b' } })).result).toBe(1)
    expect((await rule({ action })).result).toBe(asked)
    const { kid } = (await rule({ action, is_on: false })).data as { kid: string }
    const change = async (more: object) =>
      (await o.call(update, { kid, name: newKid(), watch, ...more } as never, by)).result
    expect(await change({ watch: { kind: 'battery', params: { percent: 99 } } })).toBe(1)
    expect(await change({ is_on: true })).toBe(asked)
    await confirm(o.deps.clock.now(), by.kid)
    expect(await change({ is_on: true })).toBe(1)
    await confirm(null, by.kid)
    expect(await change({})).toBe(asked)
    expect(await change({ action: null })).toBe(1)
  })

  it('for the address of another server, saved, copied or brought back', async () => {
    const by = await somebody(['device*', 'configure*'])
    const { save, copy, revert, reset, change_paging } = contract.terminalConfig.calls
    const to = (n: number) => ({ server_address: { url: `http://elsewhere.example:${n}` } })
    const [one, two] = (await add(2)) as [string, string]
    const device = { ltscope: ltscopes.terminal, terminal_kid: one }
    const answer = async (call: typeof save, input: object) => (await o.call(call, input as never, by)).result
    expect(await answer(save, { ...account, ...to(1) })).toBe(asked)
    expect(await answer(save, { ...device, ...to(1) })).toBe(1)
    expect(await answer(copy as never, { ...device, terminal_kids: [two] })).toBe(1)
    const { kid: group } = await addGroup()
    expect(await answer(copy as never, { ...device, terminal_group_kids: [group] })).toBe(asked)
    await confirm(o.deps.clock.now(), by.kid)
    expect(await answer(save, { ...account, ...to(2) })).toBe(1)
    await confirm(null, by.kid)
    const { items } = (await o.call(change_paging, { ltscope: ltscopes.account } as never, by)).data as {
      items: { kid: string }[]
    }
    expect(await answer(reset as never, { ...account, sections: ['server_address'] })).toBe(1)
    expect(await answer(revert as never, { kid: items[0]!.kid })).toBe(asked)
  })

  it('for what is done to one device at a time, once a few others were hit', async () => {
    const { renew_secret } = contract.terminal.calls
    const { uninstall } = contract.terminalApp.calls
    const by = await somebody(['deviceList*', 'deviceDetail*'])
    const one = (await add(1))[0]!
    expect((await o.call(renew_secret, { kid: one }, by)).result).toBe(1)
    expect((await remove(batch_cancel, await add(few - 1), by)).result).toBe(1)
    const app = { terminal_kid: one, package: 'com.example.scan' }
    expect((await o.call(renew_secret, { kid: one }, by)).result).toBe(asked)
    expect((await o.call(uninstall, app, by)).result).toBe(asked)
  })

  it('for what the platform sets for all accounts', async () => {
    const { save, reset } = contract.opsTerminalConfig.calls
    const by = o.operator
    const answer = async (call: typeof save, input: object) => (await o.call(call, input as never, by)).result
    await confirm(null, by.kid)
    expect(await answer(save, { time_zone: { zone_id: 'Asia/Ho_Chi_Minh' } })).toBe(1)
    const lists = { app_lists: { whitelist: ['com.example.scan'], blacklist: [] } }
    expect(await answer(save, lists)).toBe(asked)
    await confirm(o.deps.clock.now(), by.kid)
    expect(await answer(save, lists)).toBe(1)
    await confirm(null, by.kid)
    expect(await answer(reset as never, { sections: ['app_lists'] })).toBe(1)
  })

  it('of one of two who ask at the same moment', async () => {
    const [a, b] = [await add(few), await add(few)]
    const answers = await Promise.all([remove(batch_cancel, a), remove(batch_cancel, b)])
    expect(answers.map(({ result }) => result).toSorted()).toEqual([1, asked])
  })

  it('and not because of what was refused', async () => {
    for (let n = 0; n < 3; n += 1)
      expect((await remove(batch_cancel, [...(await add(few - 1)), newKid()])).result).toBe(42002)
    expect((await remove(batch_cancel, await add(few))).result).toBe(1)
  })

  it('once typed, many are scrapped after the delay, also when they come few by few', async () => {
    expect((await remove(batch_scrap, await add(few))).data).toMatchObject({ scrapped: few })
    await confirm(o.deps.clock.now())
    expect((await remove(batch_scrap, await add(few))).data).toMatchObject({ scrapped: 0, due_at: expect.any(String) })
    await confirm(null)
  })
})

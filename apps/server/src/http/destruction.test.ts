import { constants, contract } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { addTerminal } from '../testing/devices.ts'
import { testApi } from '../testing/calls.ts'
import type { TestApi } from '../testing/calls.ts'

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

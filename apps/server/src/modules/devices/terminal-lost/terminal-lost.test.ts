import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { addAccount, addTerminal, databases, refusalOf } from '../../../testing/devices.ts'
import { fleet, hello } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { insert as insertGroup } from '../../fleet/terminal-group/index.ts'
import { cancel as deregister, moveGroup, paging } from '../terminal/index.ts'
import * as lost from './index.ts'

describe.each(databases)('lost devices on %s', (kind) => {
  let f: Fleet
  beforeAll(async () => {
    f = await fleet(0, {}, kind)
  })
  afterAll(() => f?.close())

  const all = ['lock', 'find', 'message', 'factory_reset']
  const caller = (group_kids?: string[]) => testActor(f.deps, f.account_kid, group_kids)
  const settle = () => f.deps.clock.advance(10_000)
  const text = { message: 'Please call us', phone: '+84 90 111' }
  let kid: string
  let seq = 0
  const addDevice = (config_sections: string[] | null, task_types: string[] | null = all, more = {}) =>
    addTerminal(f.deps, f.account_kid, { config_sections, task_types, ...more })
  const mark = (more: Partial<Parameters<typeof lost.start>[1]> = {}, actor = caller()) =>
    lost.start(actor, { terminal_kid: kid, ...text, rings: false, ...more })
  const state = (actor = caller()) => lost.stateOf(actor, kid)
  /** The newest configuration that was sent to the device. */
  const told = (of = kid) =>
    f.edge.sent.findLast((each) => each.kid === of && each.topic.endsWith('/config'))?.payload as
      { version: number; config: Record<string, any> } | undefined
  const say = (config_version: number, outcome: 'applied' | 'failed' = 'applied', of = kid) =>
    f.say(of, 'state', {
      seq: (seq += 1),
      device_time: f.deps.clock.now().toISOString(),
      config_version,
      config_results: [{ section: 'lost', outcome, ...(outcome === 'failed' && { message: 'no screen' }) }],
    })
  beforeEach(async () => {
    await f.deps.db.deleteFrom('push_task').execute()
    await f.deps.db.deleteFrom('destruction').execute()
    kid = await addDevice(['collection', 'lost'])
  })

  it('keeps the screen locked by the configuration, and says what the device has confirmed', async () => {
    expect(await state()).toMatchObject({ lost: null, screen: { how: 'kept', outcome: null }, ring: null })
    await f.connect(kid)
    expect(await mark({ rings: true })).toMatchObject({ is_new: true })
    await settle()
    expect(told()!.config).toMatchObject({ lost: { is_lost: true, ...text } })
    expect(told()!.config['collection']).toMatchObject({ is_location_on: true, location_metres: 10 })
    expect(await state()).toMatchObject({
      lost: { ...text, lost_by: 'Ann', found_at: null },
      screen: { outcome: 'waiting', said_at: null },
      ring: { phase: 'running', cancel_asked: false },
      lock: null,
    })
    await say(told()!.version, 'failed')
    expect((await state()).screen).toMatchObject({ outcome: 'failed', message: 'no screen' })
    await say(told()!.version)
    expect((await state()).screen).toMatchObject({ outcome: 'applied', said_at: f.deps.clock.now() })
    // Another text is another version, which it has not confirmed yet.
    expect(await mark({ message: 'Reward!' })).toMatchObject({ is_new: false })
    expect((await state()).screen.outcome).toBe('waiting')
    await settle()
    expect(told()!.config['lost']).toMatchObject({ message: 'Reward!' })
    await say(told()!.version)
    expect(await lost.found(caller(), kid)).toMatchObject({ canceled: 1 })
    await settle()
    expect(told()!.config['lost']).toEqual({ is_lost: false, message: '', phone: '' })
    expect(told()!.config['collection']).toMatchObject({ location_metres: 30 })
    expect(await state()).toMatchObject({ lost: { found_by: 'Ann' }, screen: { outcome: 'waiting' } })
    await say(told()!.version)
    expect((await state()).screen.outcome).toBe('applied')
    expect(await lost.found(caller(), kid)).toBeUndefined()
  })

  it('takes nothing that was said of an earlier loss for an answer', async () => {
    await f.connect(kid)
    await mark()
    await settle()
    const before = told()!.version
    await say(before)
    // Found and lost again with the same text, which may be before anything was sent.
    await lost.found(caller(), kid)
    await mark()
    expect((await state()).screen.outcome).toBe('waiting')
    await settle()
    expect(told()!.version).toBeGreaterThan(before)
    await say(told()!.version)
    expect((await state()).screen.outcome).toBe('applied')
  })

  it('holds where the device is moved, reset, and deregistered and registered again', async () => {
    const group = await insertGroup(caller(), { name: `Far ${kid}`, parent_kid: 'ROOT' })
    const epoch = await f.connect(kid)
    await mark()
    await settle()
    await say(told()!.version)
    await moveGroup(caller(), { terminal_kids: [kid], terminal_group_kid: group.kid })
    expect(await state()).toMatchObject({ lost: { found_at: null }, screen: { outcome: 'applied' } })
    // It comes back as one that holds nothing: its lock is gone until it is told again.
    f.edge.callbacks.disconnected(kid, epoch)
    const fresh = newKid()
    f.edge.callbacks.connected({ kid, epoch: fresh, address: '10.0.0.1', transport: 'mqtt' })
    f.edge.sent.length = 0
    await f.say(kid, 'hello', hello(f.deps, { epoch: fresh, config_version: 0 }))
    expect((await state()).screen.outcome).toBe('waiting')
    await settle()
    expect(told()!.config['lost']).toMatchObject({ is_lost: true })
    const { sn } = await f.deps.db.selectFrom('terminal').select('sn').where('kid', '=', kid).executeTakeFirstOrThrow()
    await deregister(caller(), { terminalKids: [kid], confirm: 'DELETE' })
    kid = await addDevice(['collection', 'lost'], all, { sn })
    expect(await state()).toMatchObject({ lost: { ...text, found_at: null }, screen: { outcome: 'waiting' } })
    await f.connect(kid)
    await settle()
    expect(told()!.config['lost']).toMatchObject({ is_lost: true, ...text })
    await say(told()!.version)
    expect((await state()).screen.outcome).toBe('applied')
  })

  it('locks by pushes where the agent keeps no lock, and says what it cannot do', async () => {
    kid = await addDevice(['collection'])
    await mark({ message: 'Please call us\nThank you' })
    const { screen, lock, message, can } = await state()
    expect([screen, can]).toMatchObject([
      { how: 'once', outcome: null },
      { screen: null, ring: null },
    ])
    const pushed = await f.deps.db.selectFrom('push_task').select(['kid', 'type', 'payload']).orderBy('type').execute()
    expect(pushed).toMatchObject([
      { kid: lock!.push_task_kid, type: 'lock' },
      {
        kid: message!.push_task_kid,
        type: 'message',
        payload: { title: 'Please call us', text: 'Please call us\nThank you\n+84 90 111' },
      },
    ])
    expect(await lost.found(caller(), kid)).toMatchObject({ canceled: 2 })
    // One that can do neither is lost all the same, and says so.
    kid = await addDevice(['collection'], ['message'], { agent_kind: 'headwind' })
    await mark({ rings: true })
    expect(await state()).toMatchObject({
      lost: text,
      screen: { how: 'none' },
      can: { screen: 'no_lock', ring: 'no_ring', wipe: 'not_capable' },
      ring: null,
    })
    await f.connect(kid)
    await settle()
    expect(told()?.config ?? {}).not.toHaveProperty('lost')
  })

  it('stops the ringing, and erases the device when it is there, unless it is found before', async () => {
    expect(await refusalOf(lost.wipe(caller(), kid))).toBe('device_not_lost')
    await mark({ rings: true })
    await lost.stopRing(caller(), kid)
    expect((await state()).ring).toMatchObject({ state: 'canceled' })
    expect(await refusalOf(lost.stopRing(caller(), kid))).toBe('task_not_cancelable')
    await lost.wipe(caller(), kid)
    expect(await refusalOf(lost.wipe(caller(), kid))).toBe('task_running')
    // The device may be away for long: the order waits for it as long as any may.
    const { wipe } = await state()
    expect(wipe).toMatchObject({ phase: 'running', state: 'wait_receipt' })
    const { deadline_at } = await f.deps.db
      .selectFrom('push_task_terminal')
      .select('deadline_at')
      .where('push_task_kid', '=', wipe!.push_task_kid)
      .executeTakeFirstOrThrow()
    expect(deadline_at!.getTime() - f.deps.clock.now().getTime()).toBeGreaterThan(29.9 * 86_400_000)
    expect(await lost.found(caller(), kid)).toMatchObject({ canceled: 1 })
    expect((await state()).wipe).toMatchObject({ state: 'canceled' })
  })

  it('takes back an erasure that still waits for a second person', async () => {
    await mark()
    await f.deps.db.updateTable('account').set({ push_approval_from: 1 }).where('kid', '=', f.account_kid).execute()
    await lost.wipe(caller(), kid)
    expect((await state()).wipe).toMatchObject({ phase: 'awaiting_approval', state: null })
    // By somebody who is limited to the group of the device, and has not made the push.
    const { kid: group } = await insertGroup(caller(), { name: `Near ${kid}`, parent_kid: 'ROOT' })
    await moveGroup(caller(), { terminal_kids: [kid], terminal_group_kid: group })
    expect(await lost.found(caller([group]), kid)).toMatchObject({ canceled: 1 })
    expect((await state()).wipe).toMatchObject({ phase: 'canceled' })
    await f.deps.db.updateTable('account').set({ push_approval_from: null }).where('kid', '=', f.account_kid).execute()
  })

  it('is shown in the list, and only to those who may see the device', async () => {
    await mark()
    const page = { page: 1, page_size: 50, terminal_group_kid: 'ALL' } as const
    const rows = async () => (await paging(caller(), page)).items.filter((row) => row.kid === kid)
    expect(await rows()).toMatchObject([{ lost_at: expect.any(Date) }])
    const listed = async (is_lost: boolean, actor = caller()) =>
      (await paging(actor, { ...page, is_lost })).items.some((row) => row.kid === kid)
    expect([await listed(true), await listed(false)]).toEqual([true, false])
    const there = [newKid()]
    const other = testActor(f.deps, newKid())
    for (const stranger of [caller(there), other]) {
      expect(await refusalOf(state(stranger))).toBe('not_found')
      expect(await refusalOf(mark({}, stranger))).toBe('not_found')
      expect(await refusalOf(lost.found(stranger, kid))).toBe('not_found')
      expect(await refusalOf(lost.wipe(stranger, kid))).toBe('not_found')
    }
    await lost.found(caller(), kid)
    expect(await rows()).toMatchObject([{ lost_at: null }])
    expect([await listed(true), await listed(false)]).toEqual([false, true])
    // Whoever bought it from those who lost it has a device that nobody misses.
    const { sn } = await f.deps.db.selectFrom('terminal').select('sn').where('kid', '=', kid).executeTakeFirstOrThrow()
    await mark()
    await deregister(caller(), { terminalKids: [kid], confirm: 'DELETE' })
    const neighbour = await addAccount(f.deps)
    kid = await addTerminal(f.deps, neighbour, { sn })
    const bought = testActor(f.deps, neighbour)
    expect([await listed(true, bought), await listed(false, bought)]).toEqual([false, true])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endDeadNodes, startNode } from './nodes.ts'
import { newKid } from '../lib/ids.ts'
import { authenticateDevice } from './credentials.ts'
import { offline_grace_ms } from './presence.ts'
import { fleet, hello, secret_of_all } from '../testing/fleet.ts'
import type { Fleet } from '../testing/fleet.ts'
import { otherServer } from '../testing/other-server.ts'

let f: Fleet
beforeAll(async () => void (f = await fleet(12)))
afterAll(() => f.close())

/** Anything enqueued before this message is committed when it is acknowledged. */
const settle = () => f.say(f.kids[11]!, 'state', { seq: 0, device_time: '2020-01-01T00:00:00Z' })
const isOnline = async (kid: string) => (await settle(), (await f.state(kid)).is_online)

describe('presence', () => {
  it('ends with the connection, after the grace', async () => {
    const kid = f.kids[0]!
    const epoch = await f.connect(kid)
    expect(await f.state(kid)).toMatchObject({
      is_online: true,
      epoch,
      node_kid: f.deps.node_kid,
      public_ip: '10.0.0.1',
    })
    const left_at = f.deps.clock.now()
    f.edge.callbacks.disconnected(kid, epoch)
    expect(await isOnline(kid)).toBe(true)
    await f.deps.clock.advance(offline_grace_ms)
    expect(await isOnline(kid)).toBe(false)
    expect((await f.state(kid)).last_online_at).toEqual(left_at)
    const sessions = await f.deps.db
      .selectFrom('terminal_session')
      .selectAll()
      .where('terminal_kid', '=', kid)
      .execute()
    expect(sessions).toMatchObject([{ epoch, disconnected_at: left_at }])
  })

  it('is decided by the epoch, whatever the order of arrival', async () => {
    const kid = f.kids[1]!
    const old = await f.connect(kid)
    await f.connect(kid)
    f.edge.callbacks.disconnected(kid, old)
    await f.deps.clock.advance(60_000)
    expect(await isOnline(kid)).toBe(true)
  })

  it('survives a reconnect within the grace', async () => {
    const kid = f.kids[2]!
    const old = await f.connect(kid)
    f.edge.callbacks.disconnected(kid, old)
    await f.deps.clock.advance(offline_grace_ms - 1)
    f.deps.events.length = 0
    await f.connect(kid)
    await f.deps.clock.advance(60_000)
    expect(await isOnline(kid)).toBe(true)
    const shown = f.deps.events.filter(({ event }) => event.type === 'terminal_state' && event.kid === kid)
    expect(shown.every(({ event }) => event.type === 'terminal_state' && event.is_online)).toBe(true)
  })

  it('heeds a will of the current epoch and no other', async () => {
    const kid = f.kids[3]!
    f.edge.callbacks.connected({ kid, epoch: newKid(), address: '10.0.0.1', transport: 'mqtt' })
    await f.say(kid, 'hello', hello(f.deps, { epoch: 'mine' }))
    await f.say(kid, 'gone', { epoch: 'of-before' })
    await f.deps.clock.advance(10_000)
    expect(await isOnline(kid)).toBe(true)
    await f.say(kid, 'gone', { epoch: 'mine' })
    await f.deps.clock.advance(offline_grace_ms)
    expect(await isOnline(kid)).toBe(false)
  })

  it('keeps of a device that it said to be put to sleep, until it is back or leaves without a word', async () => {
    const kid = f.kids[4]!
    const come = async (epoch: string) => {
      f.edge.callbacks.connected({ kid, epoch, address: '10.0.0.1', transport: 'mqtt' })
      await f.say(kid, 'hello', hello(f.deps, { epoch }))
    }
    const presence = async () => {
      await settle()
      const { is_online, is_asleep } = await f.state(kid)
      return { is_online, is_asleep }
    }
    await come('first')
    const slept_at = f.deps.clock.now()
    await f.say(kid, 'gone', { epoch: 'first', is_asleep: true })
    f.edge.callbacks.disconnected(kid, 'first')
    await f.deps.clock.advance(offline_grace_ms)
    expect(await presence()).toEqual({ is_online: false, is_asleep: true })
    expect((await f.state(kid)).last_online_at).toEqual(slept_at)
    const told = f.deps.events.findLast(({ event }) => event.type === 'terminal_state' && event.kid === kid)
    expect(told?.event).toMatchObject({ is_online: false, is_asleep: true })
    await come('second')
    expect(await presence()).toEqual({ is_online: true, is_asleep: false })
    f.edge.callbacks.disconnected(kid, 'second')
    await f.deps.clock.advance(offline_grace_ms)
    expect(await presence()).toEqual({ is_online: false, is_asleep: false })
  })

  it('ends a question to a device that leaves, not one that has its own patience', async () => {
    const kid = f.kids[8]!
    const epoch = await f.connect(kid)
    const asked = f.link.request(kid, 'ping', {}, 20_000)
    const outcome = expect(asked).rejects.toMatchObject({ code: 'offline' })
    const long = f.link.request(kid, 'file_send', {}, 120_000, () => {})
    f.edge.callbacks.disconnected(kid, epoch)
    await f.deps.clock.advance(offline_grace_ms)
    await settle()
    await outcome
    await f.connect(kid)
    const { id } = f.edge.sent.find(({ payload }) => payload.method === 'file_send')!.payload
    await f.say(kid, 'reply', { id, ok: true, data: { size: 1 } })
    expect(await long).toEqual({ size: 1 })
  })

  it('at a dead node ends when the others notice', async () => {
    const kid = f.kids[6]!
    await f.connect(kid)
    const other = await otherServer(f.deps)
    const dead = other.node_kid
    await f.deps.db.updateTable('terminal_state').set({ node_kid: dead }).where('terminal_kid', '=', kid).execute()
    // By its own clock it was never alive: it is the database's that counts.
    await f.deps.clock.advance(60 * 60_000)
    await endDeadNodes(f.deps)
    expect((await f.state(kid)).is_online).toBe(true)
    await other.goSilent()
    await endDeadNodes(f.deps)
    expect((await f.state(kid)).is_online).toBe(false)
    expect(await f.deps.db.selectFrom('node').selectAll().where('kid', '=', dead).execute()).toEqual([])
  })

  it('at a node that died before this one started ends at once on the embedded database', async () => {
    const kid = f.kids[7]!
    await f.connect(kid)
    const { node_kid: dead } = await otherServer(f.deps)
    await f.deps.db.updateTable('terminal_state').set({ node_kid: dead }).where('terminal_kid', '=', kid).execute()
    const node = await startNode(f.deps)
    expect((await f.state(kid)).is_online).toBe(false)
    await node.close()
  })
})

describe('credentials', () => {
  it.each([
    ['a wrong secret', () => f.kids[8]!, 'b'.repeat(64)],
    ['an unknown device', () => newKid(), secret_of_all],
    ['no id', () => '+/up/#', secret_of_all],
    ['an empty secret', () => f.kids[8]!, ''],
  ])('%s is nobody', async (_what, kid, secret) => {
    expect(await authenticateDevice(f.deps, kid(), secret)).toBeUndefined()
  })

  it('a device without a secret cannot be entered with an empty one', async () => {
    const kid = f.kids[9]!
    await f.deps.db.updateTable('terminal').set({ secret_hash: null }).where('kid', '=', kid).execute()
    expect(await authenticateDevice(f.deps, kid, '')).toBeUndefined()
  })

  it('a new secret is known at once and the old one forgotten soon', async () => {
    const kid = f.kids[10]!
    const { digest } = await import('../lib/ids.ts')
    expect(await authenticateDevice(f.deps, kid, secret_of_all)).toEqual({
      terminal_kid: kid,
      account_kid: f.account_kid,
    })
    await f.deps.db
      .updateTable('terminal')
      .set({ secret_hash: digest('new') })
      .where('kid', '=', kid)
      .execute()
    expect(await authenticateDevice(f.deps, kid, 'new')).toBeDefined()
    expect(await authenticateDevice(f.deps, kid, secret_of_all)).toBeUndefined()
  })
})

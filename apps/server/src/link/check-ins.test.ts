import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { insert } from '../modules/push/push-task/index.ts'
import { edgeBroker, hello, secret_of_all, seedDevices } from '../testing/fleet.ts'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'
import { otherServer } from '../testing/other-server.ts'
import { pusher } from '../testing/push-tasks.ts'
import { startLink } from './link.ts'
import type { Link } from './link.ts'

type Came = { name: string; payload: Record<string, unknown> }

describe('a device that keeps no connection and checks in', () => {
  let world: TestHttpServer
  let link: Link
  let account_kid: string
  const edge = edgeBroker()
  beforeAll(async () => {
    world = await testHttpServer()
    link = await startLink(world.deps, { broker: edge.start })
    world.deps.link = link
    account_kid = (await seedDevices(world.deps, 0)).account_kid
  })
  afterAll(async () => {
    await link.close()
    await world.close()
  })

  const added = async () => (await seedDevices(world.deps, 1, account_kid)).kids[0]!
  const asked = (kid: string, body: object, secret = secret_of_all, signal?: AbortSignal) =>
    world.call('/device/check-in', {
      method: 'POST',
      headers: { authorization: `Bearer ${kid}:${secret}` },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  async function checkIn(kid: string, body: object = {}): Promise<Came[]> {
    const reply = await asked(kid, body)
    expect(reply.body).toMatchObject({ result: 1 })
    return (reply.body.data as { messages: Came[] }).messages
  }
  const someoneWaits = () => expect.poll(() => link.stats()['devices_checking_in']).toBe(1)
  const greeting = (epoch = 'e1') => ({ name: 'hello', payload: hello(world.deps, { epoch }) })
  const stateOf = (kid: string) =>
    world.deps.db.selectFrom('terminal_state').selectAll().where('terminal_kid', '=', kid).executeTakeFirstOrThrow()
  const sessionsOf = (kid: string) =>
    world.deps.db
      .selectFrom('terminal_session')
      .select(['connected_at', 'disconnected_at', 'node_kid'])
      .where('terminal_kid', '=', kid)
      .orderBy('connected_at')
      .execute()
  const push = (kid: string) =>
    insert(pusher(world.deps, account_kid), {
      terminal_kids: [kid],
      description: '',
      type: 'message',
      payload: { title: 'Hi', text: 'there' },
    })
  const rowOf = (task_kid: string) =>
    world.deps.db.selectFrom('push_task_terminal').selectAll().where('push_task_kid', '=', task_kid).executeTakeFirst()
  const report = ({ payload }: Came, state: string) => ({
    name: 'task',
    payload: { task_kid: payload['task_kid'], attempt: payload['attempt'], state },
  })

  it('is online from then on, gets its task at the next check-in, and ends it by a report', async () => {
    const kid = await added()
    expect(await checkIn(kid, { messages: [greeting()] })).toEqual([])
    expect(await stateOf(kid)).toMatchObject({ is_online: true, transport: 'check_in', public_ip: '127.0.0.1' })
    const task = await push(kid)
    await expect.poll(async () => (await rowOf(task.kid))?.state).toBe('wait_receipt')
    const [came, ...others] = await checkIn(kid)
    expect(others).toEqual([])
    expect(came).toMatchObject({ name: 'task', payload: { task_kid: task.kid, type: 'message' } })
    await checkIn(kid, { messages: [report(came!, 'receipt'), report(came!, 'completed')] })
    expect(await rowOf(task.kid)).toMatchObject({ state: 'completed' })
    expect(await checkIn(kid)).toEqual([])
  })

  it('is answered at once by what is made while it waits', async () => {
    const kid = await added()
    await checkIn(kid, { messages: [greeting()] })
    const waiting = checkIn(kid, { wait_seconds: 50 })
    await someoneWaits()
    const answer = link.request(kid, 'ping', {}, 60_000)
    const [came] = await waiting
    expect(came).toMatchObject({ name: 'request', payload: { method: 'ping' } })
    const data = { boot_id: 'boot-1' }
    await checkIn(kid, { messages: [{ name: 'reply', payload: { id: came!.payload['id'], ok: true, data } }] })
    expect(await answer).toEqual(data)
  })

  it('is not asked while it is away', async () => {
    const kid = await added()
    await checkIn(kid, { messages: [greeting()] })
    edge.answer = () => Promise.resolve('offline')
    await expect(link.request(kid, 'ping', {}, 60_000)).rejects.toMatchObject({ code: 'offline' })
    edge.answer = () => Promise.resolve('acknowledged')
  })

  it('gets again what an answer brought that never arrived', async () => {
    const kid = await added()
    await checkIn(kid, { messages: [greeting()] })
    const task = await push(kid)
    const gone = new AbortController()
    const lost = asked(kid, { wait_seconds: 50 }, secret_of_all, gone.signal)
    await lost.catch(() => {})
    gone.abort()
    expect(await checkIn(kid)).toMatchObject([{ name: 'task', payload: { task_kid: task.kid } }])
    expect(await checkIn(kid)).toMatchObject([{ name: 'task', payload: { task_kid: task.kid } }])
  })

  it('is offline once it was silent for as long as it said, and not before', async () => {
    const kid = await added()
    await checkIn(kid, { messages: [greeting()], silent_seconds: 120 })
    await world.deps.clock.advance(100_000)
    await checkIn(kid, { silent_seconds: 120 })
    await world.deps.clock.advance(100_000)
    expect(await stateOf(kid)).toMatchObject({ is_online: true })
    const silent_at = (await stateOf(kid)).silent_at
    await expect.poll(async () => (await world.deps.clock.advance(10_000), (await stateOf(kid)).is_online)).toBe(false)
    expect(await stateOf(kid)).toMatchObject({ silent_at: null, last_online_at: silent_at })
    const [session, ...more] = await sessionsOf(kid)
    expect(more).toEqual([])
    expect(session).toMatchObject({ disconnected_at: silent_at, node_kid: null })
    await checkIn(kid)
    expect(await stateOf(kid)).toMatchObject({ is_online: true })
    expect(await sessionsOf(kid)).toHaveLength(2)
  })

  it('is not called silent for the time in which no server listened', async () => {
    const kid = await added()
    await checkIn(kid, { messages: [greeting()], silent_seconds: 120 })
    await link.close()
    await world.deps.clock.advance(300_000)
    link = await startLink(world.deps, { broker: edge.start })
    world.deps.link = link
    await world.deps.clock.advance(100_000)
    expect(await stateOf(kid)).toMatchObject({ is_online: true })
    await expect.poll(async () => (await world.deps.clock.advance(10_000), (await stateOf(kid)).is_online)).toBe(false)
  })

  it('stays online when the server that it last reached ends, and goes on at another', async () => {
    const kid = await added()
    const other = await otherServer(world.deps)
    const there = await startLink(other, { broker: edgeBroker().start })
    const said = { kid, address: '10.0.0.9', wait_ms: 0, silent_ms: 600_000, signal: new AbortController().signal }
    await there.checkIn({ ...said, messages: [{ ...greeting(), name: 'hello' }] })
    expect(await stateOf(kid)).toMatchObject({ is_online: true, node_kid: other.node_kid })
    await there.close()
    expect(await stateOf(kid)).toMatchObject({ is_online: true })
    const task = await push(kid)
    expect(await checkIn(kid)).toMatchObject([{ name: 'task', payload: { task_kid: task.kid } }])
    expect(await stateOf(kid)).toMatchObject({ node_kid: world.deps.node_kid, public_ip: '127.0.0.1' })
    expect(await sessionsOf(kid)).toHaveLength(1)
  })

  it('that is connected as well stays connected', async () => {
    const kid = await added()
    edge.callbacks.connected({ kid, epoch: 'mqtt-1', address: '10.0.0.1', transport: 'mqtt' })
    await expect.poll(async () => (await stateOf(kid).catch(() => undefined))?.is_online).toBe(true)
    await checkIn(kid, { messages: [{ name: 'state', payload: { seq: 1, device_time: world.deps.clock.now() } }] })
    expect(await stateOf(kid)).toMatchObject({ transport: 'mqtt', epoch: 'mqtt-1', silent_at: null, last_seq: 1 })
  })

  it('with a secret of nobody, or too much to say, is refused', async () => {
    const kid = await added()
    expect((await asked(kid, {}, 'b'.repeat(64))).status).toBe(401)
    expect((await asked(newKid(), {})).status).toBe(401)
    expect((await asked(kid, { wait_seconds: 51 })).status).toBe(400)
    expect((await asked(kid, { messages: [{ name: 'gone', payload: {} }] })).status).toBe(400)
    expect((await asked(kid, { messages: [{ name: 'state', payload: 'x'.repeat(300_000) }] })).status).toBe(413)
    // What breaks its schema is told as over MQTT.
    expect(await checkIn(kid, { messages: [greeting(), { name: 'state', payload: { seq: 'x' } }] })).toMatchObject([
      { name: 'refused', payload: { name: 'state' } },
    ])
    const later = Array.from({ length: 80 }, () => asked(kid, {}))
    const statuses = (await Promise.all(later)).map(({ status }) => status)
    expect(statuses).toContain(429)
  })

  it('waits no longer when it is shut out, or when the server ends', async () => {
    const kid = await added()
    await checkIn(kid, { messages: [greeting()] })
    const waiting = checkIn(kid, { wait_seconds: 50 })
    await someoneWaits()
    await link.kick(kid, 'quarantined')
    expect(await waiting).toEqual([])
    const again = checkIn(kid, { wait_seconds: 50 })
    await someoneWaits()
    await world.restart()
    expect(await again).toEqual([])
  })
})

import { rm } from 'node:fs/promises'
import { downFilter, downTopic, upTopic } from '@mdm/device-link'
import { connectAsync } from 'mqtt'
import { describe, expect, it, vi } from 'vitest'
import { ensurePartitions } from '../jobs/partitions.ts'
import { newKid } from '../lib/ids.ts'
import { newMemory } from '../memory.ts'
import { insert } from '../modules/push/push-task/index.ts'
import { testDeps } from '../testing/deps.ts'
import { hello, seedDevices } from '../testing/fleet.ts'
import { has_mosquitto, killMosquitto, startMosquitto, withOpenBroker } from '../testing/mosquitto.ts'
import { pusher } from '../testing/push-tasks.ts'
import { startLink } from './link.ts'

const hour_ms = 3_600_000

/** A broker, and what a server behind it needs. */
async function behindMosquitto(access?: string[]) {
  const started = await startMosquitto(access)
  const deps = withOpenBroker(await testDeps())
  await ensurePartitions(deps)
  const close = async () => {
    started.broker.kill()
    await deps.close()
    await rm(started.folder, { recursive: true, force: true })
  }
  return { started, deps, [Symbol.asyncDispose]: close }
}

describe.runIf(has_mosquitto)('a device that checks in, behind an external broker', () => {
  it('is left alone while it is away, and is online for as long as it said', async () => {
    await using of = await behindMosquitto()
    const { started, deps } = of
    const { account_kid, kids } = await seedDevices(deps, 1)
    const kid = kids[0]!
    const link = await startLink(deps, { url: started.url })
    const signal = new AbortController().signal
    const checkIn = () =>
      link.checkIn({ kid, address: '10.0.0.9', messages: [], wait_ms: 0, silent_ms: 24 * hour_ms, signal })
    await checkIn()
    const task = await insert(pusher(deps, account_kid), {
      terminal_kids: [kid],
      description: '',
      type: 'message',
      payload: { title: 'x', text: 'y' },
    })
    link.wake([kid])
    const next = async () =>
      (
        await deps.db
          .selectFrom('push_task_terminal')
          .select('send_at')
          .where('push_task_kid', '=', task.kid)
          .executeTakeFirstOrThrow()
      ).send_at!.getTime() - deps.clock.now().getTime()
    // What cannot reach it is not tried again at once.
    await expect.poll(next).toBeGreaterThan(60_000)
    await deps.clock.advance(2_000)
    expect(await next()).toBeGreaterThan(60_000)
    await deps.clock.advance(4 * hour_ms, 60_000)
    const state = () =>
      deps.db.selectFrom('terminal_state').select('is_online').where('terminal_kid', '=', kid).executeTakeFirst()
    expect(await state()).toEqual({ is_online: true })
    expect(await checkIn()).toMatchObject([{ name: 'task', payload: { task_kid: task.kid } }])
    await link.close()
  })
})

describe.runIf(has_mosquitto)('a broker that keeps less than devices say while no server listens', () => {
  it('a report that it acknowledged and lost is told again when a server is back', async () => {
    await using of = await behindMosquitto(['allow_anonymous true', 'max_queued_messages 3'])
    const { started, deps } = of
    const { account_kid, kids } = await seedDevices(deps, 1)
    const kid = kids[0]!
    const first = await startLink(deps, { url: started.url })
    const device = await connectAsync(started.url, { clientId: kid })
    const say = (name: 'hello' | 'state' | 'task', body: object) =>
      device.publishAsync(upTopic(kid, name), JSON.stringify(body), { qos: 1 })
    let stands = 'executing'
    let told = 0
    device.on('message', (topic, payload) => {
      if (topic !== downTopic(kid, 'task')) return
      told += 1
      const { task_kid, attempt } = JSON.parse(payload.toString()) as { task_kid: string; attempt: number }
      void say('task', { task_kid, attempt, state: stands })
    })
    await device.subscribeAsync(downFilter(kid), { qos: 1 })
    await say('hello', hello(deps, { epoch: 'e1' }))
    const task = await insert(pusher(deps, account_kid), {
      terminal_kids: [kid],
      description: '',
      type: 'message',
      payload: { title: 'x', text: 'y' },
    })
    first.wake([kid])
    const stateOf = async () =>
      (
        await deps.db.selectFrom('push_task_terminal').select('state').where('push_task_kid', '=', task.kid).execute()
      )[0]?.state
    await expect.poll(async () => (await deps.clock.advance(1_000), stateOf())).toBe('executing')
    await first.close()
    const told_before = told
    const now = () => deps.clock.now().toISOString()
    for (let seq = 1; seq <= 10; seq += 1) await say('state', { seq, device_time: now() })
    stands = 'completed'
    await say('task', { task_kid: task.kid, attempt: 1, state: stands })
    const second = await startLink({ ...deps, node_kid: newKid(), memory: newMemory() }, { url: started.url })
    await expect.poll(async () => (await deps.clock.advance(1_000), stateOf())).toBe('completed')
    // It was asked for: the broker had lost it.
    expect(told).toBeGreaterThan(told_before)
    await device.endAsync()
    await second.close()
  })
})

describe.runIf(has_mosquitto)('a server of three connections to a broker that waits for each acknowledgement', () => {
  it('takes what comes over each, asks once after an outage, and leaves three sessions to the next server', async () => {
    await using of = await behindMosquitto(['allow_anonymous true', 'max_inflight_messages 1'])
    const { started, deps } = of
    const kid = (await seedDevices(deps, 1)).kids[0]!
    const sessions = async () =>
      (await deps.db.selectFrom('broker_session').select('worked_by').execute()).map(({ worked_by }) => worked_by)
    const events = async () => (await deps.db.selectFrom('terminal_event').select('kid').execute()).length
    let seq = 0
    const say = async (many: number) => {
      const device = await connectAsync(started.url)
      const said = () => ({
        seq: (seq += 1),
        device_time: deps.clock.now(),
        events: [{ type: 'x', at: deps.clock.now() }],
      })
      for (let i = 0; i < many; i += 1)
        await device.publishAsync(upTopic(kid, 'event'), JSON.stringify(said()), { qos: 1 })
      await device.endAsync()
    }
    const three = { ...deps, config: { ...deps.config, mqtt: { ...deps.config.mqtt, connections: 3 } } }
    const resumed = vi.spyOn(three.features.pushes, 'otherwiseDelivered')
    const first = await startLink(three, { url: started.url })
    expect(await sessions()).toEqual([deps.node_kid, deps.node_kid, deps.node_kid])
    await say(30)
    await expect.poll(events).toBe(30)

    await expect.poll(() => resumed.mock.calls.length).toBe(1)
    await killMosquitto(started, () => expect.poll(() => first.broker.isUp()).toBe(false))
    await expect.poll(() => resumed.mock.calls.length, { timeout: 10_000 }).toBe(2)
    await say(30)
    await expect.poll(events).toBe(60)
    expect(resumed).toHaveBeenCalledTimes(2)

    await first.close()
    expect(await sessions()).toEqual([null, null, null])
    await say(30)
    const next = { ...deps, node_kid: newKid(), memory: newMemory() }
    const second = await startLink(next, { url: started.url })
    await expect.poll(async () => (await deps.clock.advance(3_000), events())).toBe(90)
    await expect.poll(sessions).toEqual([next.node_kid])
    await second.close()
  })
})

describe.runIf(has_mosquitto)('a broker that is killed while the database is away', () => {
  it('took connections with it all the same: that is found out when the database is back', async () => {
    await using of = await behindMosquitto()
    const { started, deps: real } = of
    const { account_kid, kids } = await seedDevices(real, 1)
    let is_down = false
    let refusals = 0
    const db = new Proxy(real.db, {
      get(target, key) {
        if (is_down && (key === 'insertInto' || key === 'getExecutor')) {
          refusals += 1
          throw new Error('the database is away')
        }
        const value = Reflect.get(target, key) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const link = await startLink({ ...real, db }, { url: started.url })
    const connected_at = real.clock.now()
    const state = { terminal_kid: kids[0]!, account_kid, is_online: true, epoch: 'e1', connected_at }
    await real.db.insertInto('terminal_state').values(state).execute()
    await real.clock.advance(60_000)
    const killed_at = real.clock.now()
    await killMosquitto(started, async () => {
      await expect.poll(() => link.broker.isUp()).toBe(false)
      is_down = true
    })
    // The broker is back, and has a session of the server again, before that can be written down.
    await expect.poll(() => refusals, { timeout: 10_000 }).toBeGreaterThan(0)
    is_down = false
    const rows = () => real.db.selectFrom('terminal_state').select(['is_online', 'last_online_at']).execute()
    await expect.poll(rows, { timeout: 10_000 }).toEqual([{ is_online: false, last_online_at: killed_at }])
    await link.close()
  })
})

describe.runIf(has_mosquitto)('a broker that is killed', () => {
  it('took the connections of its devices with it: who comes back is online again, who does not is not', async () => {
    await using of = await behindMosquitto()
    const { started, deps } = of
    const { account_kid, kids } = await seedDevices(deps, 2)
    const [back, away] = kids as [string, string]
    const link = await startLink(deps, { url: started.url })
    let told = 0
    const greet = async (kid: string, epoch: string) => {
      const device = await connectAsync(started.url, { clientId: kid, reconnectPeriod: 0 }, true)
      device.on('error', () => {})
      device.on('message', (topic) => void (topic === downTopic(kid, 'task') && (told += 1)))
      await device.subscribeAsync(downFilter(kid), { qos: 1 })
      await device.publishAsync(upTopic(kid, 'hello'), JSON.stringify(hello(deps, { epoch })), { qos: 1 })
      return device
    }
    const stateOf = (kid: string) =>
      deps.db
        .selectFrom('terminal_state')
        .select(['is_online', 'epoch', 'last_online_at'])
        .where('terminal_kid', '=', kid)
        .executeTakeFirstOrThrow()
    const before = [await greet(back, 'e1'), await greet(away, 'f1')]
    for (const kid of kids) await expect.poll(() => stateOf(kid)).toMatchObject({ is_online: true })
    const task = await insert(pusher(deps, account_kid), {
      terminal_kids: [back],
      description: '',
      type: 'message',
      payload: { title: 'x', text: 'y' },
    })
    link.wake([back])
    await expect.poll(async () => (await deps.clock.advance(1_000), told)).toBe(1)
    const report = { task_kid: task.kid, attempt: 1, state: 'executing' }
    await before[0]!.publishAsync(upTopic(back, 'task'), JSON.stringify(report), { qos: 1 })
    const taskOf = () =>
      deps.db.selectFrom('push_task_terminal').select('state').where('push_task_kid', '=', task.kid).executeTakeFirst()
    await expect.poll(taskOf).toEqual({ state: 'executing' })
    await deps.clock.advance(60_000)
    const killed_at = deps.clock.now()
    await killMosquitto(started, async () => {
      await expect.poll(() => link.broker.isUp()).toBe(false)
      await deps.clock.advance(30_000)
    })
    await expect
      .poll(() => stateOf(away), { timeout: 10_000 })
      .toMatchObject({
        ...{ is_online: false, last_online_at: killed_at },
      })
    const device = await greet(back, 'e2')
    await expect.poll(() => stateOf(back)).toMatchObject({ is_online: true, epoch: 'e2' })
    // What it said when the broker was killed may be lost: it is asked how it stands.
    await expect.poll(async () => (await deps.clock.advance(1_000), told)).toBe(2)
    const sessions = await deps.db
      .selectFrom('terminal_session')
      .select(['epoch', 'disconnected_at', 'is_lost'])
      .orderBy('epoch')
      .execute()
    expect(sessions).toEqual([
      { epoch: 'e1', disconnected_at: killed_at, is_lost: true },
      { epoch: 'e2', disconnected_at: null, is_lost: false },
      { epoch: 'f1', disconnected_at: killed_at, is_lost: true },
    ])
    for (const one of [...before, device]) await one.endAsync(true)
    await link.close()
  })
})

describe.runIf(has_mosquitto)('a device whose end the broker never told', () => {
  it('is offline after three hours, since it was heard of last', async () => {
    await using of = await behindMosquitto()
    const { started, deps } = of
    const { account_kid, kids } = await seedDevices(deps, 2)
    const link = await startLink(deps, { url: started.url })
    const connected_at = deps.clock.now()
    const last_contact_at = new Date(connected_at.getTime() + 60_000)
    const heard = [last_contact_at, new Date(connected_at.getTime() + 2 * hour_ms)]
    for (const [i, terminal_kid] of kids.entries()) {
      const row = { terminal_kid, account_kid, epoch: 'e1', connected_at }
      await deps.db
        .insertInto('terminal_state')
        .values({ ...row, is_online: true, last_contact_at: heard[i]! })
        .execute()
      await deps.db
        .insertInto('terminal_session')
        .values({ ...row, address: '' })
        .execute()
    }
    const told: string[] = []
    deps.live.publish = (of, { type }) => void told.push(`${of} ${type}`)
    const sessions = () =>
      deps.db.selectFrom('terminal_session').select(['disconnected_at', 'is_lost']).orderBy('disconnected_at').execute()
    await deps.clock.advance(3 * hour_ms, 60_000)
    await expect.poll(async () => (await deps.clock.advance(60_000), (await sessions())[0]!.is_lost)).toBe(true)
    expect(await sessions()).toEqual([
      { disconnected_at: last_contact_at, is_lost: true },
      { disconnected_at: null, is_lost: false },
    ])
    expect(
      await deps.db.selectFrom('terminal_state').select('last_online_at').where('is_online', '=', false).execute(),
    ).toEqual([{ last_online_at: last_contact_at }])
    expect(told).toContain(`${account_kid} terminal_list_changed`)
    await link.close()
  })
})

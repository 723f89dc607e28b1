import { rm } from 'node:fs/promises'
import { downFilter, downTopic, upTopic } from '@mdm/device-link'
import { connectAsync } from 'mqtt'
import { describe, expect, it } from 'vitest'
import { ensurePartitions } from '../jobs/partitions.ts'
import { newKid } from '../lib/ids.ts'
import { newMemory } from '../memory.ts'
import { insert } from '../modules/push/push-task/index.ts'
import { testDeps } from '../testing/deps.ts'
import { hello, seedDevices } from '../testing/fleet.ts'
import { has_mosquitto, startMosquitto, withOpenBroker } from '../testing/mosquitto.ts'
import { pusher } from '../testing/push-tasks.ts'
import { startLink } from './link.ts'

const hour_ms = 3_600_000

describe.runIf(has_mosquitto)('a device that checks in, behind an external broker', () => {
  it('is left alone while it is away, and is online for as long as it said', async () => {
    const started = await startMosquitto()
    const deps = withOpenBroker(await testDeps())
    await ensurePartitions(deps)
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
    started.broker.kill()
    await deps.close()
    await rm(started.folder, { recursive: true, force: true })
  })
})

describe.runIf(has_mosquitto)('a broker that keeps less than devices say while no server listens', () => {
  it('a report that it acknowledged and lost is told again when a server is back', async () => {
    const started = await startMosquitto(['allow_anonymous true', 'max_queued_messages 3'])
    const deps = withOpenBroker(await testDeps())
    await ensurePartitions(deps)
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
    started.broker.kill()
    await deps.close()
    await rm(started.folder, { recursive: true, force: true })
  })
})

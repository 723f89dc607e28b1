import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Fence } from '@mdm/device-link'
import { startAgent } from './agent.ts'
import type { Agent } from './agent.ts'
import type { Body } from './body/body.ts'
import { linuxBody } from './body/linux.ts'
import { simulatedBody } from './body/simulated.ts'
import type { SimulatedBody } from './body/simulated.ts'
import { memoryStore } from './store.ts'
import type { Store } from './store.ts'
import { jumpingClock } from './testing/clock.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'

let server: TestServer
let folder: string
const running: Agent[] = []
const clock = jumpingClock()
const depot = { longitude: 105.8342, latitude: 21.0278 }
const away = { longitude: 105.8342, latitude: 21.0878 }
const fence: Fence = {
  fence_kid: '0198c0de-f001-7abc-8def-0123456789ab',
  fence_version: 3,
  name: 'Depot',
  shape: 'circle',
  ...depot,
  radius: 500,
  duration: 0,
  accuracy: 'common',
  alarm_seconds: 20,
  lock_password: '4711',
}

beforeAll(async () => {
  server = await startTestServer()
  folder = await mkdtemp(join(tmpdir(), 'mdm-fence-'))
})
afterEach(() => {
  for (const agent of running.splice(0)) agent.kill()
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

function start(body: Body, store: Store): Agent {
  const reconnect = { base_ms: 5, cap_ms: 50 }
  const agent = startAgent({ server: server.url, body, store, clock, reconnect, sample_ms: 60_000 })
  running.push(agent)
  return agent
}

/** An agent that is online, within a fence that it was told. */
async function fenced(body: Body, store: Store, of: Fence = fence): Promise<Agent & { kid: string }> {
  const agent = start(body, store)
  await server.admit(agent)
  await agent.reached('online')
  await server.send(agent.kid!, 'config', { version: 1, config: { fence: of } })
  await vi.waitFor(async () => {
    await agent.sample()
    expect(await store.read('fence')).toMatchObject({ memory: { state: 'inside' } })
  })
  return agent as Agent & { kid: string }
}

const told = (kid: string) =>
  server
    .of('event', kid)
    .flatMap(({ events }) => events)
    .filter(({ type }) => type.startsWith('fence'))
    .map(({ type, detail }) => [type, detail?.['action'], detail?.['outcome'], detail?.['reason']].filter(Boolean))
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { interval: 20 })
const stored = async (store: Store): Promise<string[]> => {
  const { events } = (await store.read('events')) as { events: { type: string }[] }
  return events.map(({ type }) => type).filter((type) => type.startsWith('fence'))
}
function walking(sn: string): SimulatedBody {
  const body = simulatedBody({ sn, seed: 7, clock })
  body.placed_at = { ...depot, accuracy: 8 }
  return body
}

test('a device that left its fence tells what it did: locked at once, rung when the bell has ended', async () => {
  const body = walking('F-1')
  const agent = await fenced(body, memoryStore())
  body.placed_at = { ...away, accuracy: 8 }
  await agent.sample()
  await until(() => expect(told(agent.kid)).toEqual([['fence_out'], ['fence_action', 'lock', 'done']]))
  clock.jump(20_000)
  await until(() => expect(told(agent.kid)).toHaveLength(3))
  const [, locked, rung] = server
    .of('event', agent.kid)
    .flatMap(({ events }) => events.filter((e) => e.type.startsWith('fence')))
  const of_fence = { fence_kid: fence.fence_kid, fence_version: 3, fence: 'Depot' }
  expect(locked?.detail).toEqual({ ...of_fence, action: 'lock', outcome: 'done' })
  expect(rung?.detail).toEqual({ ...of_fence, action: 'ring', outcome: 'done' })
  expect(Date.parse(rung!.at) - Date.parse(locked!.at)).toBeGreaterThanOrEqual(20_000)
})

test('a fence that orders nothing has nothing told of it but the crossing', async () => {
  const { alarm_seconds: _, lock_password: __, ...quiet } = fence
  const body = walking('F-2')
  const agent = await fenced(body, memoryStore(), quiet)
  body.placed_at = { ...away, accuracy: 8 }
  await agent.sample()
  await until(() => expect(told(agent.kid)).toEqual([['fence_out']]))
  body.placed_at = { ...depot, accuracy: 8 }
  await agent.sample()
  await until(() => expect(told(agent.kid)).toEqual([['fence_out'], ['fence_in']]))
})

test('what it did without a connection, and before a restart, is told once, and not done again', async () => {
  const store = memoryStore()
  const sim = walking('F-3')
  let reachable = true
  const body: SimulatedBody = Object.assign(sim, { is_reachable: () => reachable })
  const agent = await fenced(body, store)
  reachable = false
  agent.drop()
  await agent.reached('offline')
  body.placed_at = { ...away, accuracy: 8 }
  await agent.sample()
  await until(async () => expect(await stored(store)).toEqual(['fence_out', 'fence_action']))
  clock.jump(20_000)
  await until(async () => expect(await stored(store)).toEqual(['fence_out', 'fence_action', 'fence_action']))
  expect(told(agent.kid)).toEqual([])
  agent.kill()
  reachable = true
  const again = start(body, store)
  await again.reached('online')
  await again.sample()
  const all = [['fence_out'], ['fence_action', 'lock', 'done'], ['fence_action', 'ring', 'done']]
  await until(() => expect(told(agent.kid)).toEqual(all))
  // The store holds none of them any more: nothing is left to be sent again.
  await until(async () => expect(await stored(store)).toEqual([]))
  expect(body.performed.filter((what) => what === 'lock with password' || what === 'find 20')).toHaveLength(2)
})

test('a device that can neither lock nor ring says why, and so does one that refuses', async () => {
  const linux = linuxBody({ data: folder, sn: 'F-4' })
  let place = { ...depot, accuracy: 8 }
  const bare: Body = {
    ...linux,
    judges_fence: true,
    state: async () => ({ location: place }),
    find: failing,
    lock: linux.lock,
  }
  const agent = await fenced(bare, memoryStore())
  place = { ...away, accuracy: 8 }
  await agent.sample()
  await until(() =>
    expect(told(agent.kid).toSorted()).toEqual([
      ['fence_action', 'lock', 'failed', 'not_supported'],
      ['fence_action', 'ring', 'failed', 'internal'],
      ['fence_out'],
    ]),
  )
  const messages = server
    .of('event', agent.kid)
    .flatMap(({ events }) => events.map(({ detail }) => detail?.['message']))
  expect(messages.find((each) => String(each).includes('MDM_AGENT_LOCK_COMMAND'))).toBeDefined()
  // A whole page of complaint does not keep the event from being taken.
  expect(messages).toContain('x'.repeat(1000))

  const body = walking('F-5')
  body.faults = { refuses: true }
  const refusing = await fenced(body, memoryStore(), { ...fence, alarm_seconds: undefined })
  body.placed_at = { ...away, accuracy: 8 }
  await refusing.sample()
  await until(() => expect(told(refusing.kid)).toEqual([['fence_out'], ['fence_action', 'lock', 'failed', 'refused']]))
})
const failing = () => Promise.reject(new Error('x'.repeat(3000)))

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startAgent } from './agent.ts'
import { simulatedBody } from './body/simulated.ts'
import { memoryStore } from './store.ts'
import { jumpingClock } from './testing/clock.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'

let server: TestServer
beforeAll(async () => void (server = await startTestServer()))
afterAll(() => server.close())

test('a device in quarantine keeps its secret, asks no more often than it is told to, and is let in afterwards', async () => {
  const clock = jumpingClock()
  const store = memoryStore()
  const reconnect = { base_ms: 5, cap_ms: 20 }
  const said: string[] = []
  const log = (line: string) => void said.push(line)
  const body = simulatedBody({ sn: 'Q-1', seed: 1 })
  const agent = startAgent({ server: server.url, body, store, clock, reconnect, log })
  try {
    await server.admit(agent)
    await agent.reached('online')
    const secret = await store.read('credentials')
    server.settings.quarantine = { retry_after: 60, quarantined_until: new Date(Date.now() + 3_600_000).toISOString() }
    server.dropAll()
    const asked = () => server.requests.filter(({ path }) => path === '/device/standing').length
    const told = () => said.filter((line) => line.startsWith('this device is in quarantine')).length
    for (let times = 1; times <= 5; times += 1) {
      await vi.waitFor(() => expect(told()).toBe(times))
      // Without the order to wait it would have asked again many times by then.
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(asked()).toBe(times)
      clock.jump(61_000)
    }
    server.settings.quarantine = undefined
    clock.jump(61_000)
    await vi.waitFor(
      () => {
        clock.jump(61_000)
        expect(agent.state).toBe('online')
      },
      { interval: 50 },
    )
    expect(await store.read('credentials')).toEqual(secret)
    expect(server.requests.filter(({ path }) => path === '/device/announce')).toHaveLength(1)
  } finally {
    agent.kill()
  }
})

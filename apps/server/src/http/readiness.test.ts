import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { createMetrics } from './metrics.ts'
import { createMonitors } from './monitors.ts'
import { readinessOf } from './readiness.ts'

let deps: TestDeps
beforeAll(async () => void (deps = await testDeps()))
afterAll(() => deps.close())

/** What monitors are told of a server whose parts are these. */
async function asked({ broker, objects }: { broker: boolean; objects: boolean | Promise<never> }) {
  const store = { isUp: async () => objects } as unknown as TestDeps['objects']
  const here = { ...deps, objects: store, link: { ...deps.link, brokerIsUp: () => broker } }
  const readiness = readinessOf(here)
  const metrics = createMetrics(deps.database, { readiness })
  const app = createMonitors(here, metrics, readiness)
  try {
    const [live, ready, health] = await Promise.all(
      ['/health/live', '/health/ready', '/health'].map(async (url) => {
        const { statusCode, body } = await app.inject(url)
        return { status: statusCode, data: (JSON.parse(body) as { data: Record<string, unknown> }).data }
      }),
    )
    const text = await metrics.text()
    return { live: live!, ready: ready!, health: health!, text }
  } finally {
    await app.close()
    metrics.close()
  }
}

it('is ready when all that it needs can be reached', async () => {
  const { live, ready, text } = await asked({ broker: true, objects: true })
  expect(live).toEqual({ status: 200, data: { node_kid: deps.node_kid } })
  const up = { database: 'up', broker: 'up', objects: 'up', disk: 'up', serving: 'up', clock: 'up' }
  expect(ready).toEqual({ status: 200, data: up })
  expect(text).toContain('mdm_ready{part="all"} 1')
})

it('lives and serves people without its broker, and is not ready', async () => {
  const { live, ready, health, text } = await asked({ broker: false, objects: true })
  expect([live.status, health.status, ready.status]).toEqual([200, 200, 503])
  expect(ready.data).toMatchObject({ broker: 'down', database: 'up' })
  expect(text).toContain('mdm_ready{part="broker"} 0')
})

it('is not ready without its bucket, also when that says nothing at all', async () => {
  expect((await asked({ broker: true, objects: false })).ready.data).toMatchObject({ objects: 'down' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const silent = asked({ broker: true, objects: new Promise<never>(() => {}) })
    await vi.advanceTimersByTimeAsync(3_000)
    expect((await silent).ready.status).toBe(503)
  } finally {
    vi.useRealTimers()
  }
})

it('is not ready once it begins to end, and says of a clock that is apart without being less ready for it', async () => {
  deps.memory.clock_apart_ms = -3_000
  deps.memory.is_draining = true
  try {
    const { ready, live } = await asked({ broker: true, objects: true })
    expect(ready).toMatchObject({ status: 503, data: { serving: 'down', clock: 'apart' } })
    expect(live.status).toBe(200)
    deps.memory.is_draining = false
    expect((await asked({ broker: true, objects: true })).ready).toMatchObject({
      status: 200,
      data: { clock: 'apart' },
    })
  } finally {
    delete deps.memory.clock_apart_ms
    delete deps.memory.is_draining
  }
})

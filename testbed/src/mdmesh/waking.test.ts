import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayWorld } from './gateway-world.ts'
import type { GatewayWorld } from './gateway-world.ts'

const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }

describe('the socket over which the MDMesh agent is told to come', () => {
  let w: GatewayWorld
  beforeAll(async () => void (w = await gatewayWorld()))
  afterAll(() => w.close())
  /** A device whose socket is open, and which has come because of that. */
  async function connected() {
    const a = await w.joined()
    let coming: Promise<unknown> = Promise.resolve()
    await a.connect(() => (coming = coming.then(() => a.checkIn())))
    await expect.poll(() => a.wakes).toBe(1)
    await coming
    return { a, settled: () => coming }
  }

  it('brings a push at once, and asks for its result soon after', async () => {
    const { a } = await connected()
    const task = await w.push(a, message)
    w.deps.link.wake([a.id!])
    await expect.poll(async () => (await task.row()).state).toBe('executing')
    await expect.poll(() => a.done).toContain('device.alert')
    const before = a.wakes
    await w.deps.clock.advance(6_000)
    await expect.poll(() => a.wakes).toBe(before + 1)
    await expect.poll(async () => (await task.row()).state).toBe('completed')
    a.disconnect()
  })

  it('answers who waits: its state, its apps, and an app that is removed', async () => {
    const { a } = await connected()
    expect(await w.link.request(a.id!, 'state_now', {}, 20_000)).toMatchObject({ battery: { level: 80 } })
    const asked = w.link.request(a.id!, 'app_list', {}, 20_000)
    await expect
      .poll(async () => (await w.deps.clock.advance(1_000), a.done.filter((type) => type === 'apps.scan').length))
      .toBe(2)
    await w.deps.clock.advance(6_000)
    expect(await asked).toMatchObject({ items: [{ package: 'com.android.settings' }], next: null })
    await expect(w.link.request(a.id!, 'file_list', { path: '/' }, 20_000)).rejects.toMatchObject({
      code: 'not_supported',
    })
    a.disconnect()
  })

  it('looks for its place anew when it is asked, and no more after that', async () => {
    const { a } = await connected()
    const fix = { lat: 21.03, lon: 105.85, accuracyM: 12, provider: 'gps' }
    a.location = { ...fix, lat: 10, capturedAt: w.deps.clock.now().getTime() - 3_600_000 }
    a.fresh = () => ({ ...fix, capturedAt: w.deps.clock.now().getTime() })
    const asked = w.link.request(a.id!, 'location_now', {}, 30_000)
    await expect.poll(() => a.location_mode).toBe('active')
    await w.deps.clock.advance(6_000)
    expect(await asked).toMatchObject({ latitude: 21.03, provider: 'gps' })
    await expect.poll(() => a.location_mode).toBe('passive')
    const before = a.done.length
    await w.later(a)
    await w.later(a)
    expect(a.done.slice(before)).not.toContain('device.locationMode')
    a.disconnect()
  })

  it('without one nobody is reached, which is said at once', async () => {
    const a = await w.joined()
    w.edge.answer = () => Promise.resolve('offline')
    await expect(w.link.request(a.id!, 'state_now', {}, 20_000)).rejects.toMatchObject({ code: 'offline' })
    w.edge.answer = () => Promise.resolve('acknowledged')
  })

  it('that is told and does not come is offline, and what it is owed stays due', async () => {
    const a = await w.joined()
    await a.connect(async () => {})
    await expect.poll(() => a.wakes).toBe(1)
    const asked = w.link.request(a.id!, 'state_now', {}, 120_000)
    asked.catch(() => {})
    const task = await w.push(a, message)
    await w.deps.clock.advance(25_000)
    await expect(asked).rejects.toMatchObject({ code: 'offline' })
    await a.checkIn()
    expect(await task.row()).toMatchObject({ state: 'executing' })
    a.disconnect()
  })

  it('is opened by a right secret alone, ends when the device is shut out, and the newest one counts', async () => {
    const { a } = await connected()
    const other = await w.joined()
    const thief = w.agent()
    Object.assign(thief, { id: a.id, secret: other.secret })
    await expect(thief.connect(async () => {})).rejects.toThrow('closed')
    Object.assign(thief, { id: '../../etc', secret: other.secret })
    await expect(thief.connect(async () => {})).rejects.toThrow('closed')
    const second = w.agent()
    Object.assign(second, { id: a.id, secret: a.secret })
    await second.connect(async () => {})
    await expect.poll(() => a.is_connected).toBe(false)
    await w.link.kick(a.id!, 'quarantined')
    await expect.poll(() => second.is_connected).toBe(false)
  })

  it('is given up when the agent pings no more', async () => {
    const { a } = await connected()
    await w.deps.clock.advance(170_000)
    await expect.poll(() => a.is_connected).toBe(false)
  })
})

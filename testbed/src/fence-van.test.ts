import { metresBetween } from '@mdm/agent/changes.ts'
import { ltscopes } from '@mdm/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Device } from './enrol.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
beforeAll(async () => {
  w = await world()
}, 60_000)
afterAll(() => w[Symbol.asyncDispose]())

const depot = { longitude: 105.8412, latitude: 21.0245 }
const radius = 600
/** As a van's tracker recorded it around Hanoi station: out to the river, back, along the edge, and home. */
const recorded = [
  [105.8412, 21.0245],
  [105.8431, 21.0249],
  [105.8452, 21.0254],
  [105.8468, 21.0258],
  [105.8474, 21.0259],
  [105.847, 21.0261],
  [105.8489, 21.0263],
  [105.8533, 21.0271],
  [105.8581, 21.0289],
  [105.8577, 21.0301],
  [105.8512, 21.0288],
  [105.8478, 21.0262],
  [105.8469, 21.0257],
  [105.8476, 21.0259],
  [105.8458, 21.0252],
  [105.8421, 21.0247],
  [105.8377, 21.0196],
  [105.8351, 21.0168],
  [105.8404, 21.0239],
] as const

const follow = async (device: Device): Promise<void> => {
  for (const [longitude, latitude] of recorded) {
    device.body.placed_at = { longitude, latitude, accuracy: 8 }
    await device.agent.sample()
    // Reports that wait melt into one: a tracker is minutes apart, this test is not.
    await until('the position at the server', async () => {
      const { position } = await w.customers[0]!.terminalLocation.get({ terminal_kid: device.kid })
      return position && metresBetween(position, { longitude, latitude }) < 1 ? true : undefined
    })
  }
}
const crossings = async ({ kid }: Device) => {
  const { items } = await w.customers[0]!.terminal.paging_event({ terminal_kid: kid, order: 'asc' })
  return items
    .filter(({ type }) => type.startsWith('fence'))
    .map(({ type, detail }) => [type, detail['longitude'], detail['latitude'], detail['fence']])
}

test('a van that drives out and back crosses its fence alike, whoever judges it', async () => {
  const call = w.customers[0]!
  const own = await w.addDevice({ sn: 'VAN-JUDGES', body: { judges_fence: true } })
  const left_to_server = await w.addDevice({ sn: 'VAN-LEAVES-IT', body: { judges_fence: false } })
  const vans = [own, left_to_server]
  for (const van of vans) van.body.placed_at = { ...depot, accuracy: 8 }
  await Promise.all(vans.map(({ agent }) => agent.sample()))
  const { kid } = await call.electronicFence.insert({
    name: 'Depot',
    ...depot,
    radius,
    is_locking: true,
    password: '4711',
  })
  await call.electronicFence.save_places({ fence_kid: kid, places: [{ ltscope: ltscopes.account }] })
  for (const van of vans) {
    await until('the device to be inside', async () => {
      await van.agent.sample()
      const { state } = await call.electronicFence.current({ terminal_kid: van.kid })
      return state === 'inside' ? true : undefined
    })
    await follow(van)
  }
  const expected = [
    ['fence_out', 105.8474, 21.0259, 'Depot'],
    ['fence_in', 105.8458, 21.0252, 'Depot'],
    ['fence_out', 105.8377, 21.0196, 'Depot'],
    ['fence_in', 105.8404, 21.0239, 'Depot'],
  ]
  for (const van of vans)
    await until('its crossings', async () => ((await crossings(van)).length >= expected.length ? true : undefined))
  expect(await crossings(left_to_server)).toEqual(expected)
  expect(await crossings(own)).toEqual(expected)
  for (const { kid: terminal_kid } of vans)
    expect(await call.electronicFence.current({ terminal_kid })).toMatchObject({
      state: 'inside',
      is_by_device: terminal_kid === own.kid,
    })
  // Both are locked when they leave: one by itself, the other by a push.
  await until(
    'the locks',
    () =>
      vans.every(({ body }) => body.performed.filter((what) => what === 'lock with password').length === 2) ||
      undefined,
  )
}, 60_000)

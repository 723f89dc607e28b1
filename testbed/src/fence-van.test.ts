import { ltscopes } from '@mdm/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Device } from './enrol.ts'
import { until } from './until.ts'
import { confirmPasswords } from './sweeps/stage.ts'
import { depot, follow, radius } from './van.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
beforeAll(async () => {
  w = await world()
  // A fence that locks is asked for with the password.
  await confirmPasswords(w)
})
afterAll(() => w[Symbol.asyncDispose]())

const eventsOf = async ({ kid }: Device) =>
  (await w.customers[0]!.terminal.paging_event({ terminal_kid: kid, order: 'asc' })).items
const crossings = async (device: Device) =>
  (await eventsOf(device))
    .filter(({ type }) => type === 'fence_in' || type === 'fence_out')
    .map(({ type, detail }) => [type, detail['longitude'], detail['latitude'], detail['fence']])

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
    await follow(call, van)
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
  // The one that did so by itself tells it; of the other the server tells which pushes it made.
  const actions = async (device: Device) =>
    (await eventsOf(device)).filter(({ type }) => type === 'fence_action').map(({ detail }) => detail)
  const locked = { fence_kid: kid, fence_version: 1, fence: 'Depot', action: 'lock', outcome: 'done' }
  for (const van of vans)
    await until('what was done', async () => ((await actions(van)).length >= 2 ? true : undefined))
  expect(await actions(own)).toEqual([locked, locked])
  const pushed = { ...locked, outcome: 'pushed', push_task_kid: expect.any(String) as string }
  expect(await actions(left_to_server)).toEqual([pushed, pushed])
  // The fence has it all in one list.
  const { items } = await call.electronicFence.paging_event({ kid, page_size: 100, order: 'asc' })
  for (const van of vans)
    expect(items.filter(({ terminal_kid }) => terminal_kid === van.kid).map((item) => item.kid)).toEqual(
      (await eventsOf(van)).filter(({ type }) => type.startsWith('fence_')).map((event) => event.kid),
    )
})

import { models } from '@mdm/agent/body/simulated-models.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { pageList } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DemoCallers } from './demo-callers.ts'
import { demoParts, makeParts } from './demo-parts.ts'
import { enrol } from './enrol.ts'
import type { Device } from './enrol.ts'
import { until } from './until.ts'
import { depot } from './van.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
let callers: DemoCallers
const failures: string[] = []
/** Names of the parts, in the order in which they were noted. */
const made: string[] = []
const onFailed = (name: string, { message }: Error) => void failures.push(`${name}: ${message}`)

beforeAll(async () => {
  w = await world()
  callers = { operator: w.operator, customer: w.customers[0]! }
  const handheld = models[0].model
  for (const connected_by of ['wifi', 'wifi', 'mobile', 'mobile', 'mobile'] as const)
    await addHandheld(`DEMO-${w.devices.length}`, handheld, connected_by)
  await makeParts({ callers, made: [], onMade: (name) => void made.push(name), onFailed })
})
afterAll(() => w[Symbol.asyncDispose]())

/** A device of this model that stands at the depot. */
async function addHandheld(sn: string, model: string, connected_by: 'wifi' | 'mobile'): Promise<void> {
  let seed = 1
  while ((await simulatedBody({ sn, seed }).identity()).model !== model) seed += 1
  const device = await enrol(callers.customer, { sn, seed })
  w.devices.push(device)
  device.body.connected_by = connected_by
  device.body.placed_at = { ...depot, accuracy: 8 }
  await device.agent.sample()
  await until(`${sn} at the depot`, async () => {
    const { network_type, location } = await callers.customer.terminal.get({ kid: device.kid })
    return network_type === connected_by && location?.['longitude'] === depot.longitude
  })
}

test('every part is made and noted', () => {
  expect(failures).toEqual([])
  expect(made).toEqual(demoParts.map(({ name }) => name))
})

test('a rollout is under way: its first step is done, and a device of the second waits for a Wi-Fi', async () => {
  const { customer } = callers
  const { items } = await customer.pushTask.paging({ text: 'Checklist for drivers' })
  expect(items).toHaveLength(1)
  const { kid } = items[0]!
  const waiting = await until('a device that waits for a Wi-Fi', async () =>
    (await customer.pushTask.paging_terminal({ push_task_kid: kid, step: 2 })).items.find(
      ({ waits }) => waits?.for === 'network',
    ),
  )
  expect(waiting.state).toBe('wait_download')
  const task = await customer.pushTask.get({ kid })
  expect(task).toMatchObject({ phase: 'running', step: 2, steps: 3, result: null })
  expect(task.plan.map(({ state }) => state)).toEqual(['done', 'open', 'waits'])
  expect(task.counts).toMatchObject({ total: 5, completed: 2, failed: 0 })
})

test('pushes are there in other states, with a template and a recurring one', async () => {
  const { customer } = callers
  const phaseOf = async (text: string) => (await customer.pushTask.paging({ text })).items.map(({ phase }) => phase)
  await until('the message to be shown everywhere', async () => (await phaseOf('Opening hours'))[0] === 'ended')
  expect(await phaseOf('Inventory')).toEqual(['planned'])
  expect(await customer.pushTemplate.list({})).toHaveLength(1)
  expect(await customer.pushSchedule.list({})).toHaveLength(1)
})

test('an app is listed and required of all devices, with figures', async () => {
  const { customer } = callers
  const { items } = await customer.appCenter.paging({ state: 'listed' })
  expect(items).toMatchObject([{ name: 'Scan', package: 'com.example.scan', offered: { version_name: '4.2' } }])
  const rule = await until('figures of devices that have the app', async () => {
    const [found] = await customer.appRequirement.list({})
    if (found?.counts?.has_it === 2) return found
    await customer.appRequirement.run({ kid: found!.kid })
  })
  expect(rule).toMatchObject({ app_kid: items[0]!.kid, is_on: true, group_name: null, last_error: null })
  expect(rule.counts).toMatchObject({ devices: 5, has_it: 2, below: 3, missing: 0, waiting: 3, failing: 0 })
})

test('an OS version is released for the UID of simulated devices, which can be given it', async () => {
  const { items } = await callers.customer.osVersion.list({})
  expect(items).toMatchObject([{ uid_code: models[0].uid, os_version: '9.02.001', has_full: true, devices: 5 }])
})

test('a custom OS is built', async () => {
  const { items } = await callers.customer.osCustom.paging({})
  expect(items).toMatchObject([{ name: 'Driver handheld', build: { number: 1, state: 'completed', fault: null } }])
})

test('a device that leaves the depot crosses the fence, and an alert opens', async () => {
  const { customer } = callers
  const van: Device = w.devices[0]!
  const stateOf = async ({ kid }: Device) => (await customer.electronicFence.current({ terminal_kid: kid })).state
  const sampled = (device: Device, state: 'inside' | 'outside') =>
    until(`${device.sn} ${state}`, async () => {
      await device.agent.sample()
      return (await stateOf(device)) === state
    })
  for (const device of w.devices) await sampled(device, 'inside')
  expect((await customer.alertRule.paging({})).items.map(({ name }) => name).toSorted()).toEqual([
    'Charge the handheld',
    'Left the depot',
  ])
  van.body.placed_at = { longitude: depot.longitude + 0.04, latitude: depot.latitude, accuracy: 8 }
  await sampled(van, 'outside')
  const crossed = await until('the crossing', async () =>
    (await customer.terminal.paging_event({ terminal_kid: van.kid })).items.find(({ type }) => type === 'fence_out'),
  )
  expect(crossed.detail).toMatchObject({ fence: 'Depot Hanoi' })
  const alert = await until('the alert', async () =>
    (await customer.alert.paging({ states: ['open'] })).items.find(({ name }) => name === 'Left the depot'),
  )
  expect(alert).toMatchObject({ severity: 'critical', kind: 'fence' })
})

describe('again', () => {
  const count = async ({ operator, customer }: DemoCallers) => ({
    pushes: (await customer.pushTask.paging({ page_size: 100 })).items.filter(({ type }) => type !== 'app_install')
      .length,
    templates: (await customer.pushTemplate.list({})).length,
    schedules: (await customer.pushSchedule.list({})).length,
    files: (await customer.fileCloud.paging({})).items.length,
    apps: (await customer.appCenter.paging({})).items.length,
    required: (await customer.appRequirement.list({})).length,
    fences: (await customer.electronicFence.paging({})).items.length,
    rules: (await customer.alertRule.paging({})).items.length,
    customs: (await customer.osCustom.paging({})).items.length,
    uids: (await operator.opsUid.paging({ type: 'standard' })).items.length,
    models: (await operator.opsOscsModel.paging({})).items.length,
    bases: (await operator.opsOscsBase.paging({})).items.length,
    versions: (await operator.opsOsVersion.paging({})).items.length,
  })

  test('what is there is found, so that nothing is made twice by a start whose note was lost', async () => {
    const before = await count(callers)
    expect(before).toMatchObject({
      pushes: 3,
      files: 2,
      apps: 1,
      required: 1,
      fences: 1,
      rules: 2,
      customs: 1,
      bases: 1,
    })
    await makeParts({ callers, made: [], onMade: () => {}, onFailed })
    expect(failures).toEqual([])
    expect(await count(callers)).toEqual(before)
  })

  test('what somebody has deleted since stays deleted: a part that was noted is not made', async () => {
    const [rule] = await callers.customer.appRequirement.list({})
    await callers.customer.appRequirement.delete({ kid: rule!.kid })
    const anew: string[] = []
    await makeParts({ callers, made, onMade: (name) => void anew.push(name), onFailed })
    expect(anew).toEqual([])
    expect(await callers.customer.appRequirement.list({})).toEqual([])
  })

  test('a part that fails is told, and made by the next start; the others are made', async () => {
    let is_broken = true
    const noted: string[] = []
    const told: string[] = []
    const parts = [
      { name: 'one', make: async () => (is_broken ? Promise.reject(new Error('no space')) : undefined) },
      { name: 'other', make: async () => {} },
    ]
    const start = () =>
      makeParts({
        callers,
        parts,
        made: [...noted],
        onMade: (name) => void noted.push(name),
        onFailed: (name, { message }) => void told.push(`${name}: ${message}`),
      })
    await start()
    expect([noted, told]).toEqual([['other'], ['one: no space']])
    is_broken = false
    await start()
    expect([noted, told]).toEqual([['other', 'one'], ['one: no space']])
  })
})

test('a manager has every page that a customer has today, except those that decide about the account', async () => {
  const { permissions } = await (await w.as('sunrise.manager')).login.session({})
  const guarded = pageList.filter(({ name, needs }) => needs === name)
  const missing = guarded.flatMap(({ name, end_type, operations }) =>
    end_type === 1 ? [name, ...operations.map(({ code }) => code)].filter((each) => !permissions.includes(each)) : [],
  )
  expect(missing.toSorted()).toEqual([
    'subAccountManageList',
    'subAccountManageList:delete',
    'subAccountManageList:disable',
    'userManageSubAccountManageAdd',
    'userManageSubAccountManageEdit',
    'webhookList',
    'webhookList:edit',
  ])
  expect(guarded.filter(({ name, end_type }) => end_type === 2 && permissions.includes(name))).toEqual([])
})

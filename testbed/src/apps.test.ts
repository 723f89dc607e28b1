import { readFile } from 'node:fs/promises'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import type { SimulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import type { Store } from '@mdm/agent/store.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { disguisedApk, realApk, realSigner, zip } from './apks.ts'
import { registerByCode } from './enrol.ts'
import { uploadFile } from './upload.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
let certificate: Buffer
type Device = { kid: string; body: SimulatedBody; store: Store; agent: Agent }
let scanner: Device
let kiosk: Device
beforeAll(async () => {
  w = await world({ agents: 0 })
  certificate = await realSigner()
  scanner = await device('SCANNER', 'm105')
  kiosk = await device('KIOSK', 'k300')
})
afterAll(async () => {
  for (const { agent } of [scanner, kiosk]) await agent.stop()
  await w[Symbol.asyncDispose]()
})

const call = () => w.customers[0]!
const start = (body: SimulatedBody, store: Store) =>
  startAgent({ server: w.url, body, store, reconnect: { base_ms: 50, cap_ms: 500 } })
async function device(sn: string, model: string): Promise<Device> {
  let seed = 1
  while ((await simulatedBody({ sn, seed }).identity()).model !== model) seed += 1
  const body = simulatedBody({ sn, seed })
  const store = memoryStore()
  const agent = start(body, store)
  const kid = await registerByCode(call(), agent)
  await until('the device online', async () => (await call().terminal.get({ kid })).is_online)
  return { kid, body, store, agent }
}
const add = async (name: string, bytes: Buffer, more: object = {}) =>
  call().appCenter.insert({
    upload_kid: await uploadFile(call(), `${name}.apk`, bytes),
    name,
    is_listed: true,
    ...more,
  })
const apk = (version_code: number, facts: object = {}) => disguisedApk({ certificate, version_code, ...facts })
const push = (apps: { app_kid: string; version_kid?: string }[], to: Device[], more: object = {}) =>
  call().pushTask.insert({
    type: 'app_install',
    payload: { apps, ...more },
    terminal_kids: to.map(({ kid }) => kid),
  })
const ended = (kid: string) =>
  until('the push to end', async () => {
    const task = await call().pushTask.get({ kid })
    return task.result === null ? undefined : task
  })
const rows = async (push_task_kid: string) => (await call().pushTask.paging_terminal({ push_task_kid })).items
const installed = async ({ body }: Device, name: string) => (await body.apps.list()).find((app) => app.package === name)

test('a real APK goes from upload to installed; whom it is not for is told with the reason', async () => {
  const { kid: app_kid } = await add('Settings', await readFile(realApk))
  const to = [scanner.kid, kiosk.kid]
  const payload = { apps: [{ app_kid }] }
  const seen = await call().pushTask.preview({ type: 'app_install', payload, terminal_kids: to })
  expect(seen).toMatchObject({ total: 1, left_out: [{ reason: 'sdk', count: 1 }] })

  const task = await ended((await call().pushTask.insert({ type: 'app_install', payload, preview_kid: seen.kid })).kid)
  expect(task).toMatchObject({ result: 'all_succeeded', left_out: 1, summary: 'Settings 8.0.10' })
  expect(await installed(scanner, 'io.appium.settings')).toMatchObject({ version: '8.0.10', version_code: 192 })
  expect((await call().appCenter.get({ kid: app_kid })).download_count).toBe(1)
  expect(await call().appCenter.installed({ kid: app_kid })).toMatchObject({
    items: [{ version: '8.0.10', devices: 1 }],
    devices: 1,
    behind: 0,
  })

  const again = await call().pushTask.preview({ type: 'app_install', payload, terminal_kids: to })
  expect(again).toMatchObject({ total: 0 })
  expect(again.left_out.toSorted((a, b) => a.reason.localeCompare(b.reason))).toEqual([
    { reason: 'has_it', count: 1 },
    { reason: 'sdk', count: 1 },
  ])
  // What was looked at is what is pushed.
  const other = await add('Other', await apk(1, { package: 'io.appium.settingr' }))
  await expect(
    call().pushTask.insert({
      type: 'app_install',
      payload: { apps: [{ app_kid: other.kid }] },
      preview_kid: again.kid,
    }),
  ).rejects.toMatchObject({ reply: { result: 43008 } })
})

test('of a package in several APKs a device takes those of its ABI, density and languages', async () => {
  const part = async (name: string) => ({
    name: `splits/${name}.apk`,
    content: await apk(7, { package: 'io.appium.splittin' }),
  })
  const names = ['base-master', 'base-arm64_v8a', 'base-armeabi_v7a', 'base-mdpi', 'base-xhdpi', 'base-vi', 'base-de']
  const entries = await Promise.all(names.map(part))
  const { kid: app_kid } = await call().appCenter.insert({
    upload_kid: await uploadFile(call(), 'splitting.apks', zip({ entries })),
    name: 'Splitting',
    is_listed: true,
  })
  const { items } = await call().appCenter.paging_version({ app_kid })
  expect(items).toMatchObject([{ kind: 'apks', abis: ['arm64-v8a', 'armeabi-v7a'] }])
  expect(items[0]!.splits).toHaveLength(7)
  // The other has none of its ABIs, and the server leaves it out.
  const { kid, left_out } = await push([{ app_kid }], [scanner, kiosk])
  expect(left_out).toBe(1)
  await ended(kid)
  expect(scanner.body.performed).toContain(
    'parts io.appium.splittin splits/base-master.apk splits/base-arm64_v8a.apk splits/base-xhdpi.apk splits/base-vi.apk',
  )
  const { items: devices } = await call().pushTask.paging_terminal({ push_task_kid: kid })
  expect(devices).toMatchObject([{ state: 'completed' }])
})

test('an app that another needs is installed before it; a roll back brings the lower version; removal is told at once', async () => {
  const needed = await add('Needed', await apk(3, { package: 'io.appium.settinga' }))
  const top = await add('Top', await apk(5, { package: 'io.appium.settingb' }), { dependency_kids: [needed.kid] })
  const first = await ended((await push([{ app_kid: top.kid }], [scanner])).kid)
  expect(first.payload).toMatchObject({ apps: [{ app_kid: top.kid, name: 'Top' }], needed: [{ name: 'Needed' }] })
  const order = scanner.body.performed.filter((what) => what.startsWith('install io.appium.setting'))
  expect(order.slice(-2).map((what) => what.split(' ')[1])).toEqual(['io.appium.settinga', 'io.appium.settingb'])

  const upload_kid = await uploadFile(call(), 'b.apk', await apk(6, { package: 'io.appium.settingb' }))
  await call().appCenter.insert_version({ app_kid: top.kid, upload_kid })
  await ended((await push([{ app_kid: top.kid }], [scanner])).kid)
  expect(await installed(scanner, 'io.appium.settingb')).toMatchObject({ version_code: 6 })
  const back = [{ app_kid: top.kid, version_kid: top.version_kid }]
  await expect(push(back, [scanner])).rejects.toMatchObject({ reply: { result: 43007 } })
  await ended((await push(back, [scanner], { may_downgrade: true })).kid)
  expect(await installed(scanner, 'io.appium.settingb')).toMatchObject({ version_code: 5 })

  const packages = ['io.appium.settingb']
  const removal = { type: 'app_uninstall' as const, payload: { packages } }
  const seen = await call().pushTask.preview({ ...removal, terminal_kids: [scanner.kid, kiosk.kid] })
  expect(seen).toMatchObject({ total: 1, left_out: [{ reason: 'has_not', count: 1 }] })
  await ended((await call().pushTask.insert({ ...removal, preview_kid: seen.kid })).kid)
  expect(await installed(scanner, 'io.appium.settingb')).toBeUndefined()
  expect(await call().appCenter.installed({ kid: top.kid })).toMatchObject({ devices: 0 })
})

test('an agent that is killed in the middle of an installation installs it when it is back', async () => {
  const { kid: app_kid } = await add('Cut', await apk(7, { package: 'io.appium.settingc' }))
  const { body } = scanner
  const { install } = body.apps
  body.apps.install = () => new Promise(() => {})
  const { kid } = await push([{ app_kid }], [scanner])
  await until('the installation', async () => (await rows(kid))[0]?.state === 'executing')
  scanner.agent.kill()
  body.apps.install = install
  scanner.agent = start(body, scanner.store)
  const task = await ended(kid)
  expect(task.result).toBe('all_succeeded')
  expect(await installed(scanner, 'io.appium.settingc')).toMatchObject({ version_code: 7 })
  expect(body.performed.filter((what) => what.startsWith('install io.appium.settingc'))).toHaveLength(1)
})

test('a required app comes to devices that lack it, that join later or fall behind; where it failed it waits', async () => {
  const facts = { package: 'io.appium.settingq' }
  const { kid: app_kid } = await add('Required', await apk(1, facts))
  const rule = await call().appRequirement.insert({ app_kid })
  const now = async () => (await call().appRequirement.list({})).find(({ kid }) => kid === rule.kid)!
  const pushes = async () => (await call().pushTask.paging({ text: 'Required' })).total
  const look = async () => {
    const before = await now()
    await call().appRequirement.run({ kid: rule.kid })
    return until('another look', async () => {
      const row = await now()
      return row.looked_at !== before.looked_at && row.counts ? row : undefined
    })
  }
  const has = (one: Device, version_code: number) =>
    until(`version ${version_code}`, async () => (await installed(one, facts.package))?.version_code === version_code)
  const settled = (counts: object) =>
    until('all devices to stand so', async () => {
      const row = await look()
      return Object.entries(counts).every(([name, count]) => row.counts![name as 'has_it'] === count)
    })
  await has(scanner, 1)
  await settled({ devices: 2, has_it: 1, below: 0, missing: 0, waiting: 0, failing: 0 })
  expect((await now()).counts!.left_out).toEqual([{ reason: 'sdk', count: 1 }])

  const later = await device('LATER', 'm210')
  await look()
  await has(later, 1)
  await settled({ devices: 3, has_it: 2 })
  const count = await pushes()
  await look()
  expect(await pushes()).toBe(count)

  const upload_kid = await uploadFile(call(), 'q.apk', await apk(2, facts))
  later.body.faults = { refuses: true }
  // Nobody waits for the next look: what is offered has changed.
  await call().appCenter.insert_version({ app_kid, upload_kid })
  await has(scanner, 2)
  await settled({ has_it: 1, below: 1, waiting: 0, failing: 1 })
  const failed = await pushes()
  await look()
  expect(await pushes()).toBe(failed)
  await later.agent.stop()
  await call().appRequirement.delete({ kid: rule.kid })

  const report = await call().software.paging({ text: 'required' })
  expect(report.items.toSorted((a, b) => a.version_code! - b.version_code!)).toMatchObject([
    { package: facts.package, name: 'Required', version_code: 1, devices: 1, is_behind: true },
    { package: facts.package, name: 'Required', version_code: 2, devices: 1, is_behind: false },
  ])
  // It counts the devices of the account alone.
  expect((await w.customers[1]!.software.paging({ text: 'required' })).total).toBe(0)
  expect((await w.customers[1]!.software.paging({ package: facts.package })).total).toBe(0)
  expect((await call().software.paging({ package: 'com.example.launcher' })).items.length).toBeGreaterThan(0)
})

test('a required app keeps to the version that was chosen, and its pushes go in steps', async () => {
  const facts = { package: 'io.appium.settingv' }
  const { kid: app_kid, version_kid } = await add('Fixed', await apk(1, facts))
  const upload_kid = await uploadFile(call(), 'r.apk', await apk(2, facts))
  await call().appCenter.insert_version({ app_kid, upload_kid })
  const rollout = { steps: [{ percent: 100 }] }
  const rule = await call().appRequirement.insert({ app_kid, version_kid, rollout })
  expect(rule).toMatchObject({ version_kid, version_code: 1, rollout })
  await until('version 1', async () => (await installed(scanner, facts.package))?.version_code === 1)
  expect((await call().pushTask.paging({ text: 'Fixed' })).items).toMatchObject([{ step: 1, steps: 1 }])
  expect(await call().appRequirement.list({ app_kid })).toMatchObject([{ kid: rule.kid }])
  expect(await call().appRequirement.list({ app_kid: rule.kid })).toEqual([])
  await call().appRequirement.update({ kid: rule.kid, version_kid: null, rollout: null })
  await until('version 2', async () => (await installed(scanner, facts.package))?.version_code === 2)
  await call().appRequirement.delete({ kid: rule.kid })
})

test('delisting asks about pushes: they go on, or are canceled; neither the app nor its version is deleted meanwhile', async () => {
  await scanner.agent.stop()
  for (const tasks of ['keep', 'cancel'] as const) {
    const { kid, version_kid } = await add(
      'Listed',
      await apk(1, { package: `io.appium.setting${tasks === 'keep' ? 'x' : 'y'}` }),
    )
    const { kid: push_task_kid } = await push([{ app_kid: kid }], [scanner])
    expect(await call().appCenter.open_tasks({ kid })).toEqual({ tasks: 1, devices: 1, customers: 1 })
    await expect(call().appCenter.delist({ kid })).rejects.toMatchObject({ reply: { result: 45125 } })
    expect(await call().appCenter.delist({ kid, tasks })).toEqual({ canceled: tasks === 'cancel' ? 1 : 0 })
    const { phase } = await call().pushTask.get({ kid: push_task_kid })
    expect(phase).toBe(tasks === 'cancel' ? 'canceled' : 'running')
    await expect(call().appCenter.delete({ kid })).rejects.toMatchObject({ reply: { result: 45123 } })
    if (tasks === 'keep') {
      await expect(call().appCenter.delete_version({ kid: version_kid })).rejects.toMatchObject({
        reply: { result: 45124 },
      })
      await call().pushTask.cancel({ push_task_kid })
    }
    await call().appCenter.delete_version({ kid: version_kid })
    await expect(push([{ app_kid: kid }], [scanner])).rejects.toMatchObject({ reply: { result: 45121 } })
  }
})

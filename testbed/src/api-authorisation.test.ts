import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { rotate } from '@mdm/server/modules/store/os-update/index.ts'
import { testActor } from '@mdm/server/testing/actor.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Device } from './enrol.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const cert_sha1 = 'ab'.repeat(20)
const asked = { package: 'com.acme.till', cert_sha1, method: 'mdm.Device.identity' }
let w: World
let uid: { kid: string; code: string }
let others: { kid: string; code: string }

/** The seed of a device decides its model, and that its UID. */
const deviceOf = (seed: number): Promise<Device> => w.addDevice({ body: { seed } })
const till = 1
let scanner = 2
const uidOf = async (seed: number) => (await simulatedBody({ sn: 'NOBODY', seed, faults: {} }).inventory()).uid!
beforeAll(async () => {
  w = await world()
  const { deps } = w.server
  const add = async (seed: number) => {
    const code = await uidOf(seed)
    // Devices may write it as they like.
    return { kid: await addUid(deps, code.toLowerCase()), code }
  }
  while ((await uidOf(scanner)) === (await uidOf(till))) scanner += 1
  uid = await add(till)
  others = await add(scanner)
})
afterAll(() => w[Symbol.asyncDispose]())

const draft = (more: object = {}) => ({
  package: asked.package,
  cert_sha1,
  uid_kids: [uid.kid],
  methods: [asked.method],
  ...more,
})
const codeOf = async (device: Device, more: object = {}) => {
  const answer = await device.agent.call({ ...asked, ...more })
  return answer.ok ? 'done' : answer.code
}
const said = (device: Device, code: string, more: object = {}) =>
  until(`${device.sn} says ${code}`, async () => (await codeOf(device, more)) === code)

test('who may call what reaches devices of the UID while they are there, and others with their next hello', async () => {
  const [first, foreign] = [await deviceOf(till), await deviceOf(scanner)]
  expect(await codeOf(first)).toBe('no_list')
  const row = await w.operator.opsOsMdmApi.insert(draft())
  await said(first, 'done')
  expect(await codeOf(first, { package: 'com.acme.other' })).toBe('unknown_app')
  expect(await codeOf(foreign)).toBe('no_list')

  // One that comes later, and one whose build becomes another.
  const later = await deviceOf(till)
  await said(later, 'done')

  await first.agent.stop()
  await w.operator.opsOsMdmApi.update({
    ...draft({ methods: ['com.acme.Printer.print'], uid_kids: [uid.kid, others.kid] }),
    kid: row.kid,
  })
  await said(later, 'not_listed')
  await said(foreign, 'not_listed')
  await said(foreign, 'not_supported', { method: 'com.acme.Printer.print' })

  // Another key signs from now on; what is given after that is believed by devices that know the one before.
  await rotate(testActor(w.server.deps, w.seed.customers[0]!.account_kid), true)
  await w.operator.opsOsMdmApi.update({ ...draft(), kid: row.kid })
  await said(later, 'done')
  await w.operator.opsOsMdmApi.delete({ kid: row.kid })
  await said(later, 'unknown_app')
})

test('what devices refused is in the log, by device, app and time', async () => {
  const device = await deviceOf(till)
  await codeOf(device, { package: 'com.evil.app', method: 'mdm.Device.state' })
  const find = (more: object = {}) => w.operator.opsOsMdmApi.paging_refused({ package: 'com.evil.app', ...more })
  const [row] = await until('the refusal', async () => {
    const { items } = await find()
    return items.length > 0 ? items : undefined
  })
  expect(row).toMatchObject({ sn: device.sn, terminal_kid: device.kid, method: 'mdm.Device.state', count: 1 })
  expect((await find({ text: device.sn.toLowerCase() })).total).toBe(1)
  expect((await find({ text: 'nobody' })).total).toBe(0)
  expect((await find({ reason: row!.reason })).total).toBe(1)
  expect((await find({ reason: 'other_certificate' })).total).toBe(0)
  expect((await find({ from: new Date(Date.parse(row!.at) + 1).toISOString() })).total).toBe(0)
  await expect(w.customers[0]!.opsOsMdmApi.paging_refused({})).rejects.toMatchObject({ status: 403 })
})

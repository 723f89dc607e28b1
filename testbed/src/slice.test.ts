import { createHash, randomBytes } from 'node:crypto'
import { startAgent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uploadFile } from './upload.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
beforeAll(async () => {
  w = await world({ agents: 3 })
})
afterAll(() => w[Symbol.asyncDispose]())

const finished = (push_task_kid: string) =>
  until('the task to end', async () => {
    const task = await w.customers[0]!.pushTask.get({ kid: push_task_kid })
    return task.result === null ? undefined : task
  })
const rowsOf = async (push_task_kid: string) =>
  (await w.customers[0]!.pushTask.paging_terminal({ push_task_kid })).items

test('a device is in the list, and its state arrives', async () => {
  const [call, device] = [w.customers[0]!, w.devices[0]!]
  const found = await call.terminal.paging({ text: device.sn.toLowerCase() })
  expect(found).toMatchObject({ total: 1, items: [{ kid: device.kid, sn: device.sn, is_online: true }] })
  await device.agent.sample()
  const detail = await until('a first report', async () => {
    const terminal = await call.terminal.get({ kid: device.kid })
    return terminal.battery ? terminal : undefined
  })
  expect(detail.battery_level).toBe((detail.battery as { level: number }).level)
  expect(detail.last_contact_at).not.toBeNull()
})

test('a device is registered by the code on its screen', async () => {
  const call = w.customers[0]!
  const body = simulatedBody({ sn: 'BY-CODE', seed: 3, faults: {} })
  const agent = startAgent({ server: w.url, body, store: memoryStore(), reconnect: { base_ms: 50, cap_ms: 500 } })
  const registration_code = await until('the code', () => agent.registration_code)
  const wrong = registration_code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA'
  await expect(call.terminal.manual_registered({ sn: 'BY-CODE', registration_code: wrong })).rejects.toMatchObject({
    reply: { result: 40022 },
  })
  const { kid } = await call.terminal.manual_registered({ sn: 'BY-CODE', registration_code, name: 'Bàn giao' })
  await until('the device online', async () => (await call.terminal.get({ kid })).is_online)
  await expect(call.terminal.manual_registered({ sn: 'BY-CODE', registration_code })).rejects.toMatchObject({
    reply: { result: 40021 },
  })
  await agent.stop()
})

test('an operator sees the customer, enters, sees its devices, and leaves', async () => {
  const { account_kid, name } = w.seed.customers[0]!
  const customers = await w.operator.opsAccount.paging({ text: name })
  expect(customers.items[0]).toMatchObject({ kid: account_kid, name, can: expect.arrayContaining(['enter']) })
  await w.operator.opsAccount.enter({ kid: account_kid })
  const inside = w.operator.as({ ...w.operator.identity, account_kid })
  expect((await inside.terminal.paging({})).total).toBeGreaterThanOrEqual(3)
  expect((await inside.login.session({})).enter_kid).toBe(account_kid)
  await inside.opsAccount.leave({})
  await expect(inside.terminal.paging({})).rejects.toMatchObject({ status: 403 })
})

test('a message reaches every device and the task says so', async () => {
  const task = await w.customers[0]!.pushTask.insert({
    type: 'message',
    payload: { title: 'Xin chào', text: '你好' },
    terminal_kids: w.devices.map((d) => d.kid),
  })
  expect(task.counts.total).toBe(3)
  expect((await finished(task.kid)).result).toBe('all_succeeded')
  const events = await w.customers[0]!.pushTask.list_activity({
    push_task_kid: task.kid,
    terminal_kid: w.devices[0]!.kid,
  })
  expect(events.map((e) => e.event)).toEqual(['created', 'received', 'execute_start', 'finished'])
})

test('a file is uploaded, pushed, downloaded and verified by each device', async () => {
  const call = w.customers[0]!
  const content = randomBytes(3_000_000)
  const file = await call.fileCloud.insert({
    upload_kid: await uploadFile(call, 'Bản đồ.bin', content),
    name: 'Bản đồ.bin',
  })
  expect(file).toMatchObject({ size: content.length, sha256: createHash('sha256').update(content).digest('hex') })
  const task = await call.pushTask.insert({
    type: 'file',
    payload: { file_kids: [file.kid], path: '/sdcard/maps' },
    terminal_kids: w.devices.map((d) => d.kid),
  })
  expect((await finished(task.kid)).result).toBe('all_succeeded')
  const events = await call.pushTask.list_activity({ push_task_kid: task.kid, terminal_kid: w.devices[1]!.kid })
  expect(events.map((e) => e.event)).toEqual([
    'created',
    'received',
    'download_start',
    'download_finish',
    'execute_start',
    'finished',
  ])
  await expect(call.fileCloud.delete({ kid: file.kid })).resolves.toEqual({})
})

test('a screenshot comes back as a picture', async () => {
  const call = w.customers[0]!
  const task = await call.pushTask.insert({ type: 'screenshot', payload: {}, terminal_kids: [w.devices[0]!.kid] })
  expect((await finished(task.kid)).result).toBe('all_succeeded')
  const [row] = await rowsOf(task.kid)
  const picture = await fetch(new URL(row!.result_url!, w.url))
  expect(picture.headers.get('content-type')).toBe('image/png')
  expect(
    Buffer.from(await picture.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
})

test.each(['lock', 'find', 'restart'] as const)('the command %s is carried out', async (type) => {
  const payload = type === 'find' ? { seconds: 2 } : {}
  const device = await w.addDevice()
  const task = await w.customers[0]!.pushTask.insert({ type, payload, terminal_kids: [device.kid] } as never)
  expect((await finished(task.kid)).result).toBe('all_succeeded')
})

test('a push to a device that is away waits, can be cancelled, and can be tried again', async () => {
  const call = w.customers[0]!
  const device = await w.addDevice()
  await device.agent.stop()
  await until('the device to be offline', async () => !(await call.terminal.get({ kid: device.kid })).is_online)
  const task = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'a', text: 'b' },
    terminal_kids: [device.kid],
  })
  expect((await rowsOf(task.kid))[0]).toMatchObject({ state: 'wait_receipt', attempt: 1, can: ['cancel'] })
  expect(await call.pushTask.cancel({ push_task_kid: task.kid })).toEqual({ canceled: 1, asked: 0, rest: 0 })
  expect((await rowsOf(task.kid))[0]).toMatchObject({ state: 'canceled', can: ['retry'] })
  await expect(call.pushTask.cancel({ push_task_kid: task.kid })).rejects.toMatchObject({ reply: { result: 43003 } })
  expect(await call.pushTask.retry({ push_task_kid: task.kid })).toMatchObject({ retried: 1 })
  expect((await rowsOf(task.kid))[0]).toMatchObject({ state: 'wait_receipt', attempt: 2 })
})

test('a device that is cancelled loses its connection and its open pushes fail', async () => {
  const call = w.customers[0]!
  const device = await w.addDevice()
  await expect(call.terminal.batch_cancel({ terminalKids: [device.kid], confirm: 'delete' })).rejects.toMatchObject({
    reply: { result: 42014 },
  })
  expect(await call.terminal.batch_cancel({ terminalKids: [device.kid], confirm: 'DELETE' })).toEqual({ canceled: 1 })
  await expect(call.terminal.get({ kid: device.kid })).rejects.toMatchObject({ status: 404 })
  await until('the device to show a code again', () => device.agent.state === 'waiting')
})

test('an operation is in the log of the customer, and in the provider’s', async () => {
  const own = await w.customers[0]!.operationLog.paging({ action_code: 'manual_registered', result: 'success' })
  expect(own.items[0]).toMatchObject({
    module_code: 'terminal',
    operator_username: 'sunrise',
    result: 1,
    account_name: 'Sunrise Parcel',
  })
  const vietnamese = await w.customers[0]!.as({ ...w.customers[0]!.identity, lang: 'vi' }).operationLog.paging({
    action_code: 'manual_registered',
  })
  expect(vietnamese.items[0]!.action_name).toBe('Đăng ký thiết bị')
  const all = await w.operator.opsOperationLog.paging({ module_code: 'ops/account' })
  expect(all.items.map((row) => row.action_code)).toContain('enter')
})

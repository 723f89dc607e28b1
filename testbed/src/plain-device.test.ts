import { createHash, randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { plainDevice } from '@mdm/agent/testing/plain-device.ts'
import type { PlainDevice } from '@mdm/agent/testing/plain-device.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PushTaskType } from '@mdm/contract'
import { publishedSchema } from '@mdm/agent/testing/published-schema.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const sn = 'PLAIN-1'
let w: World
let device: PlainDevice
let credentials: { kid: string; secret: string }
beforeAll(async () => {
  w = await world()
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${w.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Record<string, string>
  }
  const claim = randomBytes(32).toString('hex')
  const claim_hash = createHash('sha256').update(claim).digest('hex')
  const about = { model: 'plain', os_name: 'None', os_version: '1', service_version: '1', protocol_version: 1 }
  const announced = await post('/device/announce', { sn, ...about, claim_hash })
  await w.customers[0]!.terminal.manual_registered({ sn, registration_code: announced['registration_code']! })
  const { kid = '', secret = '' } = await post('/device/enrol', { sn, claim })
  credentials = { kid, secret }
  const task_types = ['shutdown', 'factory_reset', 'remote_log', 'lock']
  const config_sections = ['collection', 'ntp', 'wifi_profiles']
  const hello = { inventory: { model: 'plain', task_types, config_sections } }
  device = await plainDevice(w.server.mqtt_url, { ...credentials, hello })
})
afterAll(async () => {
  device.end()
  await w[Symbol.asyncDispose]()
})

type Sent = { task_kid: string; attempt: number; version: number; payload: { upload_url: string } }
/** Pushes to the device, which hears of it as the published JSON Schema says. */
async function pushed(type: PushTaskType) {
  const to = { terminal_kids: [credentials.kid], payload: {} }
  const { kid } = await w.customers[0]!.pushTask.insert({ type, ...to } as never)
  const { name, payload } = await device.hear()
  expect(name).toBe('task')
  expect(publishedSchema('down/task').safeParse(payload).error).toBeUndefined()
  const sent = payload as Sent
  expect(sent).toMatchObject({ task_kid: kid, type })
  let reports = 0
  const say = (state: string, more: object = {}) => {
    const { task_kid, attempt, version } = sent
    return device.say('task', { task_kid, attempt, state, expected_version: version + reports++, ...more })
  }
  const row = async () => {
    const { items } = await w.customers[0]!.pushTask.paging_terminal({ push_task_kid: kid })
    return items[0]!
  }
  return { sent, say, row }
}

test.each(['shutdown', 'factory_reset'] as const)('%s, from the console to its end', async (type) => {
  const { say, row } = await pushed(type)
  for (const state of ['receipt', 'wait_execute', 'executing', 'completed']) await say(state)
  expect(await row()).toMatchObject({ type, state: 'completed' })
})

test('remote log: what the device uploaded is found in its task, as gzip', async () => {
  const { sent, say, row } = await pushed('remote_log')
  for (const state of ['receipt', 'executing']) await say(state)
  const uploaded = await fetch(new URL(sent.payload.upload_url, w.url), {
    method: 'PUT',
    headers: { authorization: `Bearer ${credentials.kid}:${credentials.secret}`, 'content-type': 'text/plain' },
    body: 'first line\nsecond line\n',
  })
  const { data } = (await uploaded.json()) as { data: { object: string } }
  await say('completed', { result: data })
  const { state, result_url } = await row()
  expect(state).toBe('completed')
  const log = await fetch(new URL(result_url!, w.url))
  expect(log.headers.get('content-type')).toBe('application/gzip')
  expect(log.headers.get('content-disposition')).toContain(`attachment; filename="${sn}.log.gz"`)
  expect(gunzipSync(Buffer.from(await log.arrayBuffer())).toString()).toBe('first line\nsecond line\n')
})

test('remote log: done without a log is a failure', async () => {
  const { say, row } = await pushed('remote_log')
  for (const state of ['receipt', 'executing', 'completed']) await say(state)
  expect(await row()).toMatchObject({ state: 'failed', code: 'no_log' })
})

test('the reason why a task waits is taken, said again as it changes, and ends', async () => {
  const { say, row } = await pushed('lock')
  await say('receipt')
  await say('wait_execute', { waits: { for: 'window', until: new Date(Date.now() + 3_600_000).toISOString() } })
  for (const put_off of [0, 1, 2])
    await say('wait_execute', { waits: { for: 'install_prompt', put_off, put_off_max: 3 } })
  expect(await row()).toMatchObject({ state: 'wait_execute' })
  for (const state of ['executing', 'completed']) await say(state)
  expect(await row()).toMatchObject({ state: 'completed' })
})

test('a configuration: obeyed in part, told section by section, and sent again to be obeyed', async () => {
  const call = w.customers[0]!.terminalConfig
  const { kid } = credentials
  const place = { ltscope: 40, terminal_kid: kid }
  const network = {
    ssid: 'Depot',
    security: 'wpa2',
    password: 'open-sesame',
    eap_method: 'peap',
    identity: '',
  } as const
  const wifi_profiles = {
    networks: [{ ...network, ca_certificate: '', is_hidden: false, proxy_host: '', proxy_port: null }],
  }
  const ntp = { server: 'ntp.example.com', every_hours: 6 }
  await call.save({ ...place, ntp, wifi_profiles, kiosk: { mode: 'off', apps: [], exit_password: '' } })
  type Sent = { version: number; config: Record<string, unknown> }
  // What was heard before may be said again: only what is newer counts.
  const heard = async (after: number) => {
    for (;;) {
      const { name, payload } = await device.hear()
      const sent = payload as Sent
      if (name !== 'config' || sent.version <= after) continue
      expect(publishedSchema('down/config').safeParse(payload).error).toBeUndefined()
      return sent
    }
  }
  const first = await heard(0)
  expect(first.config).toMatchObject({ ntp, wifi_profiles, kiosk: { mode: 'off' } })
  let seq = 1_000
  const report = (config_version: number, wifi: object) =>
    device.say('state', {
      seq: (seq += 1),
      device_time: new Date().toISOString(),
      config_version,
      config_results: [
        { section: 'collection', outcome: 'applied' },
        { section: 'ntp', outcome: 'applied' },
        { section: 'wifi_profiles', ...wifi },
        { section: 'kiosk', outcome: 'not_supported', reason: 'no_hardware' },
      ],
    })
  await report(first.version, { outcome: 'failed', reason: 'command_failed', message: 'no such interface' })
  const shown = async () => {
    const { ntp: clock, wifi_profiles: wifi, kiosk, delivery } = await call.current_config(place)
    return { clock: clock!.result, wifi: wifi!.result, kiosk: kiosk!.result, state: delivery!.state }
  }
  const not_there = { outcome: 'not_supported', reason: 'not_announced' }
  expect(await shown()).toMatchObject({
    clock: { outcome: 'applied' },
    wifi: { outcome: 'failed', reason: 'command_failed', message: 'no such interface' },
    kiosk: not_there,
    state: 'failed',
  })
  const causes = async () => (await call.drift({ text: sn })).items[0]!.causes.map(({ section }) => section)
  expect((await causes()).toSorted()).toEqual(['kiosk', 'wifi_profiles'])
  await call.retry({ terminal_kids: [kid] })
  const again = await heard(first.version)
  expect(again.config).toEqual(first.config)
  expect(await shown()).toMatchObject({ wifi: { outcome: 'waiting' }, state: 'waiting' })
  await report(again.version, { outcome: 'applied' })
  expect(await shown()).toMatchObject({ wifi: { outcome: 'applied' }, kiosk: not_there, state: 'failed' })
  expect(await causes()).toEqual(['kiosk'])
})

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { realClock } from '@mdm/agent/clock.ts'
import { readStaging } from '@mdm/agent/staging/open.ts'
import { scanCodes } from '@mdm/agent/staging/command.ts'
import { takeEnvelope } from '@mdm/agent/staging/scan.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { storedCredentials } from '@mdm/agent/enrol.ts'
import { collectCode, stagingLimits, unpackEnvelope, unpackFile } from '@mdm/device-link'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errors } from '@mdm/contract'
import type { ErrorName, IstageContent } from '@mdm/contract'
import type { Caller } from './caller.ts'
import { registerByQr } from './enrol.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
let call: Caller
let template_kid: string
const agents: Agent[] = []
const shipped = readFileSync(join(import.meta.dirname, '../../docs/templatejson/wifi.json'))
beforeAll(async () => {
  w = await world({ agents: 0 })
  call = w.customers[0]!
  template_kid = (await call.istageTemplate.import({ private_content: shipped.toString('base64') })).kid
})
afterAll(async () => {
  for (const agent of agents) await agent.stop()
  expect(w.internal_errors).toEqual([])
  await w[Symbol.asyncDispose]()
})

let last = 0
async function configured(content: IstageContent, status: 'completed' | 'incomplete' = 'completed') {
  const name = `Depot ${(last += 1)}`
  return (await call.istageConfig.insert({ name, template_kid, private_content: content, status })).kid
}
const networks = (count: number, mark: string): IstageContent => ({
  wifi: Array.from({ length: count }, (_, at) => ({
    ssid: `${mark}-${at}`,
    security: 'wpa2',
    password: `correct horse ${mark} ${at}`.replaceAll(' ', '_'),
  })),
})
const wrong = (name: ErrorName) => ({ reply: { result: errors[name].result } })
const bodyOf = (code: string) => readStaging(unpackEnvelope(collectCode({}, code).envelope!))

async function device(sn: string) {
  const store = memoryStore()
  const body = simulatedBody({ sn, seed: 1, faults: {} })
  const { agent, kid } = await registerByQr(call, sn, 'NO_GROUP', (qrcode) =>
    startAgent({ server: w.url, body, store, qrcode, sample_ms: 50, scans_codes: true }),
  )
  agents.push(agent)
  await agent.reached('online')
  const credentials = (await storedCredentials(store, w.url))!
  const applied: unknown[] = []
  const staged = {
    store,
    credentials,
    clock: realClock,
    signal: new AbortController().signal,
    log: () => undefined,
    body: {
      async configure(_section: string, value: unknown) {
        applied.push(value)
        return { outcome: 'applied' as const }
      },
    },
    enrol: () => Promise.reject(new Error('is registered')),
  }
  return { kid, staged, applied }
}

test('codes of a configuration are taken by a device, which stands in its scan log', async () => {
  const kid = await configured(networks(1, 'Scanned'))
  const { secret_codes, count, expires_at } = await call.istageCode.make({ kid, hours: 1 })
  expect(secret_codes).toHaveLength(count)
  expect(new Date(expires_at).getTime()).toBeGreaterThan(Date.now())
  const { kid: terminal_kid, staged, applied } = await device('CODES-1')
  await scanCodes(staged, secret_codes, () => undefined)
  expect(applied).toMatchObject([{ networks: [{ ssid: 'Scanned-0', password: 'correct_horse_Scanned_0' }] }])
  const { items } = await until('the scan log', async () => {
    const page = await call.istageCode.paging_scan({ kid })
    return page.items.length > 0 && page
  })
  expect(items).toMatchObject([
    { terminal_kid, sn: 'CODES-1', detail: { module: 'wifi', outcome: 'applied', by: 'code' } },
  ])
  // Another account's configuration is none, for codes and for the log alike.
  const other = w.customers[1]!
  for (const ask of [
    () => other.istageCode.make({ kid, hours: 1 }),
    () => other.istageCode.file({ kid, hours: 1 }),
    () => other.istageCode.paging_scan({ kid }),
  ])
    await expect(ask()).rejects.toMatchObject(wrong('not_found'))
  const { items: log } = await call.operationLog.paging({ action_code: 'make' })
  const operation = JSON.stringify(await call.operationLog.get({ kid: log[0]!.kid }))
  expect(operation).toContain('made 1 code of')
  expect(operation).not.toContain('MDM1:')
})

test('what is too large for codes is a file, which a device takes as well', async () => {
  const certificate = `data:application/octet-stream;name=ca.pem;base64,${randomBytes(12_000).toString('base64')}`
  const kid = await configured({ wifi: [{ ssid: 'Large', security: 'open', ca_certificate: certificate }] })
  await expect(call.istageCode.make({ kid, hours: 1 })).rejects.toMatchObject(wrong('staging_too_large'))
  const { secret_file, file_name } = await call.istageCode.file({ kid, hours: 1 })
  expect(file_name).toMatch(/^Depot_\d+-3\.0\.3\.mdmstage$/)
  const { staged, applied } = await device('CODES-2')
  await takeEnvelope(staged, unpackFile(Buffer.from(secret_file, 'base64'))!, 'file')
  expect(applied).toMatchObject([{ networks: [{ ssid: 'Large', ca_certificate: certificate }] }])
})

test('an incomplete configuration, and one with variables, has no codes; the life of a code is bounded', async () => {
  const incomplete = await configured({}, 'incomplete')
  await expect(call.istageCode.make({ kid: incomplete, hours: 1 })).rejects.toMatchObject(wrong('istage_incomplete'))
  const varied = await configured({ wifi: [{ ssid: '${Store}', security: 'open' }] })
  await expect(call.istageCode.make({ kid: varied, hours: 1 })).rejects.toMatchObject(wrong('staging_variables'))
  for (const hours of [0, 2_161, 1.5])
    await expect(call.istageCode.make({ kid: varied, hours })).rejects.toMatchObject(wrong('bad_input'))
})

test('a link carries server and token, and the password of its network in the clear', async () => {
  const kid = await configured(networks(1, 'Linked'))
  const permanent = await call.terminalQrcode.qrcode_forever_registered({})
  const made = await call.istageCode.make({ kid, hours: 2_000, enrol: { qrcode_kid: permanent.kid } })
  const whole = made.secret_codes.reduce((held, code) => collectCode(held.held, code), { held: {} } as ReturnType<
    typeof collectCode
  >)
  const staging = readStaging(unpackEnvelope(whole.envelope!))
  expect(staging.enrol).toEqual({
    server: new URL(permanent.token_url).origin,
    token: new URL(permanent.token_url).searchParams.get('qr'),
    first: ['wifi'],
  })
  expect(staging.content['wifi']![0]).toMatchObject({ password: 'correct_horse_Linked_0' })
  const once = await call.istageCode.make({ kid, hours: 2_000, enrol: {} })
  expect(new Date(once.expires_at).getTime()).toBeLessThan(Date.now() + 11 * 60_000)
  await call.terminalQrcode.revoke({ kid: permanent.kid })
  const revoked = call.istageCode.make({ kid, hours: 1, enrol: { qrcode_kid: permanent.kid } })
  await expect(revoked).rejects.toMatchObject(wrong('qrcode_invalid'))
})

const sheet = (lines: string[]) => uploadFile(call, 'stores.csv', Buffer.from(`\uFEFF${lines.join('\n')}`))
test('each row of a spreadsheet has a code of its own, checked against the template', async () => {
  const kid = await configured({ wifi: [{ ssid: 'Kho ${Cửa hàng}', security: 'wpa2', password: '${Password}' }] })
  const lines = Array.from({ length: 200 }, (_, at) => `Cửa hàng ${at},S${at},secret-${1_000 + at}`)
  const upload_kid = await sheet(['Tên,Cửa hàng,Password', ...lines])
  const { rows, columns } = await call.istageCode.rows({ kid, hours: 24, upload_kid })
  expect(columns).toEqual(['Cửa hàng', 'Password'])
  expect(rows).toHaveLength(200)
  expect(new Set(rows.map(({ secret_code }) => secret_code)).size).toBe(200)
  expect(rows[7]).toMatchObject({ row: 9, label: 'Cửa hàng 7' })
  expect(bodyOf(rows[7]!.secret_code).content['wifi']).toEqual([{ ssid: 'Kho S7', security: 'wpa2' }])
  const { staged, applied } = await device('CODES-3')
  await scanCodes(staged, [rows[7]!.secret_code], () => undefined)
  expect(applied).toMatchObject([{ networks: [{ ssid: 'Kho S7', password: 'secret-1007' }] }])

  const short = await sheet(['Cửa hàng,Password', 'A,long-enough', 'B,short'])
  await expect(call.istageCode.rows({ kid, hours: 1, upload_kid: short })).rejects.toMatchObject({
    ...wrong('staging_row_wrong'),
    message: expect.stringContaining('Row 3: wifi.0.password'),
  })
  const missing = await sheet(['Cửa hàng', 'A'])
  await expect(call.istageCode.rows({ kid, hours: 1, upload_kid: missing })).rejects.toMatchObject(
    wrong('sheet_columns_missing'),
  )
  const plain = await configured(networks(1, 'Plain'))
  await expect(call.istageCode.rows({ kid: plain, hours: 1, upload_kid })).rejects.toMatchObject(
    wrong('staging_no_variables'),
  )
  const certificate = `data:application/octet-stream;name=ca.pem;base64,${randomBytes(stagingLimits.label_bytes).toString('base64')}`
  const large = await configured({ wifi: [{ ssid: '${Password}', security: 'open', ca_certificate: certificate }] })
  await expect(call.istageCode.rows({ kid: large, hours: 1, upload_kid: short })).rejects.toMatchObject(
    wrong('staging_row_too_large'),
  )
})

import { createHash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { agent_components } from '@mdm/contract'
import type { EnrolmentApk } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testHttpServer } from '../../../../testing/http-server.ts'
import type { TestHttpServer, Reply } from '../../../../testing/http-server.ts'
import { inMemory } from '../../../../lib/apk/source.ts'
import { realApk, zip } from '../../../../testing/apk.ts'
import { readSigner } from '../../../../lib/apk/signer.ts'
import { newKid } from '../../../../lib/ids.ts'
import { purgeExpired } from '../service.ts'

let w: TestHttpServer
let apk: Buffer
/** As another program reads it: the fingerprint of the certificate, in hexadecimal. */
let fingerprint: string
beforeAll(async () => {
  w = await testHttpServer()
  apk = await readFile(realApk)
  fingerprint = new X509Certificate((await readSigner(inMemory(apk))).certificate).fingerprint256
})
afterEach(() => expect(w.internal_errors).toEqual([]))
afterAll(() => w.close())

type Person = Awaited<ReturnType<TestHttpServer['person']>>
type Made = { qrcode_kid: string; secret_text: string; bytes: number; apk: EnrolmentApk | null }
const person = () => w.person(['deviceList', 'deviceList:qrcode'])
const component_name = 'io.appium.settings/.Admin'
const post = (by: Person, path: string, input: unknown): Promise<Reply> =>
  w.call(`/api/${path}`, { method: 'POST', headers: by.bearer, body: JSON.stringify(input) })
const gms = (by: Person, input: Record<string, unknown>) =>
  post(by, 'terminal/qrcode_gms_registered', { component_name, ...input })
async function made(by: Person, input: Record<string, unknown>): Promise<Made> {
  const { body } = await gms(by, input)
  expect(body).toMatchObject({ result: 1 })
  return body.data as Made
}
async function upload(by: Person, bytes: Buffer, name = 'agent.apk'): Promise<string> {
  const tus = { 'tus-resumable': '1.0.0', ...by.bearer }
  const metadata = `filename ${Buffer.from(name).toString('base64')}`
  const begun = await w.call('/upload', {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata },
  })
  const location = begun.headers.get('location')!
  const sent = await w.call(location, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes) as unknown as string,
  })
  expect(sent.status).toBe(204)
  return location.split('/').at(-1)!
}
const elsewhere = { download_url: 'https://cdn.example/agent.apk', signature_checksum: 'A'.repeat(43) }
const key = (name: string) => `android.app.extra.PROVISIONING_${name}`
const read = ({ secret_text }: Made) => JSON.parse(secret_text) as Record<string, unknown>
const base64url = (hex: string) => Buffer.from(hex.replaceAll(':', ''), 'hex').toString('base64url')

test('an uploaded APK: its checksum, and an address that a device without any credential can fetch', async () => {
  const by = await person()
  const made_ = await made(by, { upload_kid: await upload(by, apk) })
  const text = read(made_)
  expect(text[key('DEVICE_ADMIN_COMPONENT_NAME')]).toBe(component_name)
  expect(text[key('DEVICE_ADMIN_SIGNATURE_CHECKSUM')]).toBe(base64url(fingerprint))
  expect(made_.apk).toMatchObject({ name: 'agent.apk', size: apk.length, signature_scheme: 'v2' })
  expect(made_.bytes).toBe(Buffer.byteLength(made_.secret_text))

  const address = new URL(text[key('DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION')] as string)
  const fetched = () => fetch(w.url + address.pathname + address.search)
  const reply = await fetched()
  const bytes = Buffer.from(await reply.arrayBuffer())
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/vnd.android.package-archive'])
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(createHash('sha256').update(apk).digest('hex'))
  address.searchParams.set('sig', 'A'.repeat(43))
  expect((await fetched()).status).toBe(403)
})

test('the agent registers by the token that the code carries', async () => {
  const by = await person()
  await w.deps.db.updateTable('account').set({ terminal_max: 5 }).where('kid', '=', by.account_kid).execute()
  const first = await made(by, elsewhere)
  const extras = read(first)[key('ADMIN_EXTRAS_BUNDLE')] as Record<string, string>
  expect(extras['mdm.server']).toMatch(/^http/)
  const claim = 'ab'.repeat(32)
  const claim_hash = createHash('sha256').update(claim).digest('hex')
  const facts = { model: 'm', os_name: 'Android', os_version: '14', service_version: '1', protocol_version: 1 }
  const say = (path: string, body: unknown) => w.call(path, { method: 'POST', body: JSON.stringify(body) })
  expect((await say('/device/announce', { sn: 'GMS-1', claim_hash, ...facts })).status).toBe(200)
  const enrolled = await say('/device/enrol', { sn: 'GMS-1', claim, qrcode: extras['mdm.qrcode'] })
  expect(JSON.parse(enrolled.text)).toMatchObject({ state: 'registered' })

  const again = await made(by, { ...elsewhere, qrcode_kid: first.qrcode_kid })
  expect(again.qrcode_kid).toBe(first.qrcode_kid)
  expect(read(again)[key('ADMIN_EXTRAS_BUNDLE')]).toEqual(extras)
  const { body } = await post(by, 'terminal_qrcode/paging', {})
  expect(body.data).toMatchObject({ total: 1, items: [{ kid: first.qrcode_kid, use_count: 1, sn: 'GMS-1' }] })
  await post(by, 'terminal_qrcode/revoke', { kid: first.qrcode_kid })
  expect((await gms(by, { ...elsewhere, qrcode_kid: first.qrcode_kid })).body.result).toBe(40025)
})

test('of the MDMesh agent it names server and token as that agent reads them, at an address that it can reach', async () => {
  const by = await person()
  const asked = { ...elsewhere, agent_kind: 'mdmesh', component_name: agent_components.mdmesh }
  const text = read(await made(by, { ...asked, host: 'https://mdm.example.com:443' }))
  expect(text[key('DEVICE_ADMIN_COMPONENT_NAME')]).toBe('com.mdmesh.agent/com.mdmesh.agent.admin.AdminReceiver')
  expect(text[key('ADMIN_EXTRAS_BUNDLE')]).toEqual({
    'com.mdmesh.SERVER_URL': 'https://mdm.example.com',
    'com.mdmesh.ENROLL_TOKEN': expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  for (const host of ['http://mdm.example.com:80', 'https://mdm.example.com:443/mdm', undefined]) {
    const { body } = await gms(by, { ...asked, ...(host && { host }) })
    expect(body).toMatchObject({ result: 10000, data: { fields: { host: expect.stringContaining('https') } } })
  }
  // Nothing is left of a code that was refused.
  expect((await post(by, 'terminal_qrcode/paging', {})).body.data).toMatchObject({ total: 1 })
  w.deps.config.gateways.mdmesh = false
  expect((await gms(by, { ...asked, host: 'https://mdm.example.com:443' })).body).toMatchObject({
    data: { fields: { agent_kind: expect.any(String) } },
  })
  w.deps.config.gateways.mdmesh = true
})

test('of the Headwind agent it names the server in two parts, and the token as its configuration', async () => {
  const by = await person()
  const asked = { ...elsewhere, agent_kind: 'headwind', component_name: agent_components.headwind }
  const host = 'https://mdm.example.com:443/fleet'
  expect((await gms(by, { ...asked, host })).body).toMatchObject({
    data: { fields: { agent_kind: expect.any(String) } },
  })
  w.deps.config.gateways.headwind = true
  const text = read(await made(by, { ...asked, host }))
  expect(text[key('DEVICE_ADMIN_COMPONENT_NAME')]).toBe('com.hmdm.launcher/com.hmdm.launcher.AdminReceiver')
  expect(text[key('ADMIN_EXTRAS_BUNDLE')]).toEqual({
    'com.hmdm.BASE_URL': 'https://mdm.example.com',
    'com.hmdm.SERVER_PROJECT': 'fleet',
    'com.hmdm.CONFIG': expect.stringMatching(/^[0-9a-f]{64}$/),
    'com.hmdm.DEVICE_ID_USE': 'serial',
  })
  w.deps.config.gateways.headwind = false
})

test('everything that was asked for stands under its Android name, and nothing that was not', async () => {
  const by = await person()
  const plain = read(await made(by, { ...elsewhere, leave_all_system_apps_enabled: false }))
  expect(Object.keys(plain).map((name) => name.replace('android.app.extra.PROVISIONING_', ''))).toEqual([
    'DEVICE_ADMIN_COMPONENT_NAME',
    'DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION',
    'DEVICE_ADMIN_SIGNATURE_CHECKSUM',
    'ADMIN_EXTRAS_BUNDLE',
  ])
  const full = read(
    await made(by, {
      ...elsewhere,
      signature_checksum: fingerprint,
      host: 'http://mdm.example:10101',
      wifi: { ssid: 'Kho hàng', is_hidden: true, security_type: 'WPA', password: 'correct horse' },
      locale: 'vi_VN',
      time_zone: 'Asia/Ho_Chi_Minh',
      use_mobile_data: true,
      admin_extras: { 'com.example.KIOSK': true, retries: 3, site: 'Đà Nẵng' },
    }),
  )
  expect(full).toEqual({
    [key('DEVICE_ADMIN_COMPONENT_NAME')]: component_name,
    [key('DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION')]: elsewhere.download_url,
    [key('DEVICE_ADMIN_SIGNATURE_CHECKSUM')]: base64url(fingerprint),
    [key('WIFI_SSID')]: 'Kho hàng',
    [key('WIFI_HIDDEN')]: true,
    [key('WIFI_SECURITY_TYPE')]: 'WPA',
    [key('WIFI_PASSWORD')]: 'correct horse',
    [key('LOCALE')]: 'vi_VN',
    [key('TIME_ZONE')]: 'Asia/Ho_Chi_Minh',
    [key('LEAVE_ALL_SYSTEM_APPS_ENABLED')]: true,
    [key('USE_MOBILE_DATA')]: true,
    [key('ADMIN_EXTRAS_BUNDLE')]: {
      'com.example.KIOSK': true,
      retries: 3,
      site: 'Đà Nẵng',
      'mdm.server': 'http://mdm.example:10101',
      'mdm.qrcode': expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  })
})

test('neither the password of the Wi-Fi nor a token comes into the operation log', async () => {
  const by = await person()
  const { secret_text } = await made(by, { ...elsewhere, wifi: { ssid: 'a', password: 'hunter2-hunter2' } })
  await gms(by, { ...elsewhere, wifi: { ssid: 'a', password: 'hunter2-hunter2' }, time_zone: 'Nowhere' })
  await gms(by, { ...elsewhere, wifi: { ssid: 'a', password: 'hunter2' } })
  const created = await post(by, 'terminal/qrcode_forever_registered', {})
  const token = new URL((created.body.data as { token_url: string }).token_url).searchParams.get('qr')!
  const rows = await w.deps.db
    .selectFrom('operation_log')
    .selectAll()
    .where('account_kid', '=', by.account_kid)
    .execute()
  expect(rows.map((row) => row.action_code).toSorted()).toEqual([
    'qrcode_forever_registered',
    'qrcode_gms_registered',
    'qrcode_gms_registered',
    'qrcode_gms_registered',
  ])
  const logged = JSON.stringify(rows)
  const { 'mdm.qrcode': inside } = (JSON.parse(secret_text) as Record<string, Record<string, string>>)[
    key('ADMIN_EXTRAS_BUNDLE')
  ]!
  for (const secret of ['hunter2', token, inside!]) expect(logged).not.toContain(secret)
})

test('a text that no QR code holds is refused with its size, and leaves no code behind', async () => {
  const by = await person()
  const extras = (bytes: number) => ({
    admin_extras: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, 'x'.repeat(bytes)])),
  })
  const { bytes: empty } = await made(by, { ...elsewhere, ...extras(0) })
  const each = Math.floor((2_900 - empty) / 3)
  expect((await made(by, { ...elsewhere, ...extras(each) })).bytes).toBeLessThanOrEqual(2_900)
  const refused = await gms(by, { ...elsewhere, ...extras(each + 1) })
  expect(refused.body).toMatchObject({ result: 42031, message: expect.stringContaining(`${empty + 3 * (each + 1)}`) })
  expect((await post(by, 'terminal_qrcode/paging', {})).body.data).toMatchObject({ total: 2 })
})

test('provisioning fields that do not fit together are refused at their field', async () => {
  const by = await person()
  const fieldsOf = async (input: Record<string, unknown>) => {
    const { body } = await gms(by, input)
    expect(body.result).toBe(10000)
    return Object.keys((body.data as { fields: Record<string, string> }).fields)
  }
  expect(await fieldsOf({})).toEqual(['download_url'])
  expect(await fieldsOf({ download_url: elsewhere.download_url })).toEqual(['signature_checksum'])
  expect(await fieldsOf({ ...elsewhere, apk_kid: newKid() })).toEqual(['download_url'])
  expect(await fieldsOf({ ...elsewhere, signature_checksum: 'nothing' })).toEqual(['signature_checksum'])
  expect(await fieldsOf({ ...elsewhere, download_url: 'ftp://x/y' })).toEqual(['download_url'])
  expect(await fieldsOf({ ...elsewhere, component_name: 'no-slash' })).toEqual(['component_name'])
  expect(await fieldsOf({ ...elsewhere, wifi: { ssid: 'x', security_type: 'WPA' } })).toEqual(['wifi.password'])
  expect(await fieldsOf({ ...elsewhere, wifi: { ssid: 'ế'.repeat(11), password: '12345678' } })).toEqual(['wifi.ssid'])
  expect(await fieldsOf({ ...elsewhere, admin_extras: { 'mdm.server': 'http://evil' } })).toEqual([
    'admin_extras.mdm.server',
  ])
  for (const host of [
    'a b',
    'mdm.example',
    'mdm.example:10101',
    'https://mdm.example',
    'ftp://mdm.example:21',
    'http://a:99999',
  ])
    expect(await fieldsOf({ ...elsewhere, host })).toEqual(['host'])
})

test('an APK is kept once, counted, found by its account alone, and gone with its address', async () => {
  const by = await person()
  const used = async () =>
    (
      await w.deps.db
        .selectFrom('disk_space')
        .selectAll()
        .where('account_kid', '=', by.account_kid)
        .where('area', '=', 'app_center')
        .executeTakeFirstOrThrow()
    ).used_bytes
  const first = await upload(by, apk)
  const kept = (await made(by, { upload_kid: first })).apk!
  expect((await made(by, { upload_kid: first })).apk).toEqual(kept)
  expect((await made(by, { upload_kid: await upload(by, apk, 'renamed.apk') })).apk).toEqual(kept)
  const by_kid = await made(by, { apk_kid: kept.kid })
  expect(by_kid.apk).toEqual(kept)
  expect(await used()).toBe(apk.length)

  const stranger = await person()
  expect((await gms(stranger, { apk_kid: kept.kid })).body.result).toBe(404)
  expect((await gms(stranger, { upload_kid: await upload(by, apk) })).body.result).toBe(404)
  expect((await post(stranger, 'terminal_qrcode/delete_apk', { kid: kept.kid })).body.result).toBe(404)
  const list = await w.call('/api/terminal_qrcode/list_apk', { headers: by.bearer })
  expect(list.body.data).toEqual([kept])

  expect((await post(by, 'terminal_qrcode/delete_apk', { kid: kept.kid })).body.result).toBe(1)
  const address = new URL(read(by_kid)[key('DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION')] as string)
  expect((await fetch(w.url + address.pathname + address.search)).status).toBe(404)
  expect(await used()).toBe(0)
})

test('a file that is no APK is refused, and can be uploaded anew', async () => {
  const by = await person()
  expect((await gms(by, { upload_kid: await upload(by, Buffer.from('text')) })).body.result).toBe(42032)
  expect((await gms(by, { upload_kid: await upload(by, zip({})) })).body.result).toBe(42033)
  const nothing = Buffer.alloc(0)
  const crowded = zip({ entries: Array.from({ length: 31_000 }, (_, n) => ({ name: `${n}`, content: nothing })) })
  expect((await gms(by, { upload_kid: await upload(by, crowded) })).body.result).toBe(42034)
  expect((await w.call('/api/terminal_qrcode/list_apk', { headers: by.bearer })).body.data).toEqual([])
  await w.deps.db
    .updateTable('disk_space')
    .set({ max_bytes: 10 })
    .where('account_kid', '=', by.account_kid)
    .where('area', '=', 'app_center')
    .execute()
  expect((await gms(by, { upload_kid: await upload(by, apk) })).body.result).toBe(45005)
})

test('APKs that an account leaves behind are removed with their bytes', async () => {
  const by = await person()
  const { apk: kept } = await made(by, { upload_kid: await upload(by, apk) })
  const { object } = await w.deps.db
    .selectFrom('enrolment_apk')
    .select('object')
    .where('kid', '=', kept!.kid)
    .executeTakeFirstOrThrow()
  await w.deps.db.updateTable('enrolment_apk').set({ account_kid: null }).where('kid', '=', kept!.kid).execute()
  expect((await purgeExpired(w.deps)).apks).toBe(1)
  expect(await w.deps.objects.size(object)).toBeUndefined()
  expect(await w.deps.db.selectFrom('enrolment_apk').selectAll().where('kid', '=', kept!.kid).execute()).toEqual([])
})

test('the address still leads there after years', async () => {
  const by = await person()
  const text = read(await made(by, { upload_kid: await upload(by, apk) }))
  const { pathname, search } = new URL(text[key('DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION')] as string)
  await w.deps.clock.advance(10 * 365 * 24 * 3_600_000)
  expect((await fetch(w.url + pathname + search, { method: 'HEAD' })).status).toBe(200)
})

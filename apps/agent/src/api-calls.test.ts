import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { limits } from '@mdm/device-link'
import type { ApiAuthorisation, ApiManifest } from '@mdm/device-link'
import { openApiCalls } from './api-calls.ts'
import type { DeviceEventOf } from './body/body.ts'
import { simulatedBody } from './body/simulated.ts'
import { callAgent, callSocketOf, openCallSocket } from './call-socket.ts'
import { main } from './cli.ts'
import { openOsKeys } from './os-keys.ts'
import { memoryStore } from './store.ts'
import { jumpingClock } from './testing/clock.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'
import { openTurns } from './turns.ts'

type Key = { pub: string; own: KeyObject }
const newKey = (): Key => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { pub: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'), own: privateKey }
}
const signed = (key: Key, text: string) => sign(null, Buffer.from(text), key.own).toString('base64')

const cert_sha1 = 'ab'.repeat(20)
const app = { package: 'com.acme.till', cert_sha1, methods: ['mdm.Device.identity', 'com.acme.Printer.print'] }
const body = simulatedBody({ sn: 'CALLS', seed: 1, faults: {} })
let server: TestServer
let uid: string
let key: Key
beforeAll(async () => {
  server = await startTestServer()
  server.registered.set('CALLS', { kid: 'k', secret: 's' })
  uid = (await body.inventory()).uid!
})
beforeEach(() => {
  key = newKey()
  server.settings.os_keys = [key.pub]
  server.settings.api_list = undefined
})
afterAll(() => server.close())

/** Has the server give a list; the section that names it. */
function give(more: Partial<ApiManifest> = {}, by = key): ApiAuthorisation {
  const manifest = JSON.stringify({ format: 'mdm-api-1', uid, version: 1, apps: [app], ...more })
  server.settings.api_list = { manifest, signature: signed(by, manifest), key: by.pub, key_changes: [] }
  return { version: more.version ?? 1, sha256: createHash('sha256').update(manifest).digest('hex') }
}

async function device(store = memoryStore()) {
  const clock = jumpingClock()
  const credentials = { server: server.url, kid: 'k', secret: 's', mqtt: [] }
  const bulk = { credentials, clock, reconnect: { base_ms: 1, cap_ms: 2 }, turns: openTurns() }
  const told: DeviceEventOf[] = []
  let in_force: ApiAuthorisation | undefined
  const calls = await openApiCalls({
    store,
    body,
    bulk: bulk as never,
    clock,
    os_keys: openOsKeys({ store, bulk: bulk as never }),
    log: () => {},
    add: async (events) => void told.push(...events),
    in_force: () => in_force,
  })
  return {
    ...calls,
    told,
    clock,
    store,
    async obey(section: ApiAuthorisation | undefined) {
      in_force = section
      if (section) await calls.hold(section, AbortSignal.timeout(5_000))
    },
  }
}
const as = (more: object = {}) => ({ package: app.package, cert_sha1, method: 'mdm.Device.identity', ...more })

test('what a list allows is done; the rest is refused, with the reason, and told', async () => {
  const d = await device()
  expect(await d.call(as())).toMatchObject({ code: 'no_list' })
  await d.obey(give())
  expect(await d.call(as())).toMatchObject({ ok: true, data: { sn: 'CALLS' } })
  expect(await d.call(as({ cert_sha1: cert_sha1.toUpperCase().replace(/..(?=.)/g, '$&:') }))).toMatchObject({
    ok: true,
  })
  // Allowed, and nothing that this device has.
  expect(await d.call(as({ method: 'com.acme.Printer.print' }))).toMatchObject({ code: 'not_supported' })
  expect(await d.call(as({ method: 'mdm.Device.state' }))).toMatchObject({ code: 'not_listed' })
  expect(await d.call(as({ cert_sha1: 'cd'.repeat(20) }))).toMatchObject({ code: 'other_certificate' })
  expect(await d.call(as({ package: 'com.acme.other' }))).toMatchObject({ code: 'unknown_app' })
  expect(d.told.map(({ type, detail }) => [type, detail!['reason'], detail!['count']])).toEqual([
    ['api_refused', 'no_list', 1],
    ['api_refused', 'not_listed', 1],
    ['api_refused', 'other_certificate', 1],
    ['api_refused', 'unknown_app', 1],
  ])
  await d.obey(undefined)
  expect(await d.call(as())).toMatchObject({ code: 'no_list' })
})

test('a call that makes no sense is refused and not reported', async () => {
  const d = await device()
  await d.obey(give())
  for (const odd of [
    undefined,
    'text',
    as({ package: 'com.acme\u0000till' }),
    as({ package: 'x'.repeat(201) }),
    as({ cert_sha1: 'zz' }),
    as({ method: 'a b' }),
    as({ method: '__proto__\n' }),
  ])
    expect(await d.call(odd)).toMatchObject({ ok: false, code: 'bad_params' })
  expect(await d.call(as({ method: 'constructor' }))).toMatchObject({ code: 'not_listed' })
  expect(d.told).toHaveLength(1)
})

test('the same refusal is told once a minute, with how often it was', async () => {
  const d = await device()
  for (let n = 0; n < 5; n += 1) await d.call(as())
  await d.tell()
  expect(d.told.map(({ detail }) => detail!['count'])).toEqual([1])
  d.clock.jump(60_000)
  await d.tell()
  expect(d.told.map(({ detail }) => detail!['count'])).toEqual([1, 4])
  d.clock.jump(60_000)
  await d.tell()
  expect(d.told).toHaveLength(2)
  // An app that makes methods up for an hour fills the log of the device; other events of it still reach the server.
  for (let minute = 0; minute < 60; minute += 1) {
    for (let n = 0; n < 300; n += 1) await d.call(as({ method: `a.b${n % 150}` }))
    d.clock.jump(60_000)
    await d.tell()
  }
  expect(d.told.length).toBeGreaterThan(60 * 10)
  expect(d.told.length).toBeLessThan(limits.events_per_hour * 0.6)
})

test('a list is taken only when a believed key signed it, for this UID, and no older one', async () => {
  const d = await device()
  const stranger = newKey()
  await expect(d.obey(give({}, stranger))).rejects.toMatchObject({ code: 'os_key_unknown' })
  const good = give()
  server.settings.api_list!.signature = signed(stranger, server.settings.api_list!.manifest)
  await expect(d.obey(good)).rejects.toMatchObject({ code: 'os_unsigned' })
  give()
  server.settings.api_list!.manifest = server.settings.api_list!.manifest.replace('identity', 'state')
  await expect(d.obey(good)).rejects.toMatchObject({ code: 'os_unsigned' })
  await expect(d.obey(give({ uid: 'ANOTHER' }))).rejects.toMatchObject({ code: 'other_uid' })
  await expect(d.obey(give({ apps: [{ ...app, methods: [] }] }))).rejects.toMatchObject({ code: 'os_manifest_bad' })
  expect(await d.call(as())).toMatchObject({ code: 'no_list' })

  await d.obey(give({ version: 5 }))
  // What was signed before is as genuine as ever.
  const old = give({ version: 4, apps: [{ ...app, package: 'com.acme.before' }] })
  await expect(d.obey({ ...old, version: 6 })).rejects.toMatchObject({ code: 'os_manifest_bad' })
  expect(await d.call(as())).toMatchObject({ ok: true })
  // It went on while it was fetched: the newer one is taken.
  const named = give({ version: 6 })
  give({ version: 7, apps: [] })
  await d.obey(named)
  expect(await d.call(as())).toMatchObject({ code: 'unknown_app' })
})

test('a list holds over restarts', async () => {
  const d = await device()
  const section = give()
  await d.obey(section)
  server.settings.api_list = undefined
  const again = await device(d.store)
  await again.obey(section)
  expect(await again.call(as())).toMatchObject({ ok: true })
})

test('apps call through a socket that only the user of the agent may open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'calls-'))
  const d = await device()
  await d.obey(give())
  const path = callSocketOf(folder)
  const close = await openCallSocket(path, d.call)
  try {
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await callAgent(path, as())).toMatchObject({ ok: true, data: { sn: 'CALLS' } })
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const complain = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      await main(['call', '--data', folder, '--package', app.package, '--cert', cert_sha1, 'mdm.Device.identity'])
      expect(JSON.parse(String(write.mock.calls.at(-1)![0]))).toMatchObject({ sn: 'CALLS' })
      await main(['call', '--data', folder, '--package', app.package, 'mdm.Device.identity'])
      expect(String(complain.mock.calls.at(-1)![0])).toMatch(/^other_certificate: /)
      expect(process.exitCode).toBe(3)
    } finally {
      process.exitCode = undefined
      write.mockRestore()
      complain.mockRestore()
    }
    // Noise ends its own connection and no other.
    const noise = createConnection(path, () => void noise.write('x'.repeat(20_000)))
    noise.on('error', () => {})
    await new Promise((resolve) => noise.once('close', resolve))
    expect(await callAgent(path, { nothing: true })).toMatchObject({ code: 'bad_params' })
  } finally {
    await close()
    await rm(folder, { recursive: true, force: true })
  }
})

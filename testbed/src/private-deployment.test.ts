import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { contract, errors } from '@mdm/contract'
import mqtt from 'mqtt'
import type { Certificate } from '@mdm/server/lib/certificate.ts'
import { realClock } from '@mdm/server/lib/clock.ts'
import { digest } from '@mdm/server/lib/ids.ts'
import { tellProvider } from '@mdm/server/modules/people/activation/index.ts'
import { selfSigned } from '@mdm/server/testing/certificates.ts'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { announce } from './sweeps/stage.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const year_ms = 365 * 86_400_000
let folder: string
let provider: World
let here: World
let renewed: Certificate
let lookForCertificate: () => Promise<void>
const files = () => ({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), code: join(folder, 'code') })

async function issue(terms: object = {}) {
  const ends_at = new Date(Date.now() + year_ms).toISOString()
  const draft = { name: 'Harbour Line', max_accounts: 50, max_devices: 2, ends_at, ...terms }
  const { kid } = await provider.operator.opsActivation.insert(draft)
  return provider.operator.opsActivation.get({ kid })
}

/** The provider's server, and one at a customer with a certificate and the provider's key. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mdm-private-'))
  const first = selfSigned('first')
  renewed = selfSigned('renewed')
  await writeFile(files().cert, first.cert)
  await writeFile(files().key, first.key)
  provider = await world()
  const { key } = await provider.operator.opsActivation.public_key({})
  const clock = {
    ...realClock,
    every(ms: number, fn: () => Promise<void> | void) {
      if (ms === 10_000) lookForCertificate = async () => fn()
      return realClock.every(ms, fn)
    },
  }
  here = await world({
    env: {
      MDM_ENVIRONMENT: 'privatization',
      MDM_ACTIVATION: files().code,
      MDM_ACTIVATION_KEY: key,
      MDM_ACTIVATION_REPORT: provider.url,
      MDM_TLS_CERT: files().cert,
      MDM_TLS_KEY: files().key,
      MDM_HTTPS_PORT: '0',
      MDM_MQTTS_PORT: '0',
      MDM_METRICS_PORT: '0',
    },
    overrides: { clock },
  })
})
afterAll(async () => {
  await here?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const config = () => here.server.deps.config
const own = () => here.operator.opsActivation.this_server({})
const register = async (sn: string) =>
  here.customers[0]!.try_(contract.terminal.calls.manual_registered, await announce(here.url, sn))

const secret = 's'.repeat(64)
/** The first device, as if it had fetched this secret. */
const deviceWithSecret = () =>
  here.server.deps.db
    .updateTable('terminal')
    .set({ secret_hash: digest(secret) })
    .where('sn', '=', 'FIRST')
    .returning('kid')
    .executeTakeFirstOrThrow()

/** Who answers on the HTTPS port: the common name of its certificate, and what it says to this path. */
const ask = (path: string) =>
  new Promise<{ name: string; status: number; body: string }>((resolve, reject) => {
    get(
      { host: '127.0.0.1', port: config().https_port, path, rejectUnauthorized: false, agent: false },
      async (response) => {
        const name = String((response.socket as TLSSocket).getPeerCertificate().subject.CN)
        resolve({ name, status: response.statusCode!, body: await text(response) })
      },
    ).on('error', reject)
  })

test('a server that needs an activation takes up devices once it has one, up to its limit, and reports it', async () => {
  expect(await own()).toMatchObject({ state: 'missing' })
  expect((await register('NOT-YET')).result).toBe(errors.activation_missing.result)
  const { kid, code } = await issue()
  expect(await here.operator.opsActivation.activate({ code_token: code })).toMatchObject({
    state: 'active',
    devices: 0,
  })
  expect((await register('FIRST')).result).toBe(1)
  expect((await register('SECOND')).result).toBe(1)
  expect((await register('THIRD')).result).toBe(errors.registered_devices_exceed_limit.result)
  // Told at once, over HTTP.
  expect(await own()).toMatchObject({ can_report: true, report_error: null, reported_at: expect.any(String) })
  expect((await provider.operator.opsActivation.get({ kid })).state).toBe('activated')
  expect((await here.operator.login.session({})).activation).toMatchObject({ state: 'active' })
  expect((await here.customers[0]!.login.session({})).activation).toBe(null)
})

test('one that was eliminated is told so at its next report; devices stay', async () => {
  const { kid, code } = await issue({ max_devices: 100 })
  await here.operator.opsActivation.activate({ code_token: code })
  await provider.operator.opsActivation.eliminate({ kid })
  await here.server.deps.db.updateTable('activation_here').set({ reported: null }).execute()
  await tellProvider(here.server.deps)
  expect(await own()).toMatchObject({ state: 'eliminated', devices: 2, receipt: expect.any(String) })
  expect((await register('TOO-LATE')).result).toBe(errors.activation_expired.result)
})

test('HTTPS and MQTT over TLS are served, with a certificate that is renewed without a restart', async () => {
  expect(await ask('/health')).toMatchObject({ name: 'first', status: 200 })
  expect((await ask('/api/account/info')).status).toBe(401)
  const device = await deviceWithSecret()
  const connect = () =>
    mqtt.connectAsync(`mqtts://127.0.0.1:${config().mqtt.tls_port}`, {
      clientId: device.kid,
      username: device.kid,
      password: secret,
      reconnectPeriod: 0,
      rejectUnauthorized: false,
    })
  const peerOf = (client: mqtt.MqttClient) =>
    String((client.stream as unknown as TLSSocket).getPeerCertificate().subject.CN)
  const before = await connect()
  expect(peerOf(before)).toBe('first')
  await writeFile(files().cert, renewed.cert)
  await lookForCertificate()
  // Half of a pair is none.
  expect((await ask('/health')).name).toBe('first')
  await writeFile(files().key, renewed.key)
  await lookForCertificate()
  expect((await ask('/health')).name).toBe('renewed')
  // Who is connected stays so.
  expect(before.connected).toBe(true)
  await before.endAsync()
  await until('the renewed certificate on the MQTT port', async () => {
    const after = await connect()
    const name = peerOf(after)
    await after.endAsync()
    return name === 'renewed'
  })
  await writeFile(files().cert, 'no certificate')
  await lookForCertificate()
  expect((await ask('/health')).name).toBe('renewed')
})

test('MQTT over WebSocket comes over TLS as well', async () => {
  const ws = new WebSocket(`wss://127.0.0.1:${config().https_port}/mqtt`, 'mqtt', { rejectUnauthorized: false })
  const outcome = await new Promise<string>((resolve) => {
    ws.on('open', () => resolve(`open ${ws.protocol}`))
    ws.on('error', (error) => resolve(error.message))
  })
  ws.terminate()
  expect(outcome).toBe('open mqtt')
})

test('health and metrics have a port of their own, and nothing else has', async () => {
  const at = `http://127.0.0.1:${config().metrics_port}`
  const health = (await (await fetch(`${at}/health`)).json()) as { data: object }
  expect(health.data).toMatchObject({ database: 'up', broker: 'up', disk_full: false })
  const metrics = await (await fetch(`${at}/metrics`)).text()
  for (const name of [
    'mdm_broker_up 1',
    'mdm_disk_full 0',
    'mdm_broker_connections ',
    'mdm_certificate_ends_seconds 1',
  ])
    expect(metrics).toContain(name)
  expect((await fetch(`${at}/api/account/info`)).status).toBe(404)
})

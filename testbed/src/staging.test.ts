import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import type { SectionOutcome } from '@mdm/agent/body/body.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { realClock } from '@mdm/agent/clock.ts'
import { enrolByToken, storedCredentials } from '@mdm/agent/enrol.ts'
import { scanCodes } from '@mdm/agent/staging/command.ts'
import { takeEnvelope } from '@mdm/agent/staging/scan.ts'
import type { StagingDevice } from '@mdm/agent/staging/scan.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import type { Store } from '@mdm/agent/store.ts'
import { codesOf } from '@mdm/device-link'
import type { Staging } from '@mdm/device-link'
import { envelopeOf } from '@mdm/server/modules/configuration/istage-code/envelope.ts'
import { stagingKey } from '@mdm/server/modules/configuration/istage-code/keys.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerByQr } from './enrol.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
const agents: Agent[] = []
beforeAll(async () => {
  w = await world({ agents: 0 })
})
afterAll(async () => {
  for (const agent of agents) await agent.stop()
  await w[Symbol.asyncDispose]()
})

const hour_ms = 3_600_000
const config = '0198c0de-5555-7abc-8def-0123456789ab'
const content = {
  wifi: [{ ssid: 'Depot', password: 'correct horse', is_hidden: true }],
  scanner: [{ prefix: 'S' }],
  keys: Array.from({ length: 60 }, (_, at) => ({ code: `${at}-${Math.sin(at)}` })),
}

/** What the account of this customer says, as bytes. */
async function envelope(more: Partial<Staging> = {}, customer = 0): Promise<Uint8Array> {
  const account = w.seed.customers[customer]!.account_kid
  const key = await stagingKey(w.server.deps, account)
  const now = Date.now()
  const staging = {
    v: 1 as const,
    id: config,
    account,
    name: 'Depot phones',
    type: 'network',
    version: '3.0.3',
    content,
    issued_at: new Date(now).toISOString(),
    expires_at: new Date(now + hour_ms).toISOString(),
    ...more,
  }
  return envelopeOf(staging, key, (module, field) => module === 'wifi' && field === 'password')
}

type Applied = { section: string; value: unknown }
function deviceOf(
  store: Store,
  sn: string,
  credentials: StagingDevice['credentials'],
  outcomes: Record<string, SectionOutcome> = {},
) {
  const applied: Applied[] = []
  const body = simulatedBody({ sn, seed: 1, faults: {} })
  const device: StagingDevice = {
    store,
    clock: realClock,
    signal: new AbortController().signal,
    log: () => undefined,
    credentials,
    body: {
      async configure(section, value) {
        applied.push({ section, value })
        return outcomes[section] ?? { outcome: 'applied' }
      },
    },
    enrol: async (server, token) =>
      enrolByToken({
        server,
        token,
        store,
        identity: await body.identity(),
        log: () => undefined,
        signal: device.signal,
      }),
  }
  return { device, applied, body }
}

async function registered(sn: string, customer = 0) {
  const store = memoryStore()
  const call = w.customers[customer]!
  const body = simulatedBody({ sn, seed: 1, faults: {} })
  const { agent, kid } = await registerByQr(call, sn, 'NO_GROUP', (qrcode) =>
    startAgent({
      server: w.url,
      body,
      store,
      qrcode,
      sample_ms: 50,
      scans_codes: true,
      reconnect: { base_ms: 50, cap_ms: 500 },
    }),
  )
  agents.push(agent)
  await agent.reached('online')
  await until('the staging keys', async () => (await store.read('staging-keys')) !== undefined)
  const credentials = (await storedCredentials(store, w.url))!
  return { store, kid, call, credentials, agent }
}
const eventsOf = (call: World['customers'][number], kid: string, count: number) =>
  until('what the device told', async () => {
    const { items } = await call.terminal.paging_event({ terminal_kid: kid, type: 'staging', page_size: 100 })
    return items.length >= count && items
  })

test('a device without a network reads a sequence over a restart, obeys it, and tells the server', async () => {
  const { store, kid, call, credentials } = await registered('STAGE-1')
  const codes = codesOf(await envelope())!
  expect(codes.length).toBeGreaterThan(2)
  // Nothing answers there: it goes by the keys that it has.
  const cut = { ...credentials, server: 'http://127.0.0.1:9/' }
  const istage: SectionOutcome = { outcome: 'not_supported', reason: 'no_command' }
  const lines: string[] = []
  const first = deviceOf(store, 'STAGE-1', cut, { istage })
  expect(await scanCodes(first.device, [codes[2]!, codes[0]!, codes[2]!], (line) => lines.push(line))).toBeUndefined()
  expect(first.applied).toEqual([])
  expect(lines.at(-1)).toMatch(/^2 of \d+ codes are read; missing: 2/)
  const { device, applied } = deviceOf(store, 'STAGE-1', cut, { istage })
  const taken = await scanCodes(device, codes, () => undefined)
  expect(taken).toMatchObject({
    name: 'Depot phones',
    items: [
      { module: 'wifi', outcome: 'applied' },
      { module: 'scanner', outcome: 'not_supported' },
      { module: 'keys' },
    ],
  })
  expect(applied[0]).toMatchObject({
    section: 'wifi_profiles',
    value: { networks: [{ ssid: 'Depot', security: 'wpa2', password: 'correct horse', is_hidden: true }] },
  })
  const { scanner, keys } = content
  expect(applied.slice(1)).toEqual([
    {
      section: 'istage',
      value: {
        name: 'Depot phones',
        type: 'network',
        version: '3.0.3',
        private_content: JSON.stringify({ scanner, keys }),
      },
    },
  ])
  const told = await eventsOf(call, kid, 3)
  expect(told.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      { config, name: 'Depot phones', version: '3.0.3', by: 'code', module: 'wifi', outcome: 'applied' },
      {
        config,
        name: 'Depot phones',
        version: '3.0.3',
        by: 'code',
        module: 'scanner',
        outcome: 'not_supported',
        reason: 'no_command',
      },
    ]),
  )
  expect(await store.list('staging-reports')).toEqual([])
})

test('no secret field stands in the codes', async () => {
  const { inflateRawSync } = await import('node:zlib')
  const bytes = Buffer.from(await envelope())
  expect(bytes[1]).toBe(1)
  const body = inflateRawSync(bytes.subarray(74)).toString()
  expect(body).toContain('Depot phones')
  expect(body).not.toContain('correct horse')
})

test('codes of others, changed, expired and of a device whose clock is wrong are refused in words, and told', async () => {
  const { store, kid, call, credentials } = await registered('STAGE-2')
  const { device, applied } = deviceOf(store, 'STAGE-2', credentials)
  const whole = await envelope()
  const changed = Uint8Array.from(whole)
  changed[20]! ^= 1
  const strange = Uint8Array.from(whole)
  strange[5]! ^= 1
  const cases: [Uint8Array, string, RegExp][] = [
    [await envelope({ expires_at: new Date(Date.now() - 1000).toISOString() }), 'expired', /expired at/],
    [await envelope({}, 1), 'other_account', /another account/],
    [changed, 'unsigned', /not signed/],
    [strange, 'key_unknown', /does not hold the key/],
    [
      await envelope({
        issued_at: new Date(Date.now() + 48 * hour_ms).toISOString(),
        expires_at: new Date(Date.now() + 60 * hour_ms).toISOString(),
      }),
      'clock',
      /clock/,
    ],
  ]
  for (const [bytes, code, message] of cases)
    await expect(takeEnvelope(device, bytes, 'file')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  expect(applied).toEqual([])
  const told = await eventsOf(call, kid, cases.length)
  expect(told.map(({ detail }) => detail['reason']).toSorted()).toEqual(cases.map(([, code]) => code).toSorted())
  expect(new Set(told.map(({ detail }) => detail['outcome']))).toEqual(new Set(['refused']))
})

test('a staging link: joins the network, registers, checks who wrote it, and obeys the rest', async () => {
  const call = w.customers[0]!
  const group = await call.terminalGroup.insert({ name: 'Staged', parent_kid: 'ROOT' })
  const { token_url } = await call.terminalQrcode.qrcode_forever_registered({ terminal_group_kid: group.kid })
  const token = new URL(token_url).searchParams.get('qr')!
  const enrol = { server: w.url, token, first: ['wifi', 'scanner'] }
  const store = memoryStore()
  const { device, applied, body } = deviceOf(store, 'STAGE-3', undefined)
  const taken = await takeEnvelope(device, await envelope({ enrol }), 'code')
  // The scanner leads to no server: it waits until the signature is known to be right.
  expect(taken.items.map(({ module }) => module)).toEqual(['wifi', 'scanner', 'keys'])
  expect(applied.map(({ section }) => section)).toEqual(['wifi_profiles', 'istage'])
  const { kid } = (await storedCredentials(store, w.url))!
  expect(await call.terminal.get({ kid })).toMatchObject({ sn: 'STAGE-3', terminal_group_kid: group.kid })
  const agent = startAgent({ server: w.url, body, store, sample_ms: 50, scans_codes: true })
  agents.push(agent)
  expect((await eventsOf(call, kid, 3)).map(({ detail }) => detail['by'])).toEqual(['link', 'link', 'link'])
})

test('a link that the account did not write leads to its server at most', async () => {
  const call = w.customers[1]!
  const { token_url } = await call.terminalQrcode.qrcode_forever_registered({ terminal_group_kid: 'NO_GROUP' })
  const enrol = { server: w.url, token: new URL(token_url).searchParams.get('qr')!, first: ['wifi'] }
  const { device, applied } = deviceOf(memoryStore(), 'STAGE-4', undefined)
  // Signed by the first customer, with a token of the second.
  await expect(takeEnvelope(device, await envelope({ enrol }), 'code')).rejects.toMatchObject({ code: 'other_account' })
  expect(applied.map(({ section }) => section)).toEqual(['wifi_profiles'])
  const other = deviceOf(memoryStore(), 'STAGE-5', undefined)
  await expect(takeEnvelope(other.device, await envelope(), 'code')).rejects.toMatchObject({ code: 'key_unknown' })
  await expect(
    takeEnvelope(other.device, await envelope({ enrol: { ...enrol, token: 'nothing' } }), 'code'),
  ).rejects.toThrow(/QR code/i)
  expect(other.applied).toHaveLength(1)
})

import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayKind } from '@mdm/contract'
import { addAccount } from '@mdm/server/testing/devices.ts'
import { gatewayWorld } from './mdmesh/gateway-world.ts'
import type { GatewayWorld } from './mdmesh/gateway-world.ts'
import { HandmadeClient } from './mender/handmade.ts'

const minute = 60_000
/** Longer than any limit counts, and than calls of one enrolment race. */
const later_ms = 2 * 60 * minute
/** What holds a request until there is something to say is given up. */
const patience_ms = 2_000
const runs = 60

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'
type Credentials = { id: string; headers: Record<string, string>; body: Record<string, unknown> }
type Gateway = {
  /** What a device of this hardware says to join by a code, which may be no live one; undefined where it is refused. */
  join(w: GatewayWorld, token: string, hardware: string): Promise<Credentials | undefined>
  /** All that a device asks, or says, with its id in the path where it has it there. The first is answered with 2xx to a known device. */
  routes: (id: string) => [Method, string][]
  /** Names of fields that its bodies have. */
  fields: string[]
  is_refused?: (status: number, text: string) => boolean
}

const keys = new Map<string, { privateKey: KeyObject; publicKey: KeyObject }>()
const keysOf = (hardware: string) =>
  keys.get(hardware) ?? keys.set(hardware, generateKeyPairSync('ed25519')).get(hardware)!
const json = { 'content-type': 'application/json' }
const post = (url: string, body: object, headers = {}) =>
  fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })

/** A gateway is tried by its row here, and one without a row does not compile. */
const gateways: Record<Exclude<GatewayKind, 'browser'>, Gateway> = {
  mdmesh: {
    async join(w, token, hardware) {
      const agent = w.agent({ token, hardware_id: hardware })
      await agent.enrol().catch(() => {})
      const { id, secret } = agent
      return id ? { id, headers: { authorization: `Bearer ${secret}` }, body: { deviceId: id } } : undefined
    },
    routes: () => [
      ['POST', '/rest/public/agent/v1/checkin'],
      ['POST', '/rest/public/agent/v1/enroll'],
    ],
    fields: [
      'deviceId',
      'hardwareId',
      'device',
      'dynamic',
      'results',
      'events',
      'policies',
      'agent',
      'apps',
      'location',
    ],
    is_refused: (_status, text) => text.includes('"ERROR"'),
  },
  headwind: {
    async join(w, token, hardware) {
      const url = `${w.http.url}/rest/public/sync/configuration/${encodeURIComponent(hardware)}`
      const { data } = (await (await post(url, { configuration: token })).json()) as { data?: { newNumber?: string } }
      const id = data?.newNumber
      return id ? { id, headers: {}, body: { deviceId: id } } : undefined
    },
    routes: (id) => [
      ['GET', `/rest/public/sync/configuration/${id}`],
      ['POST', `/rest/public/sync/configuration/${id}`],
      ['POST', '/rest/public/sync/info'],
      ['GET', `/rest/notifications/device/${id}`],
      ['GET', `/rest/notification/polling/${id}`],
      ['GET', `/rest/plugins/devicelog/log/rules/${id}`],
      ['POST', `/rest/plugins/devicelog/log/list/${id}`],
      ['POST', `/rest/plugins/devicereset/public/${id}`],
      ['POST', `/rest/plugins/devicereset/public/reboot/${id}`],
    ],
    fields: [
      'deviceId',
      'configuration',
      'applications',
      'files',
      'location',
      'permissions',
      'batteryLevel',
      'message',
    ],
    is_refused: (status, text) => status >= 400 || text.includes('"ERROR"'),
  },
  hawkbit: {
    async join(w, token, hardware) {
      const headers = { authorization: `GatewayToken ${token}` }
      const answer = await fetch(`${w.http.url}/default/controller/v1/${encodeURIComponent(hardware)}`, { headers })
      return answer.ok ? { id: hardware, headers, body: {} } : undefined
    },
    routes: (id) => [
      ['GET', `/default/controller/v1/${id}`],
      ['PUT', `/default/controller/v1/${id}/configData`],
      ['PUT', `/default/controller/v1/${id}/installedBase`],
      ['GET', `/default/controller/v1/${id}/deploymentBase/1`],
      ['POST', `/default/controller/v1/${id}/deploymentBase/1/feedback`],
      ['GET', `/default/controller/v1/${id}/cancelAction/1`],
      ['POST', `/default/controller/v1/${id}/cancelAction/1/feedback`],
      ['POST', `/default/controller/v1/${id}/confirmationBase/1/feedback`],
    ],
    fields: ['mode', 'data', 'id', 'status', 'execution', 'result', 'details', 'version', 'confirmation'],
  },
  mender: {
    async join(w, token, hardware) {
      const client = new HandmadeClient({ server: w.http.url, token, mac: hardware, keys: keysOf(hardware) })
      if (!(await client.is_in())) return undefined
      return { id: client.bearer, headers: { authorization: `Bearer ${client.bearer}` }, body: {} }
    },
    routes: (id) => [
      ['POST', '/api/devices/v2/deployments/device/deployments/next'],
      ['GET', '/api/devices/v1/deployments/device/deployments/next'],
      ['PUT', '/api/devices/v1/inventory/device/attributes'],
      ['PATCH', '/api/devices/v1/inventory/device/attributes'],
      ['POST', '/api/devices/v1/authentication/auth_requests'],
      ['PUT', `/api/devices/v1/deployments/device/deployments/${id}/status`],
      ['PUT', `/api/devices/v1/deployments/device/deployments/${id}/log`],
      ['GET', '/api/devices/v1/deviceconnect/connect'],
    ],
    fields: ['device_provides', 'status', 'substate', 'messages', 'name', 'value', 'id_data', 'pubkey', 'tenant_token'],
  },
}

describe.each(Object.entries(gateways))('what anybody may say to the gateway %s', (kind, gateway) => {
  let w: GatewayWorld
  let serial = 0
  const hardware = () => `02:00:00:00:0${kind.length}:${(serial += 1)}`
  beforeAll(async () => {
    w = await gatewayWorld()
    Object.assign(w.deps.config.gateways, { mdmesh: true, headwind: true, hawkbit: true, mender: true })
    await w.http.restart()
    w.deps.config.public_url = w.http.url
  })
  afterAll(() => w.close())

  const rows = () =>
    w.deps.db.selectFrom('terminal').select(['kid', 'account_kid', 'secret_hash']).orderBy('kid').execute()
  const kids = async () => (await rows()).map(({ kid }) => kid)
  async function joined(token = w.token, of = hardware()) {
    const credentials = await gateway.join(w, token, of)
    if (!credentials) throw new Error('it did not join')
    return { of, ...credentials }
  }
  async function say([method, path]: [Method, string], headers: Record<string, string>, body?: string | Uint8Array) {
    try {
      const reply = await fetch(w.http.url + path, {
        ...{ method, headers: { ...json, ...headers }, signal: AbortSignal.timeout(patience_ms) },
        ...(method !== 'GET' && { body: (body ?? '{}') as NonNullable<RequestInit['body']> }),
      })
      return { status: reply.status, text: await reply.text() }
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') return { status: 0, text: '' }
      throw error
    }
  }
  /** Whether it is served as a device that is known. */
  async function isServed({ id, headers, body }: Credentials): Promise<boolean> {
    const { status, text } = await say(gateway.routes(id)[0]!, headers, JSON.stringify(body))
    return status >= 200 && status < 300 && !gateway.is_refused?.(status, text)
  }

  const value = fc.jsonValue({ maxDepth: 4 })
  const bodyOf = (own: Record<string, unknown>) =>
    fc.oneof(
      fc
        .dictionary(fc.constantFrom(...gateway.fields, '__proto__', 'constructor'), value)
        .map((said) => JSON.stringify({ ...said, ...own })),
      fc.json(),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(
        '',
        'null',
        '[',
        '['.repeat(50_000),
        `{"x":${'9'.repeat(400)}}`,
        '{"a":"\\ud800"}',
        '{"a":"\\u0000"}',
      ),
    )

  it('of a device that is known, whatever it holds, is no fault of ours, and changes nobody else', async () => {
    const [mine, other] = [await joined(), await joined()]
    const before = await rows()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...gateway.routes(encodeURIComponent(mine.id))),
        bodyOf(mine.body),
        async (route, body) => {
          const { status } = await say(route, mine.headers, body)
          expect(status, `${route.join(' ')} ${String(body)}`).toBeLessThan(500)
          await w.deps.clock.advance(minute + 1)
        },
      ),
      { numRuns: runs },
    )
    expect(w.http.internal_errors).toEqual([])
    expect(await rows()).toEqual(before)
    expect(await isServed(mine)).toBe(true)
    expect(await isServed(other)).toBe(true)
  })

  it('of ids that are none, registers nobody', async () => {
    const mine = await joined()
    const before = await rows()
    const id = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }),
      fc.constantFrom(
        '..',
        '%00',
        '__proto__',
        'constructor',
        '0',
        "' OR 1=1 --",
        'a'.repeat(5_000),
        mine.id.slice(1),
        `${mine.id}0`,
      ),
      fc.stringMatching(/^[0-9a-f]{96}$/),
    )
    await fc.assert(
      fc.asyncProperty(id, fc.nat(20), bodyOf({}), async (none, at, body) => {
        const routes = gateway.routes(encodeURIComponent(none.toWellFormed()))
        const route = routes[at % routes.length]!
        const { status, text } = await say(route, {}, body)
        expect(status, `${route.join(' ')} ${String(body)}`).toBeLessThan(500)
        expect(
          status >= 400 || gateway.is_refused?.(status, text) === true,
          `${route.join(' ')} ${status} ${text}`,
        ).toBe(true)
        await w.deps.clock.advance(minute + 1)
      }),
      { numRuns: runs },
    )
    expect(w.http.internal_errors).toEqual([])
    expect(await rows()).toEqual(before)
  })

  it('by the hundred, as a flood of strangers, is refused, and keeps nobody away who is known', async () => {
    const mine = await joined()
    const before = await kids()
    const routes = gateway.routes('nobody').filter(([, path]) => !path.includes('polling'))
    const said = await Promise.all(Array.from({ length: 300 }, (_, at) => say(routes[at % routes.length]!, {}, '{}')))
    expect(
      said.filter(({ status, text }) => status > 0 && status < 400 && !gateway.is_refused?.(status, text)),
    ).toEqual([])
    expect(said.filter(({ status }) => status >= 500)).toEqual([])
    expect(await isServed(mine)).toBe(true)
    expect(await kids()).toEqual(before)
    await w.deps.clock.advance(later_ms, minute)
  })

  it('to join, at the same time and again later, is of one device', async () => {
    const [of, before] = [hardware(), (await kids()).length]
    await Promise.all(Array.from({ length: 5 }, () => gateway.join(w, w.token, of)))
    expect(await kids()).toHaveLength(before + 1)
    await w.deps.clock.advance(later_ms, minute)
    expect(await isServed(await joined(w.token, of))).toBe(true)
    expect(await kids()).toHaveLength(before + 1)
  })

  it('with the hardware of a device of another tenant, leaves that one alone', async () => {
    const mine = await joined()
    const before = await rows()
    const account_kid = await addAccount(w.deps)
    const { token } = await w.code({ account_kid })
    await gateway.join(w, token, mine.of)
    const after = await rows()
    const mine_still = after.filter((row) => before.some(({ kid }) => kid === row.kid))
    expect(mine_still).toEqual(before)
    expect(
      after.filter((row) => !before.some(({ kid }) => kid === row.kid)).every((row) => row.account_kid === account_kid),
    ).toBe(true)
    expect(await isServed(mine)).toBe(true)
  })

  it('by a code that was revoked, or that has ended, registers nobody', async () => {
    const { kid, token } = await w.code()
    await w.deps.db.updateTable('qrcode').set({ revoked_at: w.deps.clock.now() }).where('kid', '=', kid).execute()
    const ended = await w.code({ is_permanent: false, expires_at: new Date(w.deps.clock.now().getTime() - minute) })
    const before = await kids()
    for (const dead of [token, ended.token, '', 'x', 'x'.repeat(10_000)])
      expect(await gateway.join(w, dead, hardware()).catch(() => undefined), dead.slice(0, 70)).toBeUndefined()
    expect(await kids()).toEqual(before)
    expect(w.http.internal_errors).toEqual([])
  })

  it('once its device was deregistered, is of nobody, and a live code registers it anew', async () => {
    const mine = await joined()
    const before = await kids()
    await w.deps.db.updateTable('terminal').set({ secret_hash: null }).execute()
    await w.deps.clock.advance(minute)
    if (kind !== 'hawkbit') expect(await isServed(mine)).toBe(false)
    await w.deps.clock.advance(later_ms, minute)
    expect(await isServed(await joined(w.token, mine.of))).toBe(true)
    expect(await kids()).toEqual(before)
  })
})

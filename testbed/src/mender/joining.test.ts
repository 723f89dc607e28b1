import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'

import type { contract, In, Out } from '@mdm/contract'
import { addAccount } from '@mdm/server/testing/devices.ts'
import { testActor } from '@mdm/server/testing/actor.ts'
import { of_account_max } from '@mdm/server/modules/fleet/enrolment/device/announcements.ts'
import {
  acceptWaiting,
  pagingWaiting,
  rejectWaiting,
} from '@mdm/server/modules/fleet/enrolment/registration/waiting.ts'
import { gatewayWorld } from '../mdmesh/gateway-world.ts'
import type { GatewayWorld } from '../mdmesh/gateway-world.ts'
import { HandmadeClient, ed25519 } from './handmade.ts'

const minute = 60_000
const day = 24 * 60 * minute

describe('a device with the Mender client', () => {
  let w: GatewayWorld
  let at_once: string
  let by_approval: string
  let serial = 0
  beforeAll(async () => {
    w = await gatewayWorld()
    w.deps.config.gateways.mender = true
    await w.http.restart()
    w.deps.config.public_url = w.http.url
    at_once = w.token
    by_approval = (await w.code({ needs_approval: true })).token
  })
  afterAll(() => w.close())

  const mac = () => `02:00:00:00:00:${String((serial += 1)).padStart(2, '0')}`
  const client = (more: Partial<ConstructorParameters<typeof HandmadeClient>[0]> = {}) =>
    new HandmadeClient({ server: w.http.url, token: at_once, mac: mac(), ...more })
  const actor = (account_kid = w.account_kid) => testActor(w.deps, account_kid)
  type Paging = typeof contract.terminalQrcode.calls.paging_waiting
  const waiting = async (account_kid = w.account_kid, more: Partial<In<Paging>> = {}): Promise<Out<Paging>['items']> =>
    (await pagingWaiting(actor(account_kid), { page: 1, page_size: 200, ...more })).items as never
  const waitingOf = async (identity: string) => (await waiting()).find((row) => row.identity === `mac=${identity}`)
  const devices = () => w.deps.db.selectFrom('terminal').selectAll().where('agent_kind', '=', 'mender').execute()
  const kidOf = ({ bearer }: HandmadeClient) => bearer.split(':')[0]

  it('joins at once by a permanent code, and is there with what it says', async () => {
    const it_is = mac()
    const a = client({ mac: it_is })
    expect(await a.is_in()).toBe(true)
    const said = {
      device_type: 'till',
      artifact_name: 'till-1.4.0',
      os: 'Debian GNU/Linux 12 (bookworm)',
      hostname: 'till-7',
    }
    const more = { mender_client_version: '3.4.0', ipv4_eth0: ['10.0.0.7/24', '10.0.0.8/24'], mem_total_kB: 2048 }
    expect((await a.attributes({ ...said, ...more })).status).toBe(200)
    expect(await w.terminal(kidOf(a))).toMatchObject({
      ...{ account_kid: w.account_kid, agent_kind: 'mender', name: `mac=${it_is}`, model: 'till', uid: 'till' },
      ...{
        os_name: 'Debian GNU/Linux',
        os_version: '1.4.0',
        service_version: '3.4.0',
        host: 'till-7',
        task_types: ['os'],
      },
      sn: expect.stringMatching(/^MENDER-[0-9A-F]{16}$/),
    })
    expect(await w.state(kidOf(a))).toMatchObject({ is_online: true, transport: 'check_in', network_type: 'ethernet' })
  })

  it('is away when it has not asked for longer than half an hour', async () => {
    const a = client()
    await a.ask()
    expect((await a.next()).status).toBe(204)
    await w.deps.clock.advance(39 * minute, minute / 2)
    expect((await w.state(kidOf(a))).is_online).toBe(true)
    await w.deps.clock.advance(2 * minute)
    expect((await w.state(kidOf(a))).is_online).toBe(false)
  })

  it('waits by a code that needs approval until it is let in', async () => {
    const it_is = mac()
    const a = client({ token: by_approval, mac: it_is })
    expect((await a.ask()).status).toBe(401)
    const row = (await waitingOf(it_is))!
    expect(row).toMatchObject({ agent_kind: 'mender', is_known: false, refused_at: null, os_name: 'Linux' })
    const { kid } = await acceptWaiting(actor(), row.kid)
    expect(await waitingOf(it_is)).toBeUndefined()
    expect(await a.is_in()).toBe(true)
    expect(kidOf(a)).toBe(kid)
  })

  it('that was refused is not asked about again, until its request is forgotten or it is let in after all', async () => {
    const it_is = mac()
    const a = client({ token: by_approval, mac: it_is })
    await a.ask()
    await rejectWaiting(actor(), (await waitingOf(it_is))!.kid)
    for (let n = 0; n < 2; n += 1) expect((await a.ask()).status).toBe(401)
    const refused = await waiting(w.account_kid, { is_refused: true })
    expect(refused).toMatchObject([{ identity: `mac=${it_is}` }])
    expect(await waiting(w.account_kid, { is_refused: false })).toEqual([])
    await acceptWaiting(actor(), refused[0]!.kid)
    expect(await a.is_in()).toBe(true)
  })

  it('is one, however many of its requests race', async () => {
    const before = (await devices()).length
    const [it_is, keys] = [mac(), ed25519()]
    const racing = Array.from({ length: 5 }, () => client({ mac: it_is, keys }))
    await Promise.all(racing.map((each) => each.ask()))
    expect(await racing[0]!.is_in()).toBe(true)
    expect(await devices()).toHaveLength(before + 1)
  })

  it('with another key waits, which an event tells, while the former key goes on until the new one is let in', async () => {
    const it_is = mac()
    const [former, other] = [client({ mac: it_is }), client({ mac: it_is })]
    await former.ask()
    expect((await other.ask()).status).toBe(401)
    expect((await other.ask()).status).toBe(401)
    const events = await w.deps.db
      .selectFrom('terminal_event')
      .select('type')
      .where('terminal_kid', '=', kidOf(former)!)
      .execute()
    expect(events).toEqual([{ type: 'other_key' }])
    expect((await former.next()).status).toBe(204)
    const row = (await waitingOf(it_is))!
    expect(row.is_known).toBe(true)
    await acceptWaiting(actor(), row.kid)
    expect((await former.next()).status).toBe(401)
    expect((await former.ask()).status).toBe(401)
    expect(await other.is_in()).toBe(true)
    expect(kidOf(other)).toBe(kidOf(former))
  })

  it('gets a new token each time, which ends the one before, and each ends after a day', async () => {
    const a = client()
    await a.ask()
    const earlier = a.bearer
    await a.ask()
    const later = a.bearer
    a.bearer = earlier
    expect((await a.next()).status).toBe(401)
    a.bearer = later
    expect((await a.next()).status).toBe(204)
    const row = w.deps.db.updateTable('terminal_agent').where('terminal_kid', '=', kidOf(a)!)
    const [now, ends_at] = [w.deps.clock.now().getTime(), sql<string>`(kept->>'token_until')::bigint`]
    const { until } = await row.returning(ends_at.as('until')).set({ reset_due_at: null }).executeTakeFirstOrThrow()
    expect(Number(until) - now).toBe(day)
    await row.set({ kept: sql`kept || ${JSON.stringify({ token_until: now })}::jsonb` }).execute()
    expect((await a.next()).status).toBe(401)
    expect(await a.is_in()).toBe(true)
  })

  it('stays when its code is revoked, by which nobody else comes in', async () => {
    const { kid, token } = await w.code()
    const a = client({ token })
    await a.ask()
    await w.deps.db.updateTable('qrcode').set({ revoked_at: w.deps.clock.now() }).where('kid', '=', kid).execute()
    expect(await a.is_in()).toBe(true)
    expect((await client({ token }).ask()).status).toBe(401)
  })

  it('joins with each kind of key that clients make', async () => {
    const made = [
      generateKeyPairSync('rsa', { modulusLength: 3072 }),
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
      ed25519(),
    ]
    for (const keys of made) expect(await client({ keys }).is_in()).toBe(true)
  })

  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
  it.each<[string, (a: HandmadeClient) => Promise<Response>]>([
    ['signed by another key', (a) => a.ask({}, { by: ed25519() })],
    ['not signed', (a) => a.ask({}, { signature: '' })],
    ['signed with nonsense', (a) => a.ask({}, { signature: '%'.repeat(100) })],
    ['without a token', (a) => a.ask({ tenant_token: undefined })],
    ['with a token of nobody', (a) => a.ask({ tenant_token: 'x'.repeat(64) })],
    ['with a token that is none', (a) => a.ask({ tenant_token: { $ne: '' } })],
    ['without a key', (a) => a.ask({ pubkey: undefined })],
    ['with its private key', (a) => a.ask({ pubkey: a.keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) })],
    ['without an identity', (a) => a.ask({ id_data: '{}' })],
    ['with an identity that is no JSON', (a) => a.ask({ id_data: 'mac=1' })],
    ['with an endless identity', (a) => a.ask({ id_data: JSON.stringify({ mac: 'x'.repeat(3_000) }) })],
    ['that is no JSON', (a) => a.send('POST', '/v1/authentication/auth_requests', '[', {})],
    ['that is empty', (a) => a.send('POST', '/v1/authentication/auth_requests', '', {})],
  ])('does not join by a request %s', async (_, ask) => {
    const before = await devices()
    expect((await ask(client())).status).toBe(401)
    expect(await devices()).toHaveLength(before.length)
    expect(w.http.internal_errors).toEqual([])
  })

  it('does not join with a weak key, nor by a request that has no end', async () => {
    expect((await client({ keys: weak }).ask()).status).toBe(401)
    expect((await client().ask({ more: 'x'.repeat(20_000) })).status).toBe(413)
  })

  it('does not join by a code for one device', async () => {
    const { token } = await w.code({ is_permanent: false, expires_at: new Date(w.deps.clock.now().getTime() + minute) })
    expect((await client({ token }).ask()).status).toBe(401)
  })

  it('is nobody with the secret of a device of another kind', async () => {
    const other = await w.joined()
    const a = client()
    a.bearer = `${other.id}:${other.secret}`
    expect((await a.next()).status).toBe(401)
  })

  it('is of the account of its code alone', async () => {
    const account_kid = await addAccount(w.deps)
    const it_is = mac()
    await client({ token: by_approval, mac: it_is }).ask()
    const row = (await waitingOf(it_is))!
    expect(await waiting(account_kid)).toEqual([])
    await expect(acceptWaiting(actor(account_kid), row.kid)).rejects.toMatchObject({ refusal: 'not_found' })
    await expect(rejectWaiting(actor(account_kid), row.kid)).rejects.toMatchObject({ refusal: 'not_found' })
    // The same hardware may be known to several accounts, as its id is no secret.
    const { token } = await w.code({ account_kid })
    const there = client({ token, mac: it_is })
    expect(await there.is_in()).toBe(true)
    expect((await w.terminal(kidOf(there))).account_kid).toBe(account_kid)
    expect(await waitingOf(it_is)).toBeDefined()
  })

  it('leaves a place for others: of an account a number may wait, and those not heard of go first', async () => {
    const { token } = await w.code({ needs_approval: true })
    const [now, row] = [
      w.deps.clock.now(),
      await w.deps.db.selectFrom('announcement').selectAll().executeTakeFirstOrThrow(),
    ]
    const expires_at = new Date(now.getTime() + day)
    const silent = Array.from({ length: of_account_max }, (_, n) => ({
      ...{
        sn: `SILENT-${n}`,
        claim_hash: Buffer.from([n & 255, n >> 8]),
        registration_code: 'X',
        device: JSON.stringify(row.device),
      },
      ...{ address: `198.51.100.${n % 200}`, announced_at: new Date(now.getTime() - 60 * minute + n), expires_at },
      ...{ account_kid: w.account_kid, qrcode_kid: row.qrcode_kid },
    }))
    await w.deps.db.deleteFrom('announcement').execute()
    await w.deps.db.insertInto('announcement').values(silent).execute()
    const it_is = mac()
    await client({ token, mac: it_is }).ask()
    const there = await w.deps.db
      .selectFrom('announcement')
      .select('sn')
      .where('account_kid', '=', w.account_kid)
      .execute()
    expect(there.map(({ sn }) => sn)).not.toContain('SILENT-0')
    expect(await waitingOf(it_is)).toBeDefined()
  })

  it('is forgotten a week after it last asked', async () => {
    const it_is = mac()
    await client({ token: by_approval, mac: it_is }).ask()
    const { announced_at, expires_at } = (await waitingOf(it_is))!
    expect(new Date(expires_at).getTime() - new Date(announced_at).getTime()).toBe(7 * day)
    await w.deps.db.updateTable('announcement').set({ expires_at: w.deps.clock.now() }).execute()
    expect(await waitingOf(it_is)).toBeUndefined()
  })
})

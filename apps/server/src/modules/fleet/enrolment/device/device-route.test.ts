import { contract } from '@mdm/contract'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../../testing/actor.ts'
import { addAccount, device, facts } from '../../../../testing/devices.ts'
import { registerByCode } from '../index.ts'
import { testDeps } from '../../../../testing/deps.ts'
import type { TestDeps } from '../../../../testing/deps.ts'
import { deviceRoutes } from './device-route.ts'
import { parseJsonBodies } from '../../../../http/json-body.ts'

describe('what a device may say before it is registered', () => {
  let deps: TestDeps
  let app: FastifyInstance
  beforeAll(async () => {
    deps = await testDeps()
    app = Fastify()
    parseJsonBodies(app)
    await deviceRoutes(app, deps)
  })
  afterAll(async () => {
    await app.close()
    await deps.close()
  })

  const post = (path: string, payload: unknown, more: { remoteAddress?: string; lang?: string } = {}) =>
    app.inject({
      method: 'POST',
      url: `/device/${path}${more.lang ? `?lang=${more.lang}` : ''}`,
      payload: payload as object,
      headers: { host: 'mdm.example:8081', 'content-type': 'application/json' },
      remoteAddress: more.remoteAddress ?? '10.0.0.1',
    })
  async function registered() {
    const d = device()
    const account_kid = await addAccount(deps)
    const { registration_code } = (await announce(d)).json()
    const input = { sn: d.sn, registration_code, terminal_group_kid: 'NO_GROUP' as const }
    const kid = await registerByCode(testActor(deps, account_kid), input)
    return { kid, secret: (await post('enrol', { sn: d.sn, claim: d.claim })).json().secret as string }
  }
  const announce = (d: ReturnType<typeof device>, more?: Parameters<typeof post>[2]) =>
    post('announce', { sn: d.sn, claim_hash: d.claim_hash, ...facts }, more)

  it('is sent to encrypted MQTT alone when it asks over https, also through a proxy that is trusted', async () => {
    const behind = Fastify({ trustProxy: true })
    await deviceRoutes(behind, deps)
    const { kid, secret } = await registered()
    const authorization = `Bearer ${kid}:${secret}`
    const headers = { host: 'mdm.example', 'x-forwarded-proto': 'https', authorization }
    const url = '/device/standing'
    expect((await behind.inject({ url, headers })).json().mqtt).toEqual(['wss://mdm.example/mqtt'])
    // Nobody else is believed that it came over https.
    expect((await app.inject({ url, headers })).json().mqtt).toEqual(['mqtt://mdm.example:0', 'ws://mdm.example/mqtt'])
    await behind.close()
  })

  it('is told to wait twice as long each time, once its secret is not known any more', async () => {
    const d = device()
    const account_kid = await addAccount(deps)
    const { registration_code } = (await announce(d)).json()
    await registerByCode(testActor(deps, account_kid), { sn: d.sn, registration_code, terminal_group_kid: 'NO_GROUP' })
    const { kid, secret } = (await post('enrol', { sn: d.sn, claim: d.claim })).json()
    const ask = (given: string) =>
      app.inject({ url: '/device/standing', headers: { authorization: `Bearer ${kid}:${given}` } })
    expect((await ask(secret)).json()).toEqual({
      state: 'registered',
      retry_after: 0,
      mqtt: ['mqtt://localhost:0', 'ws://localhost/mqtt'],
    })
    for (const seconds of [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
      const reply = await ask('of-another-life')
      expect(reply.json()).toEqual({ state: 'unknown', retry_after: seconds })
      expect(reply.headers['retry-after']).toBe(String(seconds))
    }
    expect((await ask(secret)).json()).toEqual(expect.objectContaining({ state: 'registered', retry_after: 0 }))
    expect((await app.inject({ url: '/device/standing' })).statusCode).toBe(401)
  })

  it('is one device however its serial number is written', async () => {
    const d = device()
    const account_kid = await addAccount(deps)
    const small = { ...d, sn: d.sn.toLowerCase() }
    const { registration_code } = (await announce(small)).json()
    expect((await announce(d)).json()).toEqual({ registration_code, poll_seconds: expect.any(Number) })
    const { input } = contract.terminal.calls.manual_registered
    const pasted = input.parse({ sn: `\u202a${small.sn}\u200b `, registration_code })
    const kid = await registerByCode(testActor(deps, account_kid), pasted)
    const row = await deps.db.selectFrom('terminal').select('sn').where('kid', '=', kid).executeTakeFirstOrThrow()
    expect(row.sn).toBe(d.sn)
    expect((await post('enrol', { sn: small.sn, claim: d.claim })).json()).toMatchObject({ state: 'registered', kid })
  })

  it('announces, waits, and is told its credentials', async () => {
    const d = device()
    const account_kid = await addAccount(deps)
    const { registration_code, poll_seconds } = (await announce(d)).json()
    expect(registration_code).toMatch(/^[A-Z2-9]{6}$/)
    const ask = () => post('enrol', { sn: d.sn, claim: d.claim })
    expect((await ask()).json()).toEqual({ state: 'waiting', poll_seconds })
    const input = { sn: d.sn, registration_code, terminal_group_kid: 'NO_GROUP' as const }
    const kid = await registerByCode(testActor(deps, account_kid), input)
    const reply = await ask()
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.json()).toEqual({
      state: 'registered',
      kid,
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      mqtt: ['mqtt://mdm.example:0', 'ws://mdm.example:8081/mqtt'],
      time: deps.clock.now().toISOString(),
    })
    const stranger = await post('enrol', { sn: d.sn, claim: device().claim }, { lang: 'vi' })
    expect(stranger.statusCode).toBe(422)
    expect(stranger.json()).toEqual({
      result: 40021,
      message: 'Thiết bị đã được đăng ký. Hãy hủy đăng ký trước.',
      data: null,
    })
  })

  it('gets a clear refusal for every kind of rubbish', async () => {
    const d = device()
    const good = { sn: d.sn, claim_hash: d.claim_hash, ...facts }
    const bad: [unknown, string][] = [
      [{ ...good, sn: 'x'.repeat(37) }, 'sn'],
      [{ ...good, sn: '<script>' }, 'sn'],
      [{ ...good, sn: '' }, 'sn'],
      [{ ...good, claim_hash: d.claim_hash.toUpperCase() }, 'claim_hash'],
      [{ ...good, model: 'x'.repeat(65) }, 'model'],
      [{ ...good, protocol_version: '1; drop table terminal' }, 'protocol_version'],
      [null, ''],
      [[], ''],
    ]
    for (const [payload, field] of bad) {
      const reply = await post('announce', payload === null ? 'null' : payload)
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toMatchObject({ result: 10000, data: { fields: { [field]: expect.any(String) } } })
    }
    for (const payload of ['{"sn":', '']) {
      const reply = await post('announce', payload)
      expect([reply.statusCode, reply.json().result]).toEqual([400, 10000])
    }
    const huge = await post('announce', { ...good, model: 'x'.repeat(20_000) })
    expect([huge.statusCode, huge.json().result]).toEqual([413, 413])
    const nul = await post('announce', { ...good, model: 'a\0b' })
    expect([nul.statusCode, nul.json().result]).toEqual([400, 10000])
    const unknown = await post('enrol', { sn: d.sn, claim: d.claim })
    expect([unknown.statusCode, unknown.json().result]).toEqual([422, 40020])
    expect(await deps.db.selectFrom('announcement').select('sn').where('sn', '=', d.sn).execute()).toEqual([])
  })

  it('may come in hundreds behind one address, not without end', async () => {
    const d = device()
    const ask = (remoteAddress: string) => announce(d, { remoteAddress })
    // What says nothing counts as well, and asks nothing of the database.
    for (let n = 0; n < 900; n += 1) await post('announce', {}, { remoteAddress: '10.1.1.1' })
    let last = await ask('10.1.1.1')
    for (let n = 901; n < 1_000; n += 1) last = await ask('10.1.1.1')
    expect(last.statusCode).toBe(200)
    const refused = await ask('10.1.1.1')
    expect([refused.statusCode, refused.json().result]).toEqual([429, 429])
    expect(refused.json().message).toContain('1 s')
    expect((await ask('10.1.1.2')).statusCode).toBe(200)
    await deps.clock.advance(1_000)
    expect((await ask('10.1.1.1')).statusCode).toBe(200)
  })

  it('goes on for who was right before, when a neighbour has used up what their address may ask', async () => {
    const [d, other] = [device(), device()]
    const from = { remoteAddress: '10.2.2.2' }
    const ask = (claim: string) => post('enrol', { sn: d.sn, claim }, from)
    await announce(d, from)
    expect((await ask(d.claim)).statusCode).toBe(200)
    const noise = async () => {
      for (let n = 0; n < 2_000; n += 1) await ask('no claim')
    }
    await noise()
    expect((await ask(other.claim)).statusCode).toBe(429)
    for (let n = 0; n < 5; n += 1) expect((await ask(d.claim)).json()).toMatchObject({ state: 'waiting' })
    // Not more often than it has to.
    expect((await ask(d.claim)).statusCode).toBe(429)
    await deps.clock.advance(10_000)
    await noise()
    expect((await ask(other.claim)).statusCode).toBe(429)
    expect((await ask(d.claim)).json()).toMatchObject({ state: 'waiting' })
  })
})

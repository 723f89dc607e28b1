import { createHmac } from 'node:crypto'
import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { purgeExpiredRows } from '../../../jobs/purge.ts'
import { backgroundAtRest } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { testDeps } from '../../../testing/deps.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { createAccount } from '../../people/account/index.ts'
import type { Resolve } from '../../../lib/address.ts'
import { otherServer } from '../../../testing/other-server.ts'
import { startReceiver } from '../../../testing/webhook-receiver.ts'
import type { Receiver } from '../../../testing/webhook-receiver.ts'
import { queueMessages } from './queue.ts'
import { sendDue } from './sender.ts'
import { add, change, list, ping } from './index.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
let deps: TestDeps
let receiver: Receiver
let account_kid: string
let hook: { kid: string; secret: string }
beforeAll(async () => {
  ;[deps, receiver] = await Promise.all([testDeps(), startReceiver()])
  account_kid = (await createAccount(deps.db, { type: 1, name: 'Acme' })).kid
})
afterAll(async () => {
  await receiver.close()
  await deps.close()
})
beforeEach(async () => {
  deps.config.webhook_allow = ['127.0.0.1']
  receiver.answerWith((reply) => void reply.writeHead(204).end())
  const owner = testActor(deps, account_kid)
  const draft = { name: newKid(), url: receiver.url, events: ['operation_log' as const], is_enabled: true }
  hook = await add(owner, { ...draft, offline_minutes: 60 }, 'en')
})
afterEach(async () => {
  await deps.db.deleteFrom('webhook').execute()
  receiver.received.length = 0
})

async function queue(changed: { event?: string } = {}): Promise<string> {
  const kid = newKid()
  const now = deps.clock.now()
  const payload = JSON.stringify({ id: newKid(), type: 'operation_log', message: 'Xin chào 你好' })
  await deps.db
    .insertInto('webhook_delivery')
    .values({
      kid,
      account_kid,
      webhook_kid: hook.kid,
      event: 'operation_log',
      payload,
      next_at: now,
      created_at: now,
      ...changed,
    })
    .execute()
  return kid
}
const row = (kid: string) =>
  deps.db.selectFrom('webhook_delivery').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
const hookRow = () => deps.db.selectFrom('webhook').selectAll().where('kid', '=', hook.kid).executeTakeFirstOrThrow()
const setUrl = (url: string) => deps.db.updateTable('webhook').set({ url }).where('kid', '=', hook.kid).execute()
const resolvesTo =
  (address: string): Resolve =>
  async () => [{ address, family: 4 }]

describe('a delivery', () => {
  it('is signed so that the receiver can tell it is ours', async () => {
    const kid = await queue()
    await sendDue(deps)
    const { body, headers } = receiver.received[0]!
    const id = String(headers['webhook-id'])
    const timestamp = String(headers['webhook-timestamp'])
    const key = Buffer.from(hook.secret.replace('whsec_', ''), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${expected}`)
    expect(Number(timestamp)).toBe(Math.floor(deps.clock.now().getTime() / 1000))
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(body)).toMatchObject({ id, message: 'Xin chào 你好' })
    expect(await row(kid)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      next_at: null,
      response_status: 204,
      error: null,
      delivered_at: deps.clock.now(),
    })
    await sendDue(deps)
    expect(receiver.received).toHaveLength(1)
  })

  it('that fails is tried again, ever later, and given up in the end', async () => {
    receiver.answerWith((reply) => void reply.writeHead(500).end('no'))
    const kid = await queue()
    const since = deps.clock.now()
    for (const wait of [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour]) {
      await sendDue(deps)
      const next_at = new Date(deps.clock.now().getTime() + wait)
      expect(await row(kid)).toMatchObject({ state: 'queued', next_at, response_status: 500, error: 'answered 500' })
      const tries = receiver.received.length
      await deps.clock.advance(wait - 1)
      await sendDue(deps)
      expect(receiver.received).toHaveLength(tries)
      await deps.clock.advance(1)
    }
    await sendDue(deps)
    expect(await row(kid)).toMatchObject({ state: 'failed', attempts: 8, next_at: null, delivered_at: null })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect((await hookRow()).failing_since).toEqual(since)
    receiver.answerWith((reply) => void reply.writeHead(200).end('x'.repeat(100_000)))
    await queue()
    await sendDue(deps)
    expect((await hookRow()).failing_since).toBeNull()
  })

  it('follows no redirect', async () => {
    receiver.answerWith((reply) => void reply.writeHead(302, { location: `${receiver.url}/elsewhere` }).end())
    const kid = await queue()
    await sendDue(deps)
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook'])
    expect(await row(kid)).toMatchObject({ state: 'queued', response_status: 302, error: 'answered 302' })
  })

  it('goes to the very address that was checked, and not at all when the name means another by then', async () => {
    await setUrl(`http://hooks.test:${receiver.port}/hook`)
    const first = await queue()
    await sendDue(deps, { resolve: resolvesTo('127.0.0.1') })
    expect(await row(first)).toMatchObject({ state: 'delivered' })
    expect(receiver.received[0]!.headers.host).toBe(`hooks.test:${receiver.port}`)
    deps.config.webhook_allow = []
    const second = await queue()
    await sendDue(deps, { resolve: resolvesTo('127.0.0.1') })
    expect(await row(second)).toMatchObject({
      state: 'queued',
      response_status: null,
      error: 'its host is not on the public internet',
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('is cut when the receiver does not answer, or never ends its answer', async () => {
    receiver.answerWith(() => undefined)
    const silent = await queue()
    await sendDue(deps, { timeout_ms: 200 })
    expect(await row(silent)).toMatchObject({ state: 'queued', response_status: null, error: 'no answer in time' })
    receiver.answerWith((reply) => void reply.writeHead(200).write('and so on'))
    const endless = await queue()
    await sendDue(deps, { timeout_ms: 2_000 })
    expect(await row(endless)).toMatchObject({ state: 'delivered', response_status: 200 })
    await setUrl('http://127.0.0.1:1/')
    const closed = await queue()
    await sendDue(deps)
    expect(await row(closed)).toMatchObject({ state: 'queued', error: 'ECONNREFUSED' })
  })

  it('to a receiver that is gone switches the webhook off; what else waits is given up', async () => {
    receiver.answerWith((reply) => void reply.writeHead(410).end())
    const kid = await queue()
    await sendDue(deps)
    expect(await row(kid)).toMatchObject({ state: 'failed', attempts: 1, response_status: 410 })
    expect(await hookRow()).toMatchObject({ is_enabled: false, failing_since: deps.clock.now() })
    const later = await queue()
    const ping = await queue({ event: 'ping' })
    receiver.answerWith((reply) => void reply.writeHead(204).end())
    await sendDue(deps)
    expect(await row(later)).toMatchObject({ state: 'failed', error: 'the webhook is disabled' })
    expect(await row(ping)).toMatchObject({ state: 'delivered' })
    expect(receiver.received).toHaveLength(2)
  })
})

describe('several servers', () => {
  it('send each delivery once', async () => {
    const kids = await Promise.all(Array.from({ length: 30 }, () => queue()))
    await Promise.all([sendDue(deps), sendDue(deps), sendDue(deps)])
    expect(receiver.received).toHaveLength(kids.length)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(kids.length)
  })

  it('take over what one began that is gone, whose late word no longer counts', async () => {
    const other = await otherServer(deps)
    let answerLate = (): void => undefined
    receiver.answerWith((reply) => (answerLate = () => void reply.writeHead(500).end()))
    const kid = await queue()
    const dying = sendDue(other)
    await expect.poll(() => receiver.received.length).toBe(1)
    // However late it is by anybody's clock: it lives.
    await deps.clock.advance(hour)
    await sendDue(deps)
    expect(receiver.received).toHaveLength(1)
    await other.die()
    receiver.answerWith((reply) => void reply.writeHead(204).end())
    await sendDue(deps)
    expect(receiver.received).toHaveLength(2)
    answerLate()
    await dying
    expect(await row(kid)).toMatchObject({ state: 'delivered', attempts: 2, response_status: 204 })
    expect((await hookRow()).failing_since).toBeNull()
  })
})

describe('receivers that do not answer', () => {
  /** A webhook of an account, and so many messages that wait for it. */
  const addWaiting = async (owner_kid: string, url: string, count: number) => {
    const owner = testActor(deps, owner_kid)
    const draft = { name: newKid(), url, events: ['operation_log' as const], is_enabled: true }
    const { kid: webhook_kid } = await add(owner, { ...draft, offline_minutes: 60 }, 'en')
    const at = deps.clock.now()
    const rows = Array.from({ length: count }, () => ({
      ...{ kid: newKid(), account_kid: owner_kid, webhook_kid, event: 'operation_log' },
      ...{ payload: JSON.stringify({ id: newKid() }), next_at: at, created_at: at },
    }))
    if (count > 0) await deps.db.insertInto('webhook_delivery').values(rows).execute()
    return webhook_kid
  }
  const customer = async () => (await createAccount(deps.db, { type: 1, name: newKid() })).kid
  const subAccount = async (parent_kid: string) =>
    (await createAccount(deps.db, { type: 2, name: newKid(), parent_kid })).kid

  it('of two customers leave places for a third, whose message is younger', async () => {
    const waiting = new Map<string, (() => void)[]>([
      ['/first', []],
      ['/second', []],
    ])
    const slow = await startReceiver()
    slow.answerWith((reply) => {
      waiting.get(slow.received.at(-1)!.path)!.push(() => void reply.writeHead(204).end())
    })
    const at = (path: string) => slow.url.replace('/hook', path)
    const first = await customer()
    await addWaiting(first, at('/first'), 6)
    // It has no lanes of its own beside those of its customer.
    await addWaiting(await subAccount(first), at('/first'), 6)
    await addWaiting(await customer(), at('/second'), 6)
    await deps.clock.advance(second)
    await addWaiting(await customer(), receiver.url, 1)
    const sending = sendDue(deps)
    await expect.poll(() => receiver.received.length).toBe(1)
    await expect.poll(() => [...waiting.values()].map(({ length }) => length)).toEqual([3, 3])
    slow.answerWith((reply) => void reply.writeHead(204).end())
    for (const answer of [...waiting.values()].flat()) answer()
    await sending
    expect(slow.received).toHaveLength(18)
    await slow.close()
  })

  it('have so many messages wait and no more; what is left out is counted', async () => {
    const { webhook_waiting_max: max, webhook_waiting_of_customer: of_customer } = constants
    const owner_kid = await customer()
    const actor = testActor(deps, owner_kid)
    const fill = (webhook_kid: string, count: number) =>
      sql`
      INSERT INTO webhook_delivery (kid, account_kid, webhook_kid, event, payload, next_at, created_at)
      SELECT gen_random_uuid(), account_kid, kid, 'operation_log', '{"id": "1"}', ${deps.clock.now()}::timestamptz + interval '1 day',
        ${deps.clock.now()} FROM webhook, generate_series(1, ${count}::integer) WHERE kid = ${webhook_kid}`.execute(
        deps.db,
      )
    const full = await addWaiting(owner_kid, receiver.url, 0)
    const free = await addWaiting(owner_kid, receiver.url, 0)
    await fill(full, max)
    const tell = async () => {
      await queueMessages(deps, owner_kid, [{ event: 'operation_log', payload: '{"id":"1"}' }])
      await backgroundAtRest(deps)
    }
    const state = async () => {
      const rows = await list(actor)
      const { rows: counted } = await sql<{ webhook_kid: string; n: number }>`
        SELECT webhook_kid, count(*)::integer AS n FROM webhook_delivery GROUP BY 1`.execute(deps.db)
      return [full, free].map((kid) => {
        const { left_out, left_out_at } = rows.find((row) => row.kid === kid)!
        return { left_out, left_out_at, n: counted.find((row) => row.webhook_kid === kid)?.n ?? 0 }
      })
    }
    await tell()
    await tell()
    const left_out_at = deps.clock.now()
    const none = { left_out: 0, left_out_at: null }
    expect(await state()).toEqual([
      { left_out: 2, left_out_at, n: max },
      { ...none, n: 2 },
    ])
    await expect(ping(actor, full)).rejects.toMatchObject({ refusal: 'webhook_full' })
    await ping(actor, free)
    // Those of a sub-account count for the customer.
    await fill(await addWaiting(await subAccount(owner_kid), receiver.url, 0), of_customer - max)
    await tell()
    expect(await state()).toMatchObject([{ left_out: 3 }, { left_out: 1, n: 3 }])
    await expect(ping(actor, free)).rejects.toMatchObject({ refusal: 'webhook_full' })
    const saved = { name: 'Saved', url: receiver.url, events: ['operation_log' as const], is_enabled: true }
    await change(actor, { kid: free, ...saved }, 'en')
    expect(await state()).toMatchObject([{ left_out: 3 }, none])
  })
})

it('deliveries of a month ago are forgotten', async () => {
  const old = await queue()
  await deps.clock.advance(29 * 24 * hour)
  const young = await queue()
  await deps.clock.advance(2 * 24 * hour)
  await purgeExpiredRows(deps)
  const left = (await deps.db.selectFrom('webhook_delivery').select('kid').execute()).map(({ kid }) => kid)
  expect(left).toContain(young)
  expect(left).not.toContain(old)
})

import { constants } from '@mdm/contract'
import type { WebhookEvent } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { backgroundAtRest, wake } from '../../../lib/background.ts'
import { testActor } from '../../../testing/actor.ts'
import { addAccount, addTerminal } from '../../../testing/devices.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { startReceiver } from '../../../testing/webhook-receiver.ts'
import type { Receiver } from '../../../testing/webhook-receiver.ts'
import { cancel } from '../../devices/terminal/index.ts'
import { change, add as addHook } from '../webhook/hooks.ts'
import { list, webhookDeliveries } from '../webhook/index.ts'
import { deviceNews, deviceSilences } from './index.ts'

const minute = 60_000
let o: TestApi
let receiver: Receiver
beforeAll(async () => {
  ;[o, receiver] = await Promise.all([testApi(), startReceiver()])
  o.deps.config.webhook_allow = ['127.0.0.1']
  // The server has run for a while: devices have come back.
  await deviceSilences.run(o.deps)
  await o.deps.clock.advance(6 * minute)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await receiver?.close()
  await o?.close()
})
beforeEach(async () => {
  await o.deps.db.deleteFrom('webhook').execute()
  await o.deps.db.deleteFrom('terminal_news').execute()
  receiver.received.length = 0
})

const draft = (name: string, events: WebhookEvent[], offline_minutes = 60) => ({
  ...{ name, events, offline_minutes, url: receiver.url, is_enabled: true },
})
async function hook(account_kid: string, events: WebhookEvent[], offline_minutes?: number) {
  const { kid } = await addHook(testActor(o.deps, account_kid), draft(account_kid, events, offline_minutes), 'en')
  // What is known of webhooks is a second old at most.
  await o.deps.clock.advance(1_000)
  return kid
}
/** What receivers hear by now, in the order of types and devices. */
async function heard() {
  for (const work of [deviceNews, deviceSilences]) while (await work.run(o.deps));
  wake(o.deps, webhookDeliveries)
  await backgroundAtRest(o.deps)
  const messages = receiver.received.splice(0).map(({ body }) => {
    const { type, account, detail } = JSON.parse(body) as Record<string, any>
    return { ...detail, type, account: account.kid }
  })
  return messages.toSorted((a, b) => `${a.type} ${a.sn}`.localeCompare(`${b.type} ${b.sn}`))
}
const came: WebhookEvent[] = ['device.registered', 'device.deregistered']

it('webhooks of the account and of the provider hear which devices came and went; those of others do not', async () => {
  const sub = await addAccount(o.deps, 10, o.acme.kid)
  for (const account_kid of [o.acme.kid, o.globex.kid, sub]) await hook(account_kid, came)
  const kid = await addTerminal(o.deps, o.acme.kid, { sn: 'NEWS1', name: 'Till', model: 'M1' })
  const registered = { type: 'device.registered', account: o.acme.kid, terminal_kid: kid, sn: 'NEWS1', name: 'Till' }
  expect(await heard()).toMatchObject([{ ...registered, model: 'M1', terminal_group_kid: null, group_name: null }])
  expect(await heard()).toEqual([])
  await cancel(testActor(o.deps, o.acme.kid), { terminalKids: [kid], confirm: 'DELETE' })
  expect(await heard()).toMatchObject([
    { ...registered, type: 'device.deregistered', agent_kind: 'mdm', is_scrapped: false },
  ])
  const { kid: provider } = await o.deps.db
    .selectFrom('account')
    .select('kid')
    .where('type', '=', 101)
    .executeTakeFirstOrThrow()
  await hook(provider, ['device.registered'])
  await addTerminal(o.deps, sub, { sn: 'NEWS2' })
  expect((await heard()).map(({ account }) => account)).toEqual([sub, sub])
})

it('what is undone is not told, and nothing is written down where nobody listens', async () => {
  await addTerminal(o.deps, o.acme.kid)
  expect(await o.deps.db.selectFrom('terminal_news').select('id').execute()).toEqual([])
  await hook(o.acme.kid, came)
  const undone = o.deps.db.transaction().execute(async (db) => {
    await addTerminal({ ...o.deps, db }, o.acme.kid)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await heard()).toEqual([])
})

it('of a sheet of thousands what has no room waits while the receiver answers, and is counted where it does not', async () => {
  const { webhook_waiting_max: max } = constants
  const kid = await hook(o.acme.kid, came)
  const fill = (count: number) =>
    sql`
    INSERT INTO webhook_delivery (kid, account_kid, webhook_kid, event, payload, next_at, created_at)
    SELECT gen_random_uuid(), account_kid, kid, 'operation_log', '{"id": "1"}',
      ${o.deps.clock.now()}::timestamptz + interval '1 day', ${o.deps.clock.now()}
    FROM webhook, generate_series(1, ${count}::integer)`.execute(o.deps.db)
  /** How many of a sheet's five devices wait, and how many messages were left out, once all is done that can be. */
  const after = async (change: () => Promise<unknown>) => {
    await change()
    while (await deviceNews.run(o.deps));
    await backgroundAtRest(o.deps)
    const { length: waiting } = await o.deps.db.selectFrom('terminal_news').select('id').execute()
    return { left_out: (await list(testActor(o.deps, o.acme.kid)))[0]!.left_out, waiting }
  }
  const sheet = () =>
    sql`
    INSERT INTO terminal (kid, account_kid, sn, claim_hash, registered_at)
    SELECT gen_random_uuid(), ${o.acme.kid}, gen_random_uuid()::text, '\\x01', ${o.deps.clock.now()}
    FROM generate_series(1, 5)`.execute(o.deps.db)
  await fill(max - 2)
  // Two have room; of one batch the rest is counted.
  expect(await after(sheet)).toEqual({ left_out: 3, waiting: 0 })
  await fill(2)
  expect(await after(sheet)).toEqual({ left_out: 3, waiting: 5 })
  const empty = () => sql`DELETE FROM webhook_delivery WHERE event = 'operation_log'`.execute(o.deps.db)
  expect(await after(empty)).toEqual({ left_out: 3, waiting: 0 })
  await fill(max)
  expect(await after(sheet)).toEqual({ left_out: 3, waiting: 5 })
  const later = () => sql`UPDATE terminal_news SET at = at - interval '11 minutes'`.execute(o.deps.db)
  expect(await after(later)).toEqual({ left_out: 8, waiting: 0 })
  await o.deps.db.updateTable('webhook').set({ failing_since: o.deps.clock.now() }).where('kid', '=', kid).execute()
  expect(await after(sheet)).toEqual({ left_out: 13, waiting: 0 })
})

it('a silence is told once, for as long as the webhook says, and so is its end', async () => {
  const before = await addTerminal(o.deps, o.acme.kid, { sn: 'OLD' }, { last_online_at: o.deps.clock.now() })
  await o.deps.clock.advance(120 * minute)
  const webhook_kid = await hook(o.acme.kid, ['device.offline', 'device.online'], 30)
  await hook(o.globex.kid, ['device.offline'], 5)
  const silent_since = o.deps.clock.now()
  const kid = await addTerminal(o.deps, o.acme.kid, { sn: 'SILENT' }, { last_online_at: silent_since })
  await addTerminal(o.deps, o.acme.kid, { sn: 'NEVER' })
  await o.deps.clock.advance(29 * minute)
  expect(await heard()).toEqual([])
  await o.deps.clock.advance(minute)
  const told = { type: 'device.offline', terminal_kid: kid, sn: 'SILENT', silent_since: silent_since.toISOString() }
  expect(await heard()).toMatchObject([told])
  await o.deps.clock.advance(60 * minute)
  expect(await heard()).toEqual([])
  // It was there for a moment between two looks.
  const again = o.deps.clock.now()
  const set = (state: object) =>
    o.deps.db.updateTable('terminal_state').set(state).where('terminal_kid', '=', kid).execute()
  await set({ last_online_at: again })
  expect(await heard()).toMatchObject([{ ...told, type: 'device.online' }])
  await o.deps.clock.advance(30 * minute)
  expect(await heard()).toMatchObject([{ ...told, silent_since: again.toISOString() }])
  await set({ is_online: true })
  expect(await heard()).toMatchObject([{ type: 'device.online', terminal_kid: kid }])
  expect(await heard()).toEqual([])
  // Who is switched on again hears of what is silent from then on.
  await set({ is_online: false, last_online_at: o.deps.clock.now() })
  const actor = testActor(o.deps, o.acme.kid)
  const saved = { kid: webhook_kid, ...draft('Saved', ['device.offline'], 30) }
  await change(actor, { ...saved, is_enabled: false }, 'en')
  await o.deps.clock.advance(90 * minute)
  await change(actor, saved, 'en')
  expect(await heard()).toEqual([])
  await cancel(actor, { terminalKids: [kid, before], confirm: 'DELETE' })
  expect(await o.deps.db.selectFrom('webhook_silence').select('terminal_kid').execute()).toEqual([])
})

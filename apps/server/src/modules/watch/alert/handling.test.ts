import { contract } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { alertsOf, draftOf } from '../../../testing/alerts.ts'
import { testActor } from '../../../testing/actor.ts'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { addTerminal, addUser } from '../../../testing/devices.ts'
import { startReceiver } from '../../../testing/webhook-receiver.ts'
import { add as addHook } from '../webhook/hooks.ts'
import * as alerts from './index.ts'

const calls = contract.alert.calls
const rules = contract.alertRule.calls

let o: TestApi
let root: As & { kid: string }
let colleague: As & { kid: string }
let device: string
const { as, pass, set, addGroup } = alertsOf(() => o.deps)
beforeAll(async () => {
  o = await testApi()
  root = await o.person(1, o.acme.kid, 'acme.boss', ['*'])
  colleague = await o.person(3, o.acme.kid, 'acme.colleague', ['alertList*'])
  device = await addTerminal(o.deps, o.acme.kid)
  await set([device], { battery_level: 5 })
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

/** A rule that fires for the device, and its alert. */
async function opened(more: object = {}) {
  const { kid } = await alerts.insert(await as(o.acme.kid), draftOf({ calm_minutes: 0, ...more }))
  await pass(1_000)
  const { items } = (await o.call(calls.paging, { rule_kid: kid }, root)).data
  return items[0]!
}
const read = async (kid: string) => (await o.call(calls.get, { kid }, root)).data
const assign = (kids: string[], assignee_kid: string | null, who: As = root) =>
  o.call(calls.assign, { alerts: kids.map((kid) => ({ kid })), assignee_kid }, who)

it('lists open ones first, then acknowledged ones, over pages, and filters by state and assignee', async () => {
  const [first, second, third] = [await opened(), await opened(), await opened()]
  await o.call(calls.acknowledge, { kid: third.kid }, root)
  await o.call(calls.resolve, { kid: first.kid }, root)
  const listed = async (input: object) =>
    (await o.call(calls.paging, { page_size: 50, ...input }, root)).data.items.map(({ kid }) => kid)
  const in_order = [second.kid, third.kid, first.kid]
  expect(await listed({})).toEqual(in_order)
  const one = (await o.call(calls.paging, { page_size: 1 }, root)).data
  const two = (await o.call(calls.paging, { page_size: 2, after: one.next! }, root)).data
  expect([...one.items, ...two.items].map(({ kid }) => kid)).toEqual(in_order)
  expect(await listed({ states: ['open', 'acknowledged'] })).toEqual([second.kid, third.kid])
  await assign([second.kid], colleague.kid)
  expect(await listed({ assignee: 'nobody' })).toEqual([third.kid, first.kid])
  expect(await listed({ assignee: colleague.kid })).toEqual([second.kid])
  expect(await listed({ assignee: 'me' })).toEqual([])
  expect((await o.call(calls.paging, { assignee: 'me' }, colleague)).data.items).toMatchObject([
    { kid: second.kid, assignee_name: 'Name of acme.colleague' },
  ])
  expect(await listed({ to: new Date(0).toISOString() })).toEqual([])
})

it('does what is possible to several, and names what it left and why', async () => {
  const [open, seen, over] = [await opened(), await opened(), await opened()]
  await o.call(calls.acknowledge, { kid: seen.kid }, root)
  await o.call(calls.resolve, { kid: over.kid }, root)
  const kids = [open.kid, seen.kid, over.kid]
  const left = { kid: over.kid, name: over.name, reason: 'resolved' }
  const acknowledged = (await o.call(calls.acknowledge_batch, { kids }, root)).data
  expect(acknowledged.acknowledged).toBe(1)
  expect(acknowledged.skipped).toHaveLength(2)
  expect(acknowledged.skipped).toEqual(
    expect.arrayContaining([left, { kid: seen.kid, name: seen.name, reason: 'acknowledged' }]),
  )
  expect((await assign(kids, colleague.kid)).data).toEqual({ assigned: 2, skipped: [left] })
  expect((await o.call(calls.resolve_batch, { kids }, root)).data).toEqual({ resolved: 2, skipped: [left] })
  expect((await o.call(calls.resolve_batch, { kids: [open.kid, newKid()] }, root)).status).toBe(404)
})

it('is assigned to people of the account who may see it, and to nobody else', async () => {
  const alert = await opened()
  const limited = await addUser(o.deps, o.acme.kid, [await addGroup(o.acme.kid)], ['alertList'])
  const blind = await addUser(o.deps, o.acme.kid)
  const offered = (await o.call(calls.list_assignee, { kids: [alert.kid] }, root)).data.map(({ kid }) => kid)
  expect(offered).toEqual(expect.arrayContaining([root.kid, colleague.kid]))
  for (const kid of [limited, blind, o.globex_root.kid]) expect(offered).not.toContain(kid)
  const { data: found } = await o.call(calls.list_assignee, { text: 'ACME.COLL' }, root)
  expect(found).toEqual([{ kid: colleague.kid, name: 'Name of acme.colleague', username: 'acme.colleague' }])

  expect((await assign([alert.kid], limited)).data).toEqual({
    assigned: 0,
    skipped: [{ kid: alert.kid, name: alert.name, reason: 'out_of_reach' }],
  })
  expect((await assign([alert.kid], blind)).result).toBe(49114)
  expect((await assign([alert.kid], o.globex_root.kid)).status).toBe(404)
  expect((await assign([alert.kid], null, o.globex_root)).status).toBe(403)
  await assign([alert.kid], colleague.kid)

  // Somebody who looked before that does not take it away.
  const late = await o.call(
    calls.assign,
    { alerts: [{ kid: alert.kid, from_kid: null }], assignee_kid: root.kid },
    root,
  )
  expect(late.data).toEqual({ assigned: 0, skipped: [{ kid: alert.kid, name: alert.name, reason: 'reassigned' }] })
  expect(await read(alert.kid)).toMatchObject({ assignee_kid: colleague.kid })
})

it('is nobody’s once its person is disabled or deleted', async () => {
  const [one, other] = [await opened(), await opened()]
  const person = await addUser(o.deps, o.acme.kid, [], ['alertList'])
  await assign([one.kid, other.kid], person)
  await o.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', person).execute()
  expect(await read(one.kid)).toMatchObject({ assignee_kid: null, assignee_name: null, state: 'open' })
  const free = (await o.call(calls.paging, { assignee: 'nobody' }, root)).data.items.map(({ kid }) => kid)
  expect(free).toEqual(expect.arrayContaining([one.kid, other.kid]))
  expect((await assign([one.kid], person)).result).toBe(49114)
  const taken = { alerts: [{ kid: one.kid, from_kid: null }], assignee_kid: root.kid }
  expect((await o.call(calls.assign, taken, root)).data.assigned).toBe(1)
  await o.deps.db.deleteFrom('user_account').where('kid', '=', person).execute()
  expect(await read(other.kid)).toMatchObject({ assignee_kid: null, state: 'open' })
})

it('who is limited to groups assigns what they see to themselves alone', async () => {
  const group = await addGroup(o.acme.kid)
  await o.deps.db.updateTable('terminal').set({ terminal_group_kid: group }).where('kid', '=', device).execute()
  const { kid: maker, ...who } = await limitedTo(group)
  const { kid: rule_kid } = (await o.call(rules.insert, draftOf({ calm_minutes: 0 }), who)).data
  await pass(1_000)
  const [alert] = (await o.call(calls.paging, { rule_kid }, who)).data.items
  const people = (await o.call(calls.list_assignee, { kids: [alert!.kid] }, who)).data
  expect(people.map(({ kid }) => kid)).toEqual([maker])
  expect((await assign([alert!.kid], colleague.kid, who)).status).toBe(404)
  expect((await assign([alert!.kid], maker, who)).data.assigned).toBe(1)
  expect((await assign([(await opened()).kid], maker, who)).status).toBe(404)
})

async function limitedTo(group: string) {
  const person = await o.person(3, o.acme.kid, 'acme.limited', ['alertList*', 'alertRuleList*'])
  const { db } = o.deps
  const row = { account_kid: o.acme.kid, user_kid: person.kid, terminal_group_kid: group }
  await db.insertInto('terminal_group_user_manged').values(row).execute()
  return person
}

it('keeps a note, and refuses one that is written over what somebody else wrote meanwhile', async () => {
  const { kid } = await opened()
  const write = async (input: object) => (await o.call(calls.update_note, { kid, note: '', ...input }, root)).result
  expect(await write({ note: ' Battery ordered ', from_note: '' })).toBe(1)
  expect(await read(kid)).toMatchObject({ note: 'Battery ordered' })
  expect(await write({ note: 'Mine', from_note: '' })).toBe(409)
  expect(await write({ note: 'x'.repeat(2_001) })).toBe(10000)
  expect(await write({ note: 'Mine', from_note: 'Battery ordered' })).toBe(1)
})

it('tells its history: what time, people and messages did to it', async () => {
  const receiver = await startReceiver()
  o.deps.config.webhook_allow = ['127.0.0.1']
  const hook = { name: 'Pager', url: receiver.url, events: ['alert.opened'], is_enabled: true }
  await addHook(testActor(o.deps, o.acme.kid), hook as never, 'en')
  // Which webhooks there are is known for a second.
  o.deps.memory.webhooks.clear()
  const { kid, rule_kid } = await opened()
  const later = () => o.deps.clock.jump(1_000)
  later()
  await o.call(calls.acknowledge, { kid }, colleague)
  await assign([kid], colleague.kid)
  await o.call(calls.update_note, { kid, note: 'On its way' }, colleague)
  await o.call(rules.silence, { kid: rule_kid, hours: 24 }, root)
  await assign([kid], null)
  later()
  await o.call(calls.resolve, { kid }, root)
  later()
  await o.call(rules.silence, { kid: rule_kid, hours: 0 }, root)
  const history = async (of: string) => (await o.call(calls.list_history, { kid: of }, root)).data
  const boss = 'Name of acme.boss'
  const worker = 'Name of acme.colleague'
  expect((await history(kid)).reverse()).toMatchObject([
    { event: 'opened', by: null, alert_kid: null },
    { event: 'told', told: { of: 'opened', mails: 0, emails: [], webhooks: 1 } },
    { event: 'acknowledged', by: worker },
    { event: 'assigned', by: boss, assignee: worker },
    { event: 'noted', by: worker },
    { event: 'silenced', by: boss, hours: 24 },
    { event: 'unassigned', by: boss },
    { event: 'resolved', by: boss },
  ])
  expect((await o.call(calls.list_history, { kid }, o.globex_root)).status).toBe(403)

  // It comes back: each of the two names the other.
  await set([device], { battery_level: 90 })
  await pass(1_000)
  await pass(1_000)
  await set([device], { battery_level: 5 })
  await pass(1_000)
  const [again] = (await o.call(calls.paging, { rule_kid, states: ['open'] }, root)).data.items
  expect((await history(kid))[0]).toMatchObject({ event: 'reopened', alert_kid: again!.kid })
  expect((await history(again!.kid)).at(-1)).toMatchObject({ event: 'opened', alert_kid: kid })

  // The log goes before the alert does.
  await o.call(calls.acknowledge, { kid: again!.kid }, colleague)
  await o.deps.db.deleteFrom('operation_log').execute()
  expect((await history(again!.kid))[0]).toMatchObject({ event: 'acknowledged', by: worker })
  await receiver.close()
})

it('says which fence or push it comes from, and where its devices are, to who may see that', async () => {
  const { db, clock } = o.deps
  const now = clock.now()
  const account_kid = o.acme.kid
  const fence = {
    ...{ kid: newKid(), account_kid, name: 'Depot', is_on: true, longitude: 105.8, latitude: 21, radius: 500 },
    ...{ duration: 60, accuracy: 'common' as const, is_locking: false, created_at: now },
    ...{ updated_by_kid: root.kid, updated_by: 'Ann', updated_at: now },
  }
  await db
    .insertInto('electronic_fence')
    .values(fence as never)
    .execute()
  await db
    .insertInto('terminal_fence')
    .values({ terminal_kid: device, account_kid, fence_kid: fence.kid, fence_version: 1, state: 'outside' } as never)
    .execute()
  await set([device], { fence_state: 'outside' })
  const place = { longitude: 105.9, latitude: 21.1, accuracy: 5, provider: 'gps', at: now, received_at: now }
  await db
    .insertInto('terminal_position')
    .values({ terminal_kid: device, account_kid, ...place } as never)
    .execute()
  const { kid } = await opened({ watch: { kind: 'fence', params: {} } })
  const origin = async (who: As) => (await o.call(calls.get_origin, { kid }, who)).data
  expect(await origin(root)).toMatchObject({
    fences: [{ kid: fence.kid, name: 'Depot', radius: 500 }],
    pushes: [],
    places: [{ kid: device, longitude: 105.9, latitude: 21.1 }],
  })
  expect(await origin(colleague)).toEqual({ fences: [], pushes: [], places: [] })
})

import { alertKindNames, alertKinds } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { assertVisible } from '../../../db/visible.ts'
import { ended, lockRule } from './judge-rules.ts'
import { tellEnded } from './tell.ts'

type Calls = Contract['alert']['calls']
type Db = Kysely<Tables>
const newest = 8

/**
 * A user who is limited to groups sees the alerts of the rules that this user made, and counted in them the devices within reach: an
 * alert may have begun before the limit, or go on for somebody else who saved the rule since.
 */
const visible = ({ scope, visible_groups, user, deps }: Actor) =>
  scope
    .selectFrom('alert')
    .leftJoin('alert_rule', 'alert_rule.kid', 'alert.rule_kid')
    .$if(visible_groups !== undefined, (q) => q.where('alert.created_by_kid', '=', user.kid))
    .select([
      'alert.kid',
      'alert.rule_kid',
      'alert.name',
      'alert.kind',
      'alert.severity',
      'alert.opened_at',
      'alert.acknowledged_by',
      'alert.acknowledged_at',
      'alert.resolved_by',
      'alert.resolved_at',
      stateOf.as('state'),
      sql<boolean>`coalesce(alert_rule.silenced_until > ${deps.clock.now()}, false)`.as('is_silenced'),
    ])
    .select((eb) =>
      (['count', 'peak'] as const).map((column) => {
        const reached = eb
          .selectFrom('alert_device')
          .select(sql<number>`count(*)::int`.as('n'))
          .whereRef('alert_device.alert_kid', '=', 'alert.kid')
          .where('alert_device.terminal_kid', 'in', scope.selectFrom('terminal').select('terminal.kid'))
          .$if(column === 'count', (q) => q.where('alert_device.cleared_at', 'is', null))
          .$asScalar()
          .$notNull()
        const of_all = eb.ref(`alert.${column}`)
        if (!visible_groups) return of_all.as(column)
        return eb.case().when('alert.kind', 'in', kindsOfAccount).then(of_all).else(reached).end().as(column)
      }),
    )
/** What is about no device has none to count. */
const kindsOfAccount = alertKindNames.filter((kind) => alertKinds[kind].subject === 'account')
const stateOf = sql<'open' | 'acknowledged' | 'resolved'>`case when alert.resolved_at is not null then 'resolved'
  when alert.acknowledged_at is not null then 'acknowledged' else 'open' end`

export function paging(actor: Actor, input: In<Calls['paging']>) {
  const { text, state, severity, rule_kid } = input
  return readPage({
    query: visible(actor)
      .$if(Boolean(text), (q) => q.where(sql`lower(alert.name)`, 'like', containing(text!)))
      .$if(state !== undefined, (q) => q.where(stateOf, '=', state!))
      .$if(severity !== undefined, (q) => q.where('alert.severity', '=', severity!))
      .$if(rule_kid !== undefined, (q) => q.where('alert.rule_kid', '=', rule_kid!)),
    input,
    columns: { opened_at: { ref: sql`alert.opened_at`, order: 'desc' } },
    key: sql`alert.kid`,
  })
}

/** For the bell: there are as many as there are rules at most. */
export async function listOpen(actor: Actor) {
  const all = await visible(actor).where('alert.resolved_at', 'is', null).orderBy('alert.opened_at', 'desc').execute()
  const heard = all.filter(({ is_silenced }) => !is_silenced)
  return { open: heard.filter(({ state }) => state === 'open').length, alerts: heard.slice(0, newest) }
}

/** What is wrong with one device: the rules that fire for it, with their open alert, and those that mark it. */
export async function listByTerminal({ scope, visible_groups, user }: Actor, terminal_kid: string) {
  await assertVisible(scope, terminal_kid)
  return scope
    .selectFrom('alert_terminal')
    .innerJoin('alert_rule', 'alert_rule.kid', 'alert_terminal.rule_kid')
    .leftJoin('alert', (join) =>
      join.onRef('alert.rule_kid', '=', 'alert_rule.kid').on('alert.resolved_at', 'is', null),
    )
    .$if(visible_groups !== undefined, (q) => q.where('alert_rule.created_by_kid', '=', user.kid))
    .select([
      'alert_rule.kid as rule_kid',
      'alert_rule.name',
      'alert_rule.kind',
      'alert_rule.severity',
      sql<string | null>`case when not alert_terminal.is_dismissed then alert.kid end`.as('alert_kid'),
      sql<Date>`alert_terminal.fired_at`.as('fired_at'),
      'alert_terminal.is_marked as is_noncompliant',
    ])
    .where('alert_terminal.terminal_kid', '=', terminal_kid)
    .where('alert_terminal.fired_at', 'is not', null)
    .where(({ or, eb }) =>
      or([eb('alert_terminal.is_dismissed', '=', false), eb('alert_terminal.is_marked', '=', true)]),
    )
    .orderBy('alert_terminal.fired_at')
    .orderBy('alert_rule.kid')
    .execute()
}

export async function pagingTerminal(actor: Actor, input: In<Calls['paging_terminal']>) {
  const { scope, visible_groups } = actor
  await find(actor, input.alert_kid)
  return readPage({
    query: scope
      .selectFrom('alert_device')
      .select([
        'alert_device.terminal_kid as kid',
        'alert_device.sn',
        'alert_device.name',
        'alert_device.fired_at',
        'alert_device.cleared_at',
      ])
      .where('alert_device.alert_kid', '=', input.alert_kid)
      .$if(visible_groups !== undefined, (q) =>
        q.where('alert_device.terminal_kid', 'in', scope.selectFrom('terminal').select('terminal.kid')),
      )
      .$if(input.is_firing === true, (q) => q.where('alert_device.cleared_at', 'is', null))
      .$if(input.is_firing === false, (q) => q.where('alert_device.cleared_at', 'is not', null)),
    input,
    columns: { fired_at: { ref: sql`alert_device.fired_at`, order: 'desc' } },
    key: sql`alert_device.terminal_kid`,
  })
}

export const get = (actor: Actor, { kid }: In<Calls['get']>) => find(actor, kid)

const find = async (actor: Actor, kid: string) =>
  (await visible(actor).where('alert.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')

/** Somebody looks after them. Those that were open; the others stay as they are. @throws `not_found` when one is not there */
export async function acknowledge(actor: Actor, kids: readonly string[]): Promise<{ kid: string; name: string }[]> {
  const { deps, scope, user } = actor
  const asked = [...new Set(kids)]
  const found = await visible(actor).where('alert.kid', 'in', asked).execute()
  if (found.length < asked.length) refuse('not_found')
  const alerts = await scope
    .updateTable('alert')
    .set({ acknowledged_by: user.name, acknowledged_at: deps.clock.now() })
    .where('kid', 'in', asked)
    .where('resolved_at', 'is', null)
    .where('acknowledged_at', 'is', null)
    .returning(['kid', 'name'])
    .execute()
  if (alerts.length > 0) deps.live.publish(actor.account_kid, { type: 'alert_changed' })
  return alerts
}

/** It is over for whoever looks after it: its devices count again when it was over for them and comes back. */
export async function resolve(actor: Actor, kid: string): Promise<{ name: string }> {
  const { deps, scope, user } = actor
  const alert = await find(actor, kid)
  const { over, rule } = await scope.transaction().execute(async (trx: Db) => {
    // Who judges the rule meanwhile has counted the devices, and would open the next alert with them.
    const held = await lockRule(trx, alert.rule_kid)
    const open = await trx
      .selectFrom('alert')
      .select(['kid', 'rule_kid'])
      .where('kid', '=', kid)
      .where('resolved_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!open) return refuse('alert_not_open')
    await trx
      .updateTable('alert_terminal')
      .set({ is_dismissed: true })
      .where('rule_kid', '=', open.rule_kid)
      .where('fired_at', 'is not', null)
      .execute()
    return { over: await ended(trx, open, deps.clock.now(), user.name), rule: held }
  })
  if (over && rule) await tellEnded(deps, rule, over)
  else deps.live.publish(actor.account_kid, { type: 'alert_changed' })
  return alert
}

import { alertKindNames, alertKinds } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { assertVisible } from '../../../db/visible.ts'

type Calls = Contract['alert']['calls']
const newest = 8

/**
 * A user who is limited to groups sees the alerts of the rules that this user made, and counted in them the devices within reach: an
 * alert may have begun before the limit, or go on for somebody else who saved the rule since.
 */
export const visible = ({ scope, visible_groups, user, deps }: Actor) =>
  scope
    .selectFrom('alert')
    .leftJoin('alert_rule', 'alert_rule.kid', 'alert.rule_kid')
    .leftJoin('user_account as assignee', (join) => join.onRef('assignee.kid', '=', 'alert.assignee_kid').on(canSignIn))
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
      'alert.note',
      'alert_rule.name as rule_name',
      'assignee.kid as assignee_kid',
      assigneeName.as('assignee_name'),
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
/** A person who cannot sign in looks after nothing. */
const canSignIn = sql<boolean>`assignee.status <> 'invalid'`
/** The name of the person who is joined as `assignee`. */
const assigneeName = sql<string | null>`coalesce(nullif(assignee.name, ''), assignee.username)`
/** What is about no device has none to count. */
const kindsOfAccount = alertKindNames.filter((kind) => alertKinds[kind].subject === 'account')
/** The name of the assignee of an alert at this moment; null where it is nobody's. */
export async function assigneeNameOf(db: Kysely<Tables>, kid: string): Promise<string | null> {
  const row = await db
    .selectFrom('alert')
    .innerJoin('user_account as assignee', 'assignee.kid', 'alert.assignee_kid')
    .select(assigneeName.as('name'))
    .where('alert.kid', '=', kid)
    .where(canSignIn)
    .executeTakeFirst()
  return row?.name ?? null
}
/** Open ones, acknowledged ones, then the rest, the newest of each first; the index alert_in_order says the same. */
const inOrder = sql`((CASE WHEN alert.resolved_at IS NOT NULL THEN 0 WHEN alert.acknowledged_at IS NOT NULL THEN 1 ELSE 2 END)
  * 100000000000::numeric + extract(epoch FROM alert.opened_at AT TIME ZONE 'UTC'))`
const stateOf = sql<'open' | 'acknowledged' | 'resolved'>`case when alert.resolved_at is not null then 'resolved'
  when alert.acknowledged_at is not null then 'acknowledged' else 'open' end`

export function paging(actor: Actor, input: In<Calls['paging']>) {
  const { text, states, severity, rule_kid, assignee, from, to } = input
  return readPage({
    query: visible(actor)
      .$if(Boolean(text), (q) => q.where(sql`lower(alert.name)`, 'like', containing(text!)))
      .$if(states !== undefined, (q) => q.where(stateOf, 'in', states!))
      .$if(severity !== undefined, (q) => q.where('alert.severity', '=', severity!))
      .$if(rule_kid !== undefined, (q) => q.where('alert.rule_kid', '=', rule_kid!))
      .$if(assignee === 'nobody', (q) => q.where('assignee.kid', 'is', null))
      .$if(assignee !== undefined && assignee !== 'nobody', (q) =>
        q.where('assignee.kid', '=', assignee === 'me' ? actor.user.kid : assignee!),
      )
      .$if(from !== undefined, (q) => q.where('alert.opened_at', '>=', new Date(from!)))
      .$if(to !== undefined, (q) => q.where('alert.opened_at', '<=', new Date(to!))),
    input,
    columns: { state: { ref: inOrder, order: 'desc' }, opened_at: { ref: sql`alert.opened_at`, order: 'desc' } },
    key: sql`alert.kid`,
  })
}

/** For the bell: there are as many as there are rules at most. */
export async function listOpen(actor: Actor) {
  const all = await visible(actor).where('alert.resolved_at', 'is', null).orderBy(inOrder, 'desc').execute()
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

export const find = async (actor: Actor, kid: string) =>
  (await visible(actor).where('alert.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')

/** Several, with whoever made the rules that they are of. @throws `not_found` when one is not there */
export async function findAll(actor: Actor, kids: readonly string[]) {
  const asked = [...new Set(kids)]
  const found = await visible(actor).select('alert.created_by_kid').where('alert.kid', 'in', asked).execute()
  return found.length < asked.length ? refuse('not_found') : found
}

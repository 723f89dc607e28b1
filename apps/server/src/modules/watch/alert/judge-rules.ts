import { alertKinds } from '@mdm/contract'
import type { AlertWatch } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { actorOf, issuerOf } from '../../../actor.ts'
import type { Actor, VisibleGroups } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { isRevoked } from '../../../http/visible-groups-now.ts'
import { nearestEnd } from '../../../http/session-row.ts'
import { newKid } from '../../../lib/ids.ts'
import { matcherOf, matching } from '../../fleet/terminal-filter/index.ts'
import { watchedBy } from './kinds.ts'
import type { Watched } from './kinds.ts'
import { visibleGroupsOfMakers } from './makers.ts'
import { endsToTell, isSilenced, tell } from './tell.ts'
import type { Told } from './tell.ts'

type Db = Kysely<Tables>
export type Rule = Selectable<Tables['alert_rule']>
type OpenAlert = Selectable<Tables['alert']>

/** Devices come back after a start of the server; until then nobody is called offline. */
const settling_ms = 5 * 60_000
/** An alert that has grown to twice what people were told is told again, this often at most. */
const growth_ms = 3_600_000

/** As whoever made the rule sees the account today: its devices, or those of the groups that this person is limited to. */
const actorOfRule = (deps: Deps, rule: Rule, visible_groups: VisibleGroups): Actor =>
  actorOf(deps, { ...issuerOf(rule), group_kids: visible_groups })
export const watchOf = ({ kind, params }: Pick<Rule, 'kind' | 'params'>) => ({ kind, params }) as unknown as AlertWatch

/** Devices within a rule that are so now, as a query of its own; `kid` is what it calls them. With `is_named` they are read too. */
export async function devicesOf(
  actor: Actor,
  match: Rule['match'],
  { begins, goes_on, of }: Watched,
  { is_going_on = false, is_named = false } = {},
) {
  const matcher = await matcherOf(actor, { terminal_group_kid: 'ALL', ...match })
  // Of a whole account an index of one table answers most kinds.
  const is_in_groups = matcher.groups !== undefined || actor.visible_groups !== undefined
  const has_terminal = is_named || of.has_terminal || matcher.has_terminal || is_in_groups
  const has_state = of.has_state || matcher.has_state
  const query = matching(actor.scope, matcher, { has_terminal, has_state }).where(is_going_on ? goes_on : begins)
  return { query, kid: has_terminal ? ('terminal.kid' as const) : ('terminal_state.terminal_kid' as const) }
}

/** Judges every rule that is on, or those named, one after the other: a rule is a few statements, whatever the number of devices. */
export async function judgeRules(
  deps: Deps,
  { is_settled = hasSettled(deps), only }: { is_settled?: boolean; only?: readonly string[] } = {},
): Promise<void> {
  const rules = await deps.db
    .selectFrom('alert_rule')
    .selectAll()
    .where('is_on', '=', true)
    .$if(only !== undefined, (q) => q.where('kid', '=', sql<string>`any(${only}::uuid[])`))
    .orderBy('kid')
    .execute()
  const visibleGroupsOf = await visibleGroupsOfMakers(deps, rules)
  for (const rule of rules) {
    if (rule.kind === 'offline' && !is_settled) continue
    const visible_groups = visibleGroupsOf(rule)
    try {
      if (isRevoked(visible_groups)) await pause(deps, rule)
      else await judgeRule(deps, rule, visible_groups)
    } catch (error) {
      deps.log.warn({ err: error, alert_rule_kid: rule.kid }, 'an alert rule could not be judged')
      deps.onInternalError?.(error)
    }
  }
  if (only === undefined) await tellEnds(deps)
}

/** What could not be told when it ended. Of a rule that was deleted since, its addresses are not known any more: webhooks hear. */
async function tellEnds(deps: Deps): Promise<void> {
  const alerts = await endsToTell(deps.db)
  if (alerts.length === 0) return
  const kids = alerts.map(({ rule_kid }) => rule_kid)
  const rules = await deps.db.selectFrom('alert_rule').selectAll().where('kid', 'in', kids).execute()
  const visibleGroupsOf = await visibleGroupsOfMakers(deps, rules)
  for (const alert of alerts) {
    const { rule_kid: kid, account_kid } = alert
    const rule = rules.find((each) => each.kid === kid)
    const told = rule && !isRevoked(visibleGroupsOf(rule)) ? rule : undefined
    const by_hooks = { kid, account_kid, emails: [], silenced_until: null, is_noncompliant: false }
    try {
      await tell(deps, told ?? by_hooks, { event: 'resolved', alert })
    } catch (error) {
      deps.log.warn({ err: error, alert_kid: alert.kid }, 'that an alert was resolved could not be told')
    }
  }
}

/**
 * Its maker may watch nothing any more: what it has found is over. The addresses that this person chose are told nothing, the
 * account's webhooks are. Whoever saves it takes it over.
 */
async function pause(deps: Deps, rule: Rule): Promise<void> {
  const { kid, account_kid, created_by_kid, created_by_token_kid } = rule
  const forgotten = await deps
    .scope(account_kid)
    .transaction()
    .execute(async (trx) => {
      const held = await trx
        .selectFrom('alert_rule')
        .select(['created_by_kid', 'created_by_token_kid'])
        .where('kid', '=', kid)
        .forNoKeyUpdate()
        .skipLocked()
        .executeTakeFirst()
      // Somebody else has saved it meanwhile.
      const is_same = held?.created_by_kid === created_by_kid && held.created_by_token_kid === created_by_token_kid
      if (!is_same) return undefined
      return forget(trx, kid, deps.clock.now(), null)
    })
  if (!forgotten?.had_any) return
  deps.live.publish(account_kid, { type: 'alert_changed' })
  if (forgotten.alert) await tell(deps, { ...rule, emails: [] }, { event: 'resolved', alert: forgotten.alert })
}

/** Waits for whoever judges or changes the rule. */
export const lockRule = (trx: Db, kid: string): Promise<Rule | undefined> =>
  trx.selectFrom('alert_rule').selectAll().where('kid', '=', kid).forNoKeyUpdate().executeTakeFirst()

/** A rule begins anew: whether there was anything to forget, and the alert that ends with it. */
export async function forget(
  trx: Db,
  rule_kid: string,
  now: Date,
  by: string | null,
): Promise<{ had_any: boolean; alert: OpenAlert | undefined }> {
  const { numDeletedRows } = await trx
    .deleteFrom('alert_terminal')
    .where('rule_kid', '=', rule_kid)
    .executeTakeFirstOrThrow()
  const open = await trx
    .selectFrom('alert')
    .select('kid')
    .where('rule_kid', '=', rule_kid)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
  const alert = open && (await ended(trx, open, now, by))
  return { had_any: numDeletedRows > 0n || open !== undefined, alert }
}

/** Whether this server has run for long enough that devices which are still away are offline. */
export function hasSettled({ clock, memory: { alert_rules } }: Deps): boolean {
  const now = clock.elapsed()
  alert_rules.first_judged ??= now
  return now - alert_rules.first_judged >= settling_ms
}

async function judgeRule(deps: Deps, rule: Rule, visible_groups: VisibleGroups): Promise<void> {
  const now = deps.clock.now()
  const actor = actorOfRule(deps, rule, visible_groups)
  const watched = await watchedBy(actor, watchOf(rule), now)
  // The account as a whole is beyond whoever is limited to groups.
  const is_due = !watched && !visible_groups && (await isAccountDue(deps, rule))
  const told = await actor.scope.transaction().execute(async (trx) => {
    // Whoever edits or removes it waits, and another server that judges it too.
    const held = await trx
      .selectFrom('alert_rule')
      .select('is_on')
      .where('kid', '=', rule.kid)
      .forNoKeyUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!held?.is_on) return undefined
    if (!watched) return settle(trx, rule, now, is_due ? 1 : 0, 0)
    const within = { ...actor, scope: trx }
    const begun = await begin(trx, within, rule, watched, now)
    await calm(trx, within, rule, watched, now)
    const fired = await fire(trx, rule, begun, now)
    await clear(trx, rule, now)
    return settle(trx, rule, now, await firing(trx, rule.kid), fired)
  })
  if (told) await tell(deps, rule, told)
}

/**
 * Devices of which it is true from now on; one that was calm for a while only goes on as before. Those of a rule that waits for
 * nothing fire at once: one write instead of two. Answers how many those are.
 */
async function begin(trx: Db, actor: Actor, rule: Rule, watched: Watched, now: Date): Promise<number> {
  const { query: found, kid } = await devicesOf(actor, rule.match, watched)
  const fires_at_once = rule.for_seconds === 0
  const rows = await trx
    .insertInto('alert_terminal')
    .columns(['rule_kid', 'terminal_kid', 'since', 'fired_at', 'is_marked'])
    .expression(
      found
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('alert_terminal')
                .select('alert_terminal.terminal_kid')
                .where('alert_terminal.rule_kid', '=', rule.kid)
                .whereRef('alert_terminal.terminal_kid', '=', kid)
                .where('alert_terminal.calm_since', 'is', null),
            ),
          ),
        )
        .select((eb) => [
          sql<string>`${rule.kid}::uuid`.as('rule_kid'),
          eb.ref(kid).as('terminal_kid'),
          sql<Date>`${now}::timestamptz`.as('since'),
          sql<Date | null>`${fires_at_once ? now : null}::timestamptz`.as('fired_at'),
          sql<boolean>`${fires_at_once && rule.is_noncompliant}::boolean`.as('is_marked'),
        ])
        .orderBy(kid),
    )
    .onConflict((row) => row.columns(['rule_kid', 'terminal_kid']).doUpdateSet({ calm_since: null }))
    .returning('fired_at')
    .execute()
  // Those that were calm meanwhile fired before.
  return rows.filter(({ fired_at }) => fired_at?.getTime() === now.getTime()).length
}

/** Devices of which it is not true any more, also because they left the rule's filter. Those that had not fired are forgotten. */
async function calm(trx: Db, actor: Actor, rule: Rule, watched: Watched, now: Date): Promise<void> {
  const { query: still, kid } = await devicesOf(actor, rule.match, watched, { is_going_on: true })
  await trx
    .updateTable('alert_terminal')
    .set({ calm_since: now })
    .where('rule_kid', '=', rule.kid)
    .where('calm_since', 'is', null)
    .where('terminal_kid', 'not in', still.select((eb) => eb.ref(kid).as('kid')).where(kid, 'in', known(trx, rule.kid)))
    .execute()
  await trx
    .deleteFrom('alert_terminal')
    .where('rule_kid', '=', rule.kid)
    .where('fired_at', 'is', null)
    .where('calm_since', 'is not', null)
    .execute()
}
const known = (trx: Db, rule_kid: string) =>
  trx.selectFrom('alert_terminal').select('terminal_kid').where('rule_kid', '=', rule_kid)

/** Those of which it has been true for long enough; what is to be done to all that fire now waits as rows. */
async function fire(trx: Db, rule: Rule, begun: number, now: Date): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('alert_terminal')
    .set({ fired_at: now, is_marked: rule.is_noncompliant })
    .where('rule_kid', '=', rule.kid)
    .where('fired_at', 'is', null)
    .where('since', '<=', new Date(now.getTime() - rule.for_seconds * 1000))
    .executeTakeFirstOrThrow()
  const fired = begun + Number(numUpdatedRows)
  if (fired > 0 && rule.action_type !== null && !isSilenced(rule, now))
    await trx
      .insertInto('alert_action')
      .columns(['rule_kid', 'terminal_kid', 'at'])
      .expression(
        trx
          .selectFrom('alert_terminal')
          .select(['rule_kid', 'terminal_kid', sql<Date>`${now}::timestamptz`.as('at')])
          .where('rule_kid', '=', rule.kid)
          .where('fired_at', '=', now),
      )
      .onConflict((row) => row.doNothing())
      .execute()
  return fired
}

/** Those that have been calm for long enough. */
async function clear(trx: Db, rule: Rule, now: Date): Promise<void> {
  const gone = await trx
    .deleteFrom('alert_terminal')
    .where('rule_kid', '=', rule.kid)
    .where('calm_since', '<=', new Date(now.getTime() - rule.calm_seconds * 1000))
    .returning('terminal_kid')
    .execute()
  if (gone.length === 0) return
  const kids = gone.map(({ terminal_kid }) => terminal_kid)
  await trx
    .updateTable('alert_device')
    .set({ cleared_at: now })
    .where('terminal_kid', '=', sql<string>`any(${kids}::uuid[])`)
    .where('cleared_at', 'is', null)
    .where('alert_kid', 'in', trx.selectFrom('alert').select('kid').where('rule_kid', '=', rule.kid))
    .execute()
}

const firing = async (trx: Db, rule_kid: string): Promise<number> =>
  (
    await trx
      .selectFrom('alert_terminal')
      .select(sql<number>`count(*)::int`.as('n'))
      .where('rule_kid', '=', rule_kid)
      .where('fired_at', 'is not', null)
      .where('is_dismissed', '=', false)
      .executeTakeFirstOrThrow()
  ).n

export async function isAccountDue(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { account_kid, params }: { account_kid: string; params: object },
): Promise<boolean> {
  const { days } = params as { days: number }
  const until = new Date(clock.now().getTime() + days * 86_400_000)
  const { rows } = await sql`
    SELECT 1 FROM account a WHERE a.kid = ${account_kid} AND ${nearestEnd('a')} <= ${until}
  `.execute(db)
  return rows.length > 0
}

/** Opens, grows or resolves the alert of a rule. Answers what is to be told, if anything. */
async function settle(trx: Db, rule: Rule, now: Date, count: number, fired: number): Promise<Told | undefined> {
  const open = await trx
    .selectFrom('alert')
    .selectAll()
    .where('rule_kid', '=', rule.kid)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
  if (!open) return count === 0 ? undefined : begun(trx, rule, now, count)
  if (count === 0) {
    const alert = await ended(trx, open, now, null)
    return alert && { event: 'resolved', alert }
  }
  if (fired > 0 && alertKinds[rule.kind].subject === 'device') await noteDevices(trx, rule, open.kid, now)
  // A server that was killed before it told anybody left it untold, and so does silence until it ends.
  const is_untold = open.told_at === null && !isSilenced(rule, now)
  if (open.count === count && fired === 0) return is_untold ? { event: 'opened', alert: open } : undefined
  const has_grown = count >= open.told * 2 && (open.told_at?.getTime() ?? 0) <= now.getTime() - growth_ms
  const [alert] = await trx
    .updateTable('alert')
    .set({
      count,
      peak: sql<number>`greatest(alert.peak, ${await peakOf(trx, open.kid, count)}::integer)`,
    })
    .where('kid', '=', open.kid)
    .returningAll()
    .execute()
  return { event: is_untold ? 'opened' : has_grown ? 'grown' : 'changed', alert: alert! }
}

async function begun(trx: Db, rule: Rule, now: Date, count: number): Promise<Told> {
  const { account_kid, name, kind, severity, created_by_kid } = rule
  const alert = await trx
    .insertInto('alert')
    .values({
      kid: newKid(),
      account_kid,
      rule_kid: rule.kid,
      name,
      kind,
      severity,
      created_by_kid,
      count,
      peak: count,
      opened_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (alertKinds[kind].subject === 'device') await noteDevices(trx, rule, alert.kid)
  return { event: 'opened', alert }
}

/** Which devices it is about, as they are called now: those that fired then, or all. */
async function noteDevices(trx: Db, rule: Rule, alert_kid: string, fired_at?: Date): Promise<void> {
  await trx
    .insertInto('alert_device')
    .columns(['alert_kid', 'terminal_kid', 'sn', 'name', 'fired_at'])
    .expression(
      trx
        .selectFrom('alert_terminal')
        .innerJoin('terminal', 'terminal.kid', 'alert_terminal.terminal_kid')
        .select([
          sql<string>`${alert_kid}::uuid`.as('alert_kid'),
          'alert_terminal.terminal_kid',
          'terminal.sn',
          'terminal.name',
          sql<Date>`alert_terminal.fired_at`.as('fired_at'),
        ])
        .where('alert_terminal.rule_kid', '=', rule.kid)
        .where('alert_terminal.fired_at', 'is not', null)
        .$if(fired_at !== undefined, (q) => q.where('alert_terminal.fired_at', '=', fired_at!))
        .where('alert_terminal.is_dismissed', '=', false)
        .orderBy('alert_terminal.terminal_kid'),
    )
    .onConflict((row) => row.columns(['alert_kid', 'terminal_kid']).doUpdateSet({ cleared_at: null }))
    .execute()
}
const peakOf = async (trx: Db, alert_kid: string, count: number): Promise<number> => {
  const { n } = await trx
    .selectFrom('alert_device')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('alert_kid', '=', alert_kid)
    .executeTakeFirstOrThrow()
  return Math.max(n, count)
}

/** Ends an alert; `by` is who ended it by hand. Undefined when somebody else just did. */
export async function ended(
  trx: Db,
  open: Pick<OpenAlert, 'kid'>,
  now: Date,
  by: string | null,
): Promise<OpenAlert | undefined> {
  await trx
    .updateTable('alert_device')
    .set({ cleared_at: now })
    .where('alert_kid', '=', open.kid)
    .where('cleared_at', 'is', null)
    .execute()
  return trx
    .updateTable('alert')
    .set({ count: 0, resolved_at: now, resolved_by: by })
    .where('kid', '=', open.kid)
    .where('resolved_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

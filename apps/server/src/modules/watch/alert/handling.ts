import type { AlertSkip, AlertSkipped, Contract, In } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { find, findAll, visible } from './alerts.ts'
import { ended, lockRule } from './judge-rules.ts'
import { assigneeOf, mayBeAssigned } from './people.ts'
import { tellEnded } from './tell.ts'

type Calls = Contract['alert']['calls']
type Db = Kysely<Tables>
type Named = { kid: string; name: string }
/** To which of several alerts something was done, and to which it was not. */
export type Handled = { done: Named[]; skipped: AlertSkipped[] }
type Now = Awaited<ReturnType<typeof find>>

/** Of those to which nothing was done, why: by how each is now. */
async function handled(
  actor: Actor,
  asked: readonly Named[],
  done: Named[],
  why: (now: Now) => AlertSkip,
): Promise<Handled> {
  const left = asked.filter(({ kid }) => !done.some((each) => each.kid === kid)).map(({ kid }) => kid)
  const rows = left.length > 0 ? await visible(actor).where('alert.kid', 'in', left).execute() : []
  return { done, skipped: rows.map((row) => ({ kid: row.kid, name: row.name, reason: why(row) })) }
}

/** Those that are open. @throws `not_found` when one is not there */
export async function acknowledge(actor: Actor, kids: readonly string[]): Promise<Handled> {
  const { deps, scope, user } = actor
  const asked = await findAll(actor, kids)
  const done = await scope
    .updateTable('alert')
    .set({ acknowledged_by: user.name, acknowledged_at: deps.clock.now() })
    .where('kid', 'in', kidsOf(asked))
    .where('resolved_at', 'is', null)
    .where('acknowledged_at', 'is', null)
    .returning(['kid', 'name'])
    .execute()
  if (done.length > 0) changed(actor)
  return handled(actor, asked, done, ({ state }) => (state === 'resolved' ? 'resolved' : 'acknowledged'))
}

/** One after the other: each waits for whoever judges its rule. @throws `not_found` when one is not there */
export async function resolveAll(actor: Actor, kids: readonly string[]): Promise<Handled> {
  const asked = await findAll(actor, kids)
  const done: Named[] = []
  for (const alert of asked) if (alert.state !== 'resolved' && (await end(actor, alert))) done.push(alert)
  return handled(actor, asked, done, () => 'resolved')
}

/** @throws `alert_not_open` */
export async function resolve(actor: Actor, kid: string): Promise<Named> {
  const alert = await find(actor, kid)
  return (await end(actor, alert)) ? alert : refuse('alert_not_open')
}

/**
 * It is over for whoever looks after it: its devices count again when it was over for them and comes back. False when it was
 * over already.
 */
async function end(actor: Actor, { kid, rule_kid }: { kid: string; rule_kid: string }): Promise<boolean> {
  const { deps, scope, user } = actor
  const { over, rule } = await scope.transaction().execute(async (trx: Db) => {
    // Who judges the rule meanwhile has counted the devices, and would open the next alert with them.
    const held = await lockRule(trx, rule_kid)
    const open = await trx
      .selectFrom('alert')
      .select(['kid', 'rule_kid'])
      .where('kid', '=', kid)
      .where('resolved_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!open) return { over: undefined, rule: held }
    await trx
      .updateTable('alert_terminal')
      .set({ is_dismissed: true })
      .where('rule_kid', '=', open.rule_kid)
      .where('fired_at', 'is not', null)
      .execute()
    return { over: await ended(trx, open, deps.clock.now(), user.name), rule: held }
  })
  if (!over) return false
  if (rule) await tellEnded(deps, rule, over)
  else changed(actor)
  return true
}

/**
 * Gives alerts that are not over to a person, or to nobody. What somebody else assigned since the caller looked stays as it is.
 * @throws `not_found`, `alert_assignee_unfit`
 */
export async function assign(
  actor: Actor,
  { alerts, assignee_kid }: In<Calls['assign']>,
): Promise<Handled & { assignee: string | null }> {
  const { scope } = actor
  const asked = await findAll(
    actor,
    alerts.map(({ kid }) => kid),
  )
  const person = assignee_kid === null ? null : await assigneeOf(actor, assignee_kid)
  const isWithinReach = (alert: (typeof asked)[number]) => person === null || mayBeAssigned(person, alert)
  const within = new Set(kidsOf(asked.filter(isWithinReach)))
  const done: Named[] = []
  // Those that were seen in the same hands are one statement.
  for (const from_kid of new Set(alerts.map((alert) => alert.from_kid))) {
    const kids = alerts.filter((alert) => alert.from_kid === from_kid && within.has(alert.kid)).map(({ kid }) => kid)
    if (kids.length === 0) continue
    const active = scope
      .selectFrom('user_account')
      .select('user_account.kid')
      .where('user_account.status', '<>', 'invalid')
    const rows = await scope
      .updateTable('alert')
      .set({ assignee_kid })
      .where('alert.kid', 'in', kids)
      .where('alert.resolved_at', 'is', null)
      .$if(from_kid === null, (q) =>
        q.where(({ or, eb }) => or([eb('alert.assignee_kid', 'is', null), eb('alert.assignee_kid', 'not in', active)])),
      )
      .$if(typeof from_kid === 'string', (q) => q.where('alert.assignee_kid', '=', from_kid!))
      .returning(['alert.kid', 'alert.name'])
      .execute()
    done.push(...rows)
  }
  if (done.length > 0) changed(actor)
  const why = ({ kid, state }: Now): AlertSkip => {
    if (state === 'resolved') return 'resolved'
    return within.has(kid) ? 'reassigned' : 'out_of_reach'
  }
  return { ...(await handled(actor, asked, done, why)), assignee: person?.name ?? null }
}

/** @throws `conflict` when it is not the note any more that the caller saw */
export async function updateNote(actor: Actor, { kid, note, from_note }: In<Calls['update_note']>): Promise<Named> {
  const alert = await find(actor, kid)
  const { numUpdatedRows } = await actor.scope
    .updateTable('alert')
    .set({ note })
    .where('kid', '=', kid)
    .$if(from_note !== undefined, (q) => q.where('note', '=', from_note!))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return refuse('conflict')
  changed(actor)
  return alert
}

const kidsOf = (alerts: readonly Named[]): string[] => alerts.map(({ kid }) => kid)
const changed = ({ deps, account_kid }: Actor): void => deps.live.publish(account_kid, { type: 'alert_changed' })

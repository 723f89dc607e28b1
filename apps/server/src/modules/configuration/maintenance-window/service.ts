import { phasesFor, pushPhases, windowLimits } from '@mdm/contract'
import type { Contract, In, MaintenanceWindow } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { transactionThen } from '../../../db/after-commit.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import type { ActorWith } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { renewWindow } from '../terminal-config/index.ts'
import type { Hours } from '../../push/execution-window/index.ts'

type Calls = Contract['maintenanceWindow']['calls']
type Db = Kysely<Tables>
type Row = Selectable<Tables['maintenance_window']>

const named = <T>(run: () => Promise<T>) => violation(run, { maintenance_window_name: 'duplicate_name' })
/** Phases in which devices of a push may still begin. */
const under_way = pushPhases.filter((phase) => !['ended', 'canceled', 'rejected'].includes(phase))
/** What keeps conditions with the window's hours in them, beside pushes. */
const kept = { recurring: 'push_schedule', templates: 'push_template', required_apps: 'app_requirement' } as const
const named_window = sql<string>`conditions #>> '{window,kid}'`
const refersTo = (kid: string) => sql<boolean>`${named_window} = ${kid}::text`

export async function list({ scope }: Actor): Promise<MaintenanceWindow[]> {
  const rows = await scope
    .selectFrom('maintenance_window')
    .selectAll()
    .orderBy(sql`lower(name)`)
    .execute()
  const uses = await usesOf(
    scope,
    rows.map(({ kid }) => kid),
  )
  return rows.map((row) => shown(row, uses(row.kid)))
}

type Uses = MaintenanceWindow['uses']
type Use = { kid: string; n: number }
/** What refers to each of these windows: a statement for each table that may. */
async function usesOf(db: Db, kids: readonly string[]): Promise<(kid: string) => Uses> {
  const among = sql<boolean>`${named_window} = ANY(${kids}::text[])`
  const use = [named_window.as('kid'), sql<number>`count(*)::int`.as('n')] as const
  const keptIn = (table: (typeof kept)[keyof typeof kept]) =>
    db.selectFrom(table).select(use).where(among).groupBy(named_window).execute()
  const configured = sql<string>`value ->> 'window_kid'`
  const found: Record<keyof Uses, Use[]> = {
    pushes: await db
      .selectFrom('push_task')
      .select(use)
      .where(among)
      .where('phase', 'in', under_way)
      .groupBy(named_window)
      .execute(),
    recurring: await keptIn(kept.recurring),
    templates: await keptIn(kept.templates),
    required_apps: await keptIn(kept.required_apps),
    configurations: await db
      .selectFrom('terminal_config')
      .select([configured.as('kid'), use[1]])
      .where('section', '=', 'update_window')
      .where(sql<boolean>`${configured} = ANY(${kids}::text[])`)
      .groupBy(configured)
      .execute(),
  }
  const countOf = (uses: readonly Use[], kid: string) => uses.find((each) => each.kid === kid)?.n ?? 0
  return (kid) => Object.fromEntries(Object.entries(found).map(([kind, uses]) => [kind, countOf(uses, kid)])) as Uses
}

const shown = ({ account_kid: _, created_by_kid: __, created_at, ...row }: Row, uses: Uses): MaintenanceWindow => ({
  ...row,
  uses,
  created_at: created_at.toISOString(),
})
const shownOne = async (db: Db, row: Row) => shown(row, (await usesOf(db, [row.kid]))(row.kid))

export async function insert(actor: Actor, draft: In<Calls['insert']>): Promise<MaintenanceWindow> {
  const { deps, account_kid, scope, user } = actor
  const row = await named(() =>
    scope.transaction().execute(async (trx) => {
      await assertRoom(trx, account_kid, 'maintenance_window', ['maintenance_window_max', windowLimits.of_account])
      return trx
        .insertInto('maintenance_window')
        .values({
          kid: newKid(),
          account_kid,
          ...draft,
          days: draft.days.toSorted((a, b) => a - b),
          created_by_kid: user.kid,
          created_by: user.name,
          created_at: deps.clock.now(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    }),
  )
  publish(actor)
  return shownOne(scope, row)
}

/**
 * The window, and with it all that refers to it: pushes that have not begun, what pushes are made from, and configurations,
 * each of which gets a version. All of them or none.
 */
export async function update(
  actor: ActorWith<'may'>,
  { kid, name, days, from, to }: In<Calls['update']>,
): Promise<{ before: Row; row: MaintenanceWindow }> {
  const { deps, account_kid, scope } = actor
  const { before, row } = await named(() =>
    transactionThen(deps.db, async (trx, after) => {
      await lockAccount(trx, account_kid)
      const found = await trx
        .selectFrom('maintenance_window')
        .selectAll()
        .where('kid', '=', kid)
        .where('account_kid', '=', account_kid)
        .executeTakeFirst()
      if (!found) return refuse('not_found')
      const hours: Hours = { kid, name, days: days.toSorted((a, b) => a - b), from, to }
      const changed = await trx
        .updateTable('maintenance_window')
        .set(hours)
        .where('kid', '=', kid)
        .returningAll()
        .executeTakeFirstOrThrow()
      await renewConditions(trx, account_kid, hours)
      await renewWindow(trx, actor, hours, after)
      return { before: found, row: changed }
    }),
  )
  publish(actor)
  return { before, row: await shownOne(scope, row) }
}

async function renewConditions(trx: Db, account_kid: string, hours: Hours): Promise<void> {
  const conditions = sql<string>`jsonb_set(conditions, '{window}', ${JSON.stringify(hours)}::jsonb)`
  await trx
    .updateTable('push_task')
    .set({ conditions })
    .where('account_kid', '=', account_kid)
    .where(refersTo(hours.kid))
    .where('phase', 'in', phasesFor('change'))
    .execute()
  for (const table of Object.values(kept))
    await trx
      .updateTable(table)
      .set({ conditions })
      .where('account_kid', '=', account_kid)
      .where(refersTo(hours.kid))
      .execute()
}

/** Refused while something refers to it: nothing loses its hours by that. */
export async function remove(actor: Actor, kid: string): Promise<{ name: string }> {
  const { scope, account_kid } = actor
  const row = await scope.transaction().execute(async (trx) => {
    await lockAccount(trx, account_kid)
    const uses = Object.values((await usesOf(trx, [kid]))(kid)).reduce((sum, each) => sum + each, 0)
    if (uses > 0) refuse('maintenance_window_in_use', { uses })
    const gone = await trx.deleteFrom('maintenance_window').where('kid', '=', kid).returning('name').executeTakeFirst()
    return gone ?? refuse('not_found')
  })
  publish(actor)
  return row
}

/** Whoever looks at windows, or at what refers to them, reads them anew. */
function publish({ deps, account_kid }: Actor): void {
  deps.live.publish(account_kid, { type: 'push_schedule_changed' })
}

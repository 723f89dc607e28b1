import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { devicesBelow } from '../levels/reach.ts'
import { isGiven } from './steps.ts'

type Db = Kysely<Tables>
/** So many are owed in the call that made the change; of more, the call is answered first. */
export const owed_at_once = 2_000
const piece = 5_000

/** Marks devices: what they ought to hold is worked out when they can be told. Answers with the last of them, or null. */
export async function markDue(
  trx: Db,
  { below, change_kid, after = null, limit }: MarkOptions,
): Promise<{ marked: number; last: string | null }> {
  const { rows } = await sql<{ n: number; last: string | null }>`
    WITH due AS (
      SELECT t.kid, t.account_kid FROM terminal t
      WHERE ${below} AND (${after}::uuid IS NULL OR t.kid > ${after}::uuid) ORDER BY t.kid LIMIT ${limit}
    ), marked AS (
      INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at, change_kid)
        SELECT kid, account_kid, 'epoch'::timestamptz, ${change_kid}::uuid FROM due
        ON CONFLICT (terminal_kid) DO UPDATE
          SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz, change_kid = EXCLUDED.change_kid
        RETURNING terminal_kid
    )
    SELECT count(*)::int AS n, max(terminal_kid::text) AS last FROM marked
  `.execute(trx)
  const { n, last } = rows[0]!
  return { marked: n, last }
}
type MarkOptions = { below: RawBuilder<boolean>; change_kid: string; after?: string | null; limit: number }

const isReached = (push_task_kid: string) => sql`EXISTS (
  SELECT FROM push_task_terminal p WHERE p.push_task_kid = ${push_task_kid} AND p.terminal_kid = t.kid AND ${isGiven})`

/** One piece of one change; whether there may be more. A server that dies goes on where it was. */
export async function oweOnce(deps: Deps): Promise<boolean> {
  const done = await deps.db.transaction().execute(async (trx) => {
    const change = await trx
      .selectFrom('configuration_change')
      .selectAll()
      .where('is_owing', '=', true)
      .orderBy('created_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!change) return undefined
    const all = await devicesBelow(trx, change, change.sections as never)
    // At the end of its steps those that the steps did not reach.
    const below = all && change.push_task_kid ? sql<boolean>`${all} AND NOT ${isReached(change.push_task_kid)}` : all
    const { marked, last } = below
      ? await markDue(trx, { below, change_kid: change.kid, after: change.owed_to, limit: piece })
      : { marked: 0, last: null }
    await trx
      .updateTable('configuration_change')
      .set({ owed_to: last ?? change.owed_to, is_owing: marked === piece })
      .where('kid', '=', change.kid)
      .execute()
    return change
  })
  if (!done) return false
  deps.link.wake([])
  if (done.account_kid)
    deps.live.publish(done.account_kid, {
      type: 'terminal_config',
      kid: done.terminal_group_kid ?? done.account_kid,
    })
  return true
}

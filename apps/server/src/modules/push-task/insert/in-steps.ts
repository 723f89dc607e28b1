import type { PlainRollout, PushTaskType } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { picked_lot } from './device-list.ts'
import { move, newMoves, writeMoves } from '../moves/moves.ts'
import type { Moves } from '../moves/moves.ts'
import { lockRows } from '../rows.ts'

type Made = {
  deps: Deps
  account_kid: string
  user: { kid: string; name: string }
  token_kid: string | null
  type: PushTaskType
  payload: object
  summary: string
  rollout: PlainRollout
  /** It begins once a second person has approved it. */
  asks_approval: boolean
  list_kid: string
}
type More = { list_kid: string; account_kid: string; devices: RawBuilder<boolean>; after: string | null; limit: number }

/** The next devices `t` of a list that another call makes, in the order of their kids. The last of them, and how many. */
export async function addInSteps(trx: Kysely<Tables>, { list_kid, account_kid, devices, after, limit }: More) {
  const { rows } = await sql<{ n: number; last: string | null }>`
    WITH next AS (
      SELECT t.kid, t.sn FROM terminal t
      WHERE ${devices} AND t.account_kid = ${account_kid} AND (${after}::uuid IS NULL OR t.kid > ${after}::uuid)
      ORDER BY t.kid LIMIT ${limit}
    ), added AS (
      INSERT INTO push_list_terminal (push_list_kid, account_kid, lot, terminal_kid, sn)
      SELECT ${list_kid}::uuid, ${account_kid}::uuid, GREATEST(hashtext(kid::text), ${picked_lot + 1}::integer), kid, sn
      FROM next ON CONFLICT (push_list_kid, terminal_kid) DO NOTHING RETURNING terminal_kid
    ), counted AS (
      UPDATE push_list SET total = total + (SELECT count(*) FROM added) WHERE kid = ${list_kid}::uuid
    )
    SELECT count(*)::int AS n, max(kid::text) AS last FROM next
  `.execute(trx)
  return rows[0]!
}

export async function beginInSteps(
  trx: Kysely<Tables>,
  { deps, account_kid, user, type }: Pick<Made, 'deps' | 'account_kid' | 'user' | 'type'>,
): Promise<string> {
  const kid = newKid()
  const created_at = deps.clock.now()
  await trx.insertInto('push_list').values({ kid, account_kid, created_by_kid: user.kid, created_at, type }).execute()
  return kid
}

/**
 * A rollout that another call makes, for the devices of its list. Rows and steps are made in the background as those of any
 * rollout are, once `wakePushes` is called after the commit.
 */
export async function insertInSteps(
  trx: Kysely<Tables>,
  { deps, account_kid, user, token_kid, type, payload, summary, rollout, asks_approval, list_kid }: Made,
): Promise<string> {
  const now = deps.clock.now()
  const kid = newKid()
  const { total } = await trx
    .selectFrom('push_list')
    .select('total')
    .where('kid', '=', list_kid)
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('push_task')
    .values({
      kid,
      account_kid,
      type,
      payload: JSON.stringify(payload),
      description: '',
      summary,
      created_by_kid: user.kid,
      created_by: user.name,
      created_by_token_kid: token_kid,
      created_at: now,
      total: 0,
      wait_receipt: 0,
      meant: total,
      phase: asks_approval ? 'awaiting_approval' : 'creating',
      phase_at: now,
      rollout: JSON.stringify({ ...rollout, takes_later: false }),
      list_kid,
    })
    .execute()
  await trx.updateTable('push_list').set({ push_task_kid: kid }).where('kid', '=', list_kid).execute()
  return kid
}

/** Rows of such a push whose devices have come to an end of what they were given: `failed` with why. */
export type InStepsEnd = { push_task_kid: string; terminal_kid: string; code: string | null; message: string | null }

/** Ends rows that another call's rollout gave to devices, in its transaction. Publish with `tellMoves` after the commit. */
export async function endInSteps(trx: Kysely<Tables>, ends: readonly InStepsEnd[], now: Date): Promise<Moves> {
  const moves = newMoves()
  if (ends.length === 0) return moves
  const byKey = new Map(ends.map((end) => [`${end.push_task_kid} ${end.terminal_kid}`, end]))
  const keys = ends.map(({ push_task_kid: k, terminal_kid: t }) => ({ k, t }))
  const rows = await lockRows(
    trx,
    sql`(p.push_task_kid, p.terminal_kid) IN
      (SELECT k, t FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS r(k uuid, t uuid))
      AND p.state = 'wait_receipt' AND p.sent_at IS NOT NULL`,
  )
  for (const row of rows) {
    const { code, message } = byKey.get(`${row.push_task_kid} ${row.terminal_kid}`)!
    if (code === null) move(moves, row, 'complete', now)
    else move(moves, row, 'fail', now, { code, message: message ?? undefined })
  }
  await writeMoves(trx, moves)
  return moves
}

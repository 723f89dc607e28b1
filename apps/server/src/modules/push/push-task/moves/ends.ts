import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import { transactionThen } from '../../../../db/after-commit.ts'
import { records } from '../../../../db/records.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { device_gone, markChanged, move, newMoves, writeMoves } from './moves.ts'
import type { Moves } from './moves.ts'
import { lockOverdue, lockRows, mayBeThere, openStates } from '../rows.ts'
import type { TaskRow } from '../rows.ts'
import { tellMoves } from '../background/phase-worker.ts'

/**
 * Ends, in the caller's transaction, what these devices still owe, because they leave. Call the result after the commit:
 * it tells the browsers.
 */
export const failTasksOfDevices = (
  trx: Kysely<Tables>,
  deps: Deps,
  terminal_kids: readonly string[],
): Promise<() => void> => failOpen(trx, deps, sql`p.terminal_kid = ANY(${[...terminal_kids]}::uuid[])`, device_gone)

type Attempt = Pick<TaskRow, 'push_task_kid' | 'terminal_kid' | 'attempt'>
/** Ends attempts that are more than their devices take in one packet. */
export async function failTooLarge(deps: Deps, attempts: readonly Attempt[]): Promise<void> {
  const which = sql`(p.push_task_kid, p.terminal_kid, p.attempt) IN (
    SELECT r.push_task_kid, r.terminal_kid, r.attempt FROM ${records(attempts).as(`r(push_task_kid uuid,
      terminal_kid uuid, attempt integer)`)})`
  await transactionThen(deps.db, async (trx, after) => after(await failOpen(trx, deps, which, 'packet_too_large')))
}

async function failOpen(
  trx: Kysely<Tables>,
  deps: Deps,
  which: RawBuilder<unknown>,
  code: string,
): Promise<() => void> {
  const now = deps.clock.now()
  const rows = await lockRows(trx, sql`${which} AND p.state = ANY(${openStates}::text[])`)
  const moves = newMoves()
  for (const row of rows) move(moves, row, 'fail', now, { code })
  await writeMoves(trx, moves)
  return () => tellMoves(deps, moves)
}

/** Rows of a push whose devices have come to an end of what they were given: `failed` with why. */
export type Ended = { push_task_kid: string; terminal_kid: string; code: string | null; message: string | null }

/** Ends rows of devices that got their work otherwise than as a task, in the caller's transaction. Publish with `tellMoves` after the commit. */
export async function endRows(trx: Kysely<Tables>, ends: readonly Ended[], now: Date): Promise<Moves> {
  const moves = newMoves()
  if (ends.length === 0) return moves
  const byKey = new Map(ends.map((end) => [`${end.push_task_kid} ${end.terminal_kid}`, end]))
  const keys = ends.map(({ push_task_kid: k, terminal_kid: t }) => ({ k, t }))
  const rows = await lockRows(
    trx,
    sql`(p.push_task_kid, p.terminal_kid) IN
      (SELECT k, t FROM ${records(keys).as('r(k uuid, t uuid)')})
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

/** Rows of one transaction: none may hold the database for long. */
const piece = 1_000
/** How long a connected device has to say how an attempt ended whose deadline has passed. */
const answer_ms = 120_000

/**
 * Fails what stayed in a state for longer than its deadline; says how many. A device that is there is asked to stop first:
 * it may be at it, and then its answer decides.
 */
export async function failOverdue(deps: Deps): Promise<number> {
  let failed = 0
  for (;;) {
    const { moves, found } = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const now = deps.clock.now()
        const rows = await lockOverdue(trx, now, piece)
        const moves = newMoves()
        for (const row of rows)
          if (row.is_online && mayBeThere(row) && !row.is_overdue) askToStop(moves, row, now)
          else move(moves, row, 'fail', now, { code: 'deadline' })
        await writeMoves(trx, moves)
        return { moves, found: rows.length }
      }),
    )
    tellMoves(deps, moves)
    const changed = [...moves.changes.keys()]
    deps.link.wake(changed.filter((row) => row.is_overdue).map((row) => row.terminal_kid))
    failed += changed.filter((row) => !row.is_overdue).length
    if (found < piece) return failed
  }
}

function askToStop(moves: Moves, row: TaskRow, now: Date): void {
  markChanged(moves, row)
  row.is_overdue = true
  row.cancel_asked_at ??= now
  row.send_at = now
  row.deadline_at = new Date(now.getTime() + answer_ms)
}

import { canPushTask } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'
import type { SignedIn } from '../../http/context.ts'
import { move, newMoves, note, publishMoves, writeMoves } from './moves.ts'
import type { Moves } from './moves.ts'
import { retrying } from '../../db/retrying.ts'
import { finalStates, lockOverdue, lockRows, openStates } from './rows.ts'
import type { TaskRow } from './rows.ts'

type Calls = Contract['pushTask']['calls']
type Who = Pick<SignedIn, 'account_kid' | 'name' | 'group_kids'>

/** Rows of one transaction, so that a task for a whole fleet never holds the database for long. */
const chunk = 1_000

/** At once before the device has it; afterwards the device is asked, and its answer decides. */
export async function cancel(deps: Deps, who: Who, input: In<Calls['cancel']>) {
  await exists(deps, who, input)
  const changed = await inChunks(deps, who, input, openStates, (moves, row, now) => {
    if (row.state === 'wait_receipt') return void move(moves, row, 'cancel', now, { by_name: who.name })
    if (!canPushTask(row.state, 'cancel')) return
    note(moves, row)
    row.cancel_asked_at ??= now
    row.send_at = now
  })
  const canceled = changed.filter(({ state }) => state === 'canceled').length
  const done = { canceled, asked: changed.length - canceled }
  if (done.canceled + done.asked === 0) refuse('task_not_cancelable')
  return done
}

/** A new attempt for what failed or was canceled, on devices that are still there. */
export async function retry(deps: Deps, who: Who, input: In<Calls['retry']>) {
  await exists(deps, who, input)
  const retried = await inChunks(deps, who, input, finalStates, (moves, row, now) => {
    move(moves, row, 'retry', now, { by_name: who.name })
  })
  if (retried.length > 0) return { retried: retried.length }
  return refuse((await isOpen(deps, who, input)) ? 'task_running' : 'task_not_retryable')
}

type Selection = { push_task_kid: string; terminal_kid?: string | undefined }

async function inChunks(
  deps: Deps,
  who: Who,
  of: Selection,
  states: string[],
  change: (moves: Moves, row: TaskRow, now: Date) => void,
): Promise<TaskRow[]> {
  const changed: TaskRow[] = []
  let after: string | null = null
  for (;;) {
    const { rows, moves }: { rows: TaskRow[]; moves: Moves } = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const rows = await lockRows(
          trx,
          sql`${selected(who, of)} AND p.state = ANY(${states}::text[])
            AND (${after}::uuid IS NULL OR p.terminal_kid > ${after}::uuid)
            AND EXISTS (SELECT FROM terminal t WHERE t.kid = p.terminal_kid AND t.account_kid = p.account_kid)`,
          chunk,
        )
        const moves = newMoves()
        const now = deps.clock.now()
        for (const row of rows) change(moves, row, now)
        await writeMoves(trx, moves)
        return { rows, moves }
      }),
    )
    publishMoves(deps, moves)
    changed.push(...moves.changes.keys())
    deps.link.wake(rows.map((row) => row.terminal_kid))
    if (rows.length < chunk) return changed
    after = rows.at(-1)!.terminal_kid
  }
}

/** Rows of push_task_terminal `p` that this caller may act on: of the account, and of the user's groups where limited. */
const selected = ({ account_kid, group_kids }: Who, { push_task_kid, terminal_kid }: Selection) => sql`
  p.account_kid = ${account_kid} AND p.push_task_kid = ${push_task_kid}
  AND (${terminal_kid ?? null}::uuid IS NULL OR p.terminal_kid = ${terminal_kid ?? null}::uuid)
  AND (${group_kids ?? null}::uuid[] IS NULL OR EXISTS (
    SELECT FROM terminal g WHERE g.kid = p.terminal_kid AND g.terminal_group_kid = ANY(${group_kids ?? null}::uuid[])))`

async function exists(deps: Deps, who: Who, of: Selection): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM push_task_terminal p WHERE ${selected(who, of)} LIMIT 1`.execute(deps.db)
  if (rows.length === 0) refuse('not_found')
}

async function isOpen(deps: Deps, who: Who, of: Selection): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM push_task_terminal p WHERE ${selected(who, of)} AND p.state = ANY(${openStates}::text[]) LIMIT 1
  `.execute(deps.db)
  return rows.length > 0
}

/** Fails what stayed in a state for longer than its deadline; says how many. */
export async function failOverdue(deps: Deps): Promise<number> {
  let failed = 0
  for (;;) {
    const { moves, found } = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const now = deps.clock.now()
        const rows = await lockOverdue(trx, now, chunk)
        const moves = newMoves()
        for (const row of rows) move(moves, row, 'fail', now, { code: 'deadline' })
        await writeMoves(trx, moves)
        return { moves, found: rows.length }
      }),
    )
    publishMoves(deps, moves)
    failed += moves.changes.size
    if (found < chunk) return failed
  }
}

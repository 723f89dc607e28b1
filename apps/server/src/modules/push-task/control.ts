import { canPushTask, isDestructive } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../refusal.ts'
import type { SignedIn } from '../../http/context.ts'
import { move, newMoves, note, publishMoves, writeMoves } from './moves.ts'
import type { Moves } from './moves.ts'
import { retrying } from '../../db/retrying.ts'
import { finalStates, lockOverdue, lockRows, mayBeThere, openStates } from './rows.ts'
import type { TaskRow } from './rows.ts'

type Calls = Contract['pushTask']['calls']
type Who = Pick<SignedIn, 'account_kid' | 'name' | 'group_kids'>

/** Rows of one transaction, so that a task for a whole fleet never holds the database for long. */
const chunk = 1_000

/** At once while nothing of it was ever sent; afterwards the device is asked, and its answer decides. */
export async function cancel(deps: Deps, who: Who, input: In<Calls['cancel']>) {
  await exists(deps, who, input)
  const changed = await inChunks(deps, who, input, openStates, (moves, row, now) => {
    if (!mayBeThere(row)) return void move(moves, row, 'cancel', now, { by_name: who.name })
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
export async function retry(
  deps: Deps,
  who: Who & { destroys(devices: number): Promise<number> },
  input: In<Calls['retry']>,
) {
  await exists(deps, who, input)
  await who.destroys(await destroyedBy(deps, who, input))
  const again = (moves: Moves, row: TaskRow, now: Date) => void move(moves, row, 'retry', now, { by_name: who.name })
  const retried = await inChunks(deps, who, input, finalStates, again, (trx) => assertPassword(trx, input))
  if (retried.length > 0) return { retried: retried.length }
  return refuse((await isOpen(deps, who, input)) ? 'task_running' : 'task_not_retryable')
}

/** How many devices would be hit once more by what hurts. */
async function destroyedBy(deps: Deps, who: Who, of: Selection): Promise<number> {
  const { rows } = await sql<{ type: TaskRow['type']; devices: number }>`
    SELECT p.type, count(*)::integer AS devices FROM push_task_terminal p
    WHERE ${selected(who, of)} AND p.state = ANY(${finalStates}::text[]) AND p.state <> 'completed' GROUP BY p.type
  `.execute(deps.db)
  return rows[0] && isDestructive(rows[0].type) ? rows[0].devices : 0
}

/** A lock that has lost its password would lock with another one, or with none. */
async function assertPassword(trx: Kysely<Tables>, { push_task_kid }: Selection): Promise<void> {
  const task = await trx
    .selectFrom('push_task')
    .select('payload')
    .where('kid', '=', push_task_kid)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (task.payload['is_password_dropped']) refuse('task_password_gone')
}

type Selection = { push_task_kid: string; terminal_kid?: string | undefined }

async function inChunks(
  deps: Deps,
  who: Who,
  of: Selection,
  states: string[],
  change: (moves: Moves, row: TaskRow, now: Date) => void,
  check: (trx: Kysely<Tables>) => Promise<void> = async () => {},
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
        if (rows.some(({ type }) => type === 'lock')) await check(trx)
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
        const rows = await lockOverdue(trx, now, chunk)
        const moves = newMoves()
        for (const row of rows)
          if (row.is_online && mayBeThere(row) && !row.is_overdue) askToStop(moves, row, now)
          else move(moves, row, 'fail', now, { code: 'deadline' })
        await writeMoves(trx, moves)
        return { moves, found: rows.length }
      }),
    )
    publishMoves(deps, moves)
    const changed = [...moves.changes.keys()]
    deps.link.wake(changed.filter((row) => row.is_overdue).map((row) => row.terminal_kid))
    failed += changed.filter((row) => !row.is_overdue).length
    if (found < chunk) return failed
  }
}

function askToStop(moves: Moves, row: TaskRow, now: Date): void {
  note(moves, row)
  row.is_overdue = true
  row.cancel_asked_at ??= now
  row.send_at = now
  row.deadline_at = new Date(now.getTime() + answer_ms)
}

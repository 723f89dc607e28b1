import { canPushTask, pushKindOf } from '@mdm/contract'
import type { Contract, In, PushTaskType } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../actor.ts'
import { retrying } from '../../db/retrying.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import type { Ctx } from '../../http/context.ts'
import { refuse } from '../../refusal.ts'
import { assertHourly } from './caps.ts'
import { kindOf } from './kinds/kinds.ts'
import { move, newMoves, note, writeMoves } from './moves.ts'
import type { Moves } from './moves.ts'
import { finalStates, lockOverdue, lockRows, mayBeThere, openStates } from './rows.ts'
import type { TaskRow } from './rows.ts'
import { cancelPhase } from './phases.ts'
import { tellMoves, wakePushes } from './work.ts'

type Calls = Contract['pushTask']['calls']
type Who = Omit<Actor, 'scope'>

/** Rows of one transaction, so that a task for a whole fleet never holds the database for long. */
const chunk = 1_000

/** At once while nothing of it was ever sent; afterwards the device is asked, and its answer decides. */
export async function cancel(actor: Who, input: In<Calls['cancel']>) {
  const { push_task_kid, terminal_kid } = input
  // What has not begun has no device yet.
  const is_stopped = terminal_kid === undefined && (await cancelPhase(actor, push_task_kid))
  if (!is_stopped) await typeOf(actor, input)
  const by_name = actor.user.name || undefined
  const changed = await inChunks(actor, input, openStates, (moves, row, now) => {
    if (!mayBeThere(row)) return void move(moves, row, 'cancel', now, { by_name })
    if (!canPushTask(row.state, 'cancel')) return
    note(moves, row)
    row.cancel_asked_at ??= now
    row.send_at = now
  })
  const canceled = changed.filter(({ state }) => state === 'canceled').length
  const done = { canceled, asked: changed.length - canceled }
  if (!is_stopped && done.canceled + done.asked === 0) refuse('task_not_cancelable')
  if (is_stopped) actor.deps.live.publish(actor.account_kid, { type: 'push_task', kid: push_task_kid })
  return done
}

/**
 * A new attempt for what failed or was canceled, on devices that are still there. It does to them what the push did, and
 * so asks for the same permission.
 */
export async function retry(actor: Who & Pick<Ctx, 'may' | 'destroys'>, input: In<Calls['retry']>) {
  const type = await typeOf(actor, input)
  const { needs, is_destructive, per_hour } = pushKindOf(type)
  if (!actor.may(needs)) refuse('no_permission')
  const devices = await retryable(actor, input)
  await actor.destroys(is_destructive ? devices : 0)
  if (per_hour !== undefined)
    await actor.deps.db.transaction().execute((trx) => assertHourly(trx, actor, type, devices, per_hour))
  const { assertRetry } = kindOf(type)
  const again = (moves: Moves, row: TaskRow, now: Date) =>
    void move(moves, row, 'retry', now, { by_name: actor.user.name })
  const check = async (trx: Kysely<Tables>) => {
    await assertRetry?.(await lockPayload(trx, input), { trx, account_kid: actor.account_kid })
  }
  const retried = await inChunks(actor, input, finalStates, again, check)
  if (retried.length > 0) {
    await unsettle(actor, input)
    return { retried: retried.length }
  }
  return refuse((await isOpen(actor, input)) ? 'task_running' : 'task_not_retryable')
}

/** A paused push sends nothing, what is tried again included. */
async function unsettle({ deps }: Who, { push_task_kid }: Selection): Promise<void> {
  const { numUpdatedRows } = await deps.db
    .updateTable('push_task')
    .set({ is_settled: false })
    .where('kid', '=', push_task_kid)
    .where('phase', '=', 'paused')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) wakePushes(deps)
}

/** How many devices would be hit once more. */
async function retryable(actor: Who, of: Selection): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    SELECT count(*)::integer AS devices FROM push_task_terminal p
    WHERE ${selected(actor, of)} AND p.state = ANY(${finalStates}::text[]) AND p.state <> 'completed'
  `.execute(actor.deps.db)
  return rows[0]!.devices
}

async function lockPayload(trx: Kysely<Tables>, { push_task_kid }: Selection) {
  const task = await trx
    .selectFrom('push_task')
    .select('payload')
    .where('kid', '=', push_task_kid)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return task.payload
}

type Selection = { push_task_kid: string; terminal_kid?: string | undefined }

async function inChunks(
  actor: Who,
  of: Selection,
  states: string[],
  change: (moves: Moves, row: TaskRow, now: Date) => void,
  check: (trx: Kysely<Tables>) => Promise<void> = async () => {},
): Promise<TaskRow[]> {
  const { deps } = actor
  const changed: TaskRow[] = []
  let after: string | null = null
  for (;;) {
    const { rows, moves }: { rows: TaskRow[]; moves: Moves } = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const rows = await lockRows(
          trx,
          sql`${selected(actor, of)} AND p.state = ANY(${states}::text[])
            AND (${after}::uuid IS NULL OR p.terminal_kid > ${after}::uuid)
            AND EXISTS (SELECT FROM terminal t WHERE t.kid = p.terminal_kid AND t.account_kid = p.account_kid)`,
          chunk,
        )
        if (rows.length > 0) await check(trx)
        const moves = newMoves()
        const now = deps.clock.now()
        for (const row of rows) change(moves, row, now)
        await writeMoves(trx, moves)
        return { rows, moves }
      }),
    )
    tellMoves(deps, moves)
    changed.push(...moves.changes.keys())
    deps.link.wake(rows.map((row) => row.terminal_kid))
    if (rows.length < chunk) return changed
    after = rows.at(-1)!.terminal_kid
  }
}

/** Rows of push_task_terminal `p` that this actor may act on: of the account, and of the user's groups where limited. */
const selected = ({ account_kid, reach }: Who, { push_task_kid, terminal_kid }: Selection) => sql`
  p.account_kid = ${account_kid} AND p.push_task_kid = ${push_task_kid}
  AND (${terminal_kid ?? null}::uuid IS NULL OR p.terminal_kid = ${terminal_kid ?? null}::uuid)
  AND (${reach ?? null}::uuid[] IS NULL OR EXISTS (
    SELECT FROM terminal g WHERE g.kid = p.terminal_kid AND g.terminal_group_kid = ANY(${reach ?? null}::uuid[])))`

/** @throws `not_found` */
async function typeOf(actor: Who, of: Selection): Promise<PushTaskType> {
  const { rows } = await sql<{ type: PushTaskType }>`
    SELECT p.type FROM push_task_terminal p WHERE ${selected(actor, of)} LIMIT 1
  `.execute(actor.deps.db)
  return rows[0]?.type ?? refuse('not_found')
}

async function isOpen(actor: Who, of: Selection): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM push_task_terminal p WHERE ${selected(actor, of)} AND p.state = ANY(${openStates}::text[]) LIMIT 1
  `.execute(actor.deps.db)
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
    tellMoves(deps, moves)
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

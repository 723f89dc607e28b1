import { pushKindOf, stepVerdict } from '@mdm/contract'
import type { PauseReason, Rollout } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { issuerOf } from '../../../../actor.ts'
import type { VisibleGroups } from '../../../../actor.ts'
import { transactionThen } from '../../../../db/after-commit.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { isRevoked, visibleGroupsNow } from '../../../../http/visible-groups-now.ts'
import type { Revoked } from '../../../../http/visible-groups-now.ts'
import { wake } from '../../../../lib/background.ts'
import type { SharedWork } from '../../../../lib/background.ts'
import { clockDoubt } from '../../../../lib/clock-watch.ts'
import { makeRows, piece, receiptDeadline, Stopped } from '../insert/creation.ts'
import type { Stopping } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { cancelMove, move, newMoves, publishMoves, settlePhases, writeMoves } from '../moves/moves.ts'
import type { Moves } from '../moves/moves.ts'
import { lockRows, openStates } from '../rows.ts'
import { dueRetry, retryPiece } from '../moves/retries.ts'

type Trx = Kysely<Tables>
type Task = Selectable<Tables['push_task']>
/** What follows the commit: devices to wake, moves to publish. */
type AfterCommit = { account_kid: string; push_task_kid: string; wake?: readonly string[]; moves?: Moves }

/** One piece of the first of these that has something to do; false when none has. */
async function workOnce(deps: Deps): Promise<boolean> {
  for (const work of [startPlanned, createRows, advanceRollout, syncRowsWithPhase, retryDue, failHeldPastDeadline]) {
    const done = await retrying(() =>
      transactionThen(deps.db, (trx, after) => work(trx, deps, deps.clock.now(), after)),
    ).catch((error: unknown) => {
      if (error instanceof Stopped) return true
      throw error
    })
    if (!done) continue
    if (done === true) return true
    if (done.moves) publishMoves(deps, done.moves)
    if (done.wake) deps.link.wake(done.wake)
    deps.live.publish(done.account_kid, { type: 'push_task', kid: done.push_task_kid })
    return true
  }
  return false
}

/** What pushes wait for: their start, their rows, their next step. */
export const pushes: SharedWork = { name: 'pushes', every_ms: 5_000, at_once: 1, run: workOnce }

/** Tells of moves after their commit; what they mean for a rollout is looked at. */
export function tellMoves(deps: Deps, moves: Moves): void {
  publishMoves(deps, moves)
  for (const { row } of moves.changes.values()) if (row.step !== null) return wake(deps, pushes)
}

const afterCommit = ({ account_kid, kid }: Pick<Task, 'account_kid' | 'kid'>): AfterCommit => ({
  account_kid,
  push_task_kid: kid,
})

/** Of whoever created a push, or had it made. */
export const creatorsVisibleGroups = (trx: Trx, task: Task, now: Date): Promise<VisibleGroups | Revoked> =>
  visibleGroupsNow(trx, issuerOf(task), pushKindOf(task.type).needs, now)

/** Waits for who holds it, which is for one commit: devices that report hold it much of the time. */
export async function lockTask(trx: Trx, where: ReturnType<typeof sql>): Promise<Task | undefined> {
  const { rows } = await sql<Task>`
    SELECT * FROM push_task WHERE ${where} LIMIT 1 FOR NO KEY UPDATE
  `.execute(trx)
  return rows[0]
}

/**
 * Starts a planned push whose time has come. Cancels it if its creator may not push it any more (decision 014). Does nothing while the
 * clock is in doubt. A creator who is limited to groups gets the devices that are in those groups now.
 */
async function startPlanned(
  trx: Trx,
  deps: Deps,
  now: Date,
  after: Stopping['after'],
): Promise<AfterCommit | undefined> {
  if (clockDoubt(deps)) return undefined
  const task = await lockTask(
    trx,
    sql`phase = 'planned' AND COALESCE(start_at, ${now}::timestamptz) <= ${now} ORDER BY start_at, kid`,
  )
  if (!task) return undefined
  const visible_groups = await creatorsVisibleGroups(trx, task, now)
  const is_late = task.open_until !== null && task.open_until <= now
  const remark = is_late ? 'late' : isRevoked(visible_groups) ? visible_groups : ''
  await trx
    .updateTable('push_task')
    .set(
      isRevoked(visible_groups) || is_late
        ? { phase: 'canceled', phase_at: now, ended_at: now, remark }
        : { phase: 'creating', phase_at: now, visible_groups: visible_groups ? [...visible_groups] : null },
    )
    .where('kid', '=', task.kid)
    .execute()
  if (remark !== '') {
    const user = { kid: task.created_by_kid, name: task.created_by }
    await kindOf(task.type).stopped?.(trx, task.payload, { deps, user, after })
    await settlePhases(trx, [task.kid], now)
  }
  return afterCommit(task)
}

/**
 * The first push whose rows are being made. Its list is locked, and its own row only once the piece is made: devices that
 * have theirs already report meanwhile, and would wait for each piece.
 */
async function lockCreating(trx: Trx): Promise<Task | undefined> {
  for (;;) {
    const { rows } = await sql<{ kid: string }>`
      SELECT l.kid FROM push_task k JOIN push_list l ON l.kid = k.list_kid
      WHERE k.phase = 'creating' AND l.freezing IS NULL ORDER BY k.created_at, k.kid LIMIT 1 FOR NO KEY UPDATE OF l
    `.execute(trx)
    if (!rows[0]) return undefined
    const task = await trx
      .selectFrom('push_task')
      .selectAll()
      .where('list_kid', '=', rows[0].kid)
      .where('phase', '=', 'creating')
      .executeTakeFirst()
    // Somebody else has just made its last piece, or stopped it.
    if (task) return task
  }
}

/** The next devices of a list become rows. */
async function createRows(trx: Trx, _deps: Deps, now: Date): Promise<AfterCommit | undefined> {
  const task = await lockCreating(trx)
  return task && { ...afterCommit(task), wake: (await makeRows(trx, task, now)).owed }
}

/** A rollout whose current step is decided: the next one begins, or it pauses and says why. */
async function advanceRollout(trx: Trx, _deps: Deps, now: Date): Promise<AfterCommit | undefined> {
  const { rows } = await sql<StepRow>`
    SELECT s.*, k.rollout, k.waived_step,
      (SELECT max(step) FROM push_task_step m WHERE m.push_task_kid = k.kid) AS last
    FROM push_task k JOIN push_task_step s ON s.push_task_kid = k.kid AND s.step = k.step
    WHERE k.phase = 'running' AND k.rollout IS NOT NULL ORDER BY k.kid
  `.execute(trx)
  for (const step of rows) {
    const verdict = verdictOf(step)
    if (verdict === 'wait') continue
    const task = await lockTask(trx, sql`kid = ${step.push_task_kid} AND phase = 'running' AND step = ${step.step}`)
    // Somebody else has just decided.
    if (!task) continue
    if (verdict === 'go_on') await openStep(trx, task, step.step + 1, now)
    else
      await trx
        .updateTable('push_task')
        .set({ phase: 'paused', phase_at: now, paused_because: verdict, rows_in_sync: false })
        .where('kid', '=', task.kid)
        .execute()
    return afterCommit(task)
  }
  return undefined
}

type StepRow = Selectable<Tables['push_task_step']> & Pick<Task, 'rollout' | 'waived_step'> & { last: number }
function verdictOf(row: StepRow): 'wait' | 'go_on' | PauseReason {
  const { total, completed, failed, canceled, step, last, waived_step } = row
  const is_over = completed + failed + canceled >= total
  const verdict = stepVerdict(row, row.rollout as Rollout)
  if (step === last) return verdict === 'errors' && !is_over && waived_step !== step ? 'errors' : 'wait'
  if (verdict === 'go_on' || waived_step !== step) return verdict
  return is_over ? 'go_on' : 'wait'
}

async function openStep(trx: Trx, { kid }: Task, step: number, now: Date): Promise<void> {
  await trx.updateTable('push_task').set({ step, phase_at: now, rows_in_sync: false }).where('kid', '=', kid).execute()
  await trx
    .updateTable('push_task_step')
    .set({ opened_at: now })
    .where('push_task_kid', '=', kid)
    .where('step', '=', step)
    .execute()
}

/**
 * Sends what a step or a resumed push may send, and holds what a paused one must not: rows that no device has heard of.
 * A step and a pause take effect at once; this makes the rows agree with them, piece by piece.
 */
async function syncRowsWithPhase(trx: Trx, _deps: Deps, now: Date): Promise<AfterCommit | undefined> {
  const task = await lockTask(trx, sql`NOT rows_in_sync AND phase <> 'creating' ORDER BY kid`)
  if (!task) return undefined
  if (task.phase === 'canceled') return cancelDevicesOfStopped(trx, task, now)
  const is_open = task.phase === 'running' || task.phase === 'ended'
  const change = is_open
    ? sql`SET send_at = ${now}, state_at = ${now},
        deadline_at = COALESCE(p.open_until, ${receiptDeadline(now, null)}::timestamptz)`
    : sql`SET send_at = NULL, deadline_at = NULL`
  const which = is_open
    ? sql`send_at IS NULL AND COALESCE(step, 0) <= ${task.step ?? 0}`
    : sql`send_at IS NOT NULL AND sent_at IS NULL`
  const { rows } = await sql<{ terminal_kid: string }>`
    UPDATE push_task_terminal p ${change} FROM (
      SELECT push_task_kid, terminal_kid FROM push_task_terminal
      WHERE push_task_kid = ${task.kid} AND state = 'wait_receipt' AND ${which}
      ORDER BY push_task_kid, terminal_kid LIMIT ${piece} FOR UPDATE) r
    WHERE p.push_task_kid = r.push_task_kid AND p.terminal_kid = r.terminal_kid
    RETURNING p.terminal_kid
  `.execute(trx)
  if (rows.length < piece)
    await trx.updateTable('push_task').set({ rows_in_sync: true }).where('kid', '=', task.kid).execute()
  return { ...afterCommit(task), wake: is_open ? rows.map(({ terminal_kid }) => terminal_kid) : [] }
}

/** Devices of a canceled push, piece by piece: at once or by asking them. */
async function cancelDevicesOfStopped(trx: Trx, task: Task, now: Date): Promise<AfterCommit> {
  const rows = await lockRows(
    trx,
    sql`p.push_task_kid = ${task.kid} AND p.state = ANY(${openStates}::text[]) AND p.cancel_asked_at IS NULL`,
    piece,
  )
  const moves = newMoves()
  for (const row of rows) cancelMove(moves, row, now, task.canceled_by ?? undefined)
  await writeMoves(trx, moves)
  if (rows.length < piece)
    await trx.updateTable('push_task').set({ rows_in_sync: true }).where('kid', '=', task.kid).execute()
  return { ...afterCommit(task), moves, wake: rows.map(({ terminal_kid }) => terminal_kid) }
}

/** The next devices of a retry whose time has come; not by a clock in doubt. */
async function retryDue(trx: Trx, deps: Deps, now: Date): Promise<AfterCommit | undefined> {
  if (clockDoubt(deps)) return undefined
  const task = await lockTask(trx, dueRetry(now))
  return task && { ...afterCommit(task), ...(await retryPiece(trx, deps, task, now)) }
}

/** After the deadline nothing begins: what was held until then fails, and a rollout that takes in later devices ends. */
async function failHeldPastDeadline(trx: Trx, deps: Deps, now: Date): Promise<AfterCommit | undefined> {
  if (clockDoubt(deps)) return undefined
  // What was tried again after the deadline has none.
  const is_late = sql`p.state = 'wait_receipt' AND p.send_at IS NULL AND p.open_until <= ${now}`
  const held = sql`SELECT 1 FROM push_task_terminal p WHERE p.push_task_kid = push_task.kid AND ${is_late}`
  const task = await lockTask(
    trx,
    sql`phase IN ('running', 'paused') AND open_until <= ${now}
      AND (EXISTS (${held}) OR late_filter IS NOT NULL AND completed + failed + canceled >= total) ORDER BY open_until`,
  )
  if (!task) return undefined
  const rows = await lockRows(trx, sql`p.push_task_kid = ${task.kid} AND ${is_late}`, piece)
  const moves = newMoves()
  for (const row of rows) move(moves, row, 'fail', now, { code: 'deadline' })
  await writeMoves(trx, moves)
  await settlePhases(trx, [task.kid], now)
  return { ...afterCommit(task), moves }
}

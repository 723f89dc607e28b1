import {
  canPushTask,
  deadlineSeconds,
  isFinal,
  nextPushTaskState,
  phasesFor,
  processEventOf,
  waitingStates,
} from '@mdm/contract'
import type { PushTaskEvent, PushTaskState } from '@mdm/contract'
import type { Waits } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { records } from '../../../../db/records.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { newKid } from '../../../../lib/ids.ts'
import { publishCoalesced } from '../../../../link/coalesce.ts'
import { groupBy } from '../../../../link/group-by.ts'
import { kindOf, redacting } from '../kinds/kinds.ts'
import { mayBeThere } from '../rows.ts'
import type { TaskRow } from '../rows.ts'

export type MoveFields = {
  progress?: number | undefined
  code?: string | undefined
  message?: string | undefined
  result_object?: string | undefined
  result_text?: string | undefined
  by_name?: string | undefined
  waits?: Waits | undefined
}
type Change = { row: TaskRow; from: PushTaskState; from_attempt: number }
type Activity = Tables['push_task_activity']

/** Moves of locked rows, made in memory by the state table and written together by `writeMoves`. */
export type Moves = { changes: Map<TaskRow, Change>; activities: Activity[] }
export const newMoves = (): Moves => ({ changes: new Map(), activities: [] })

/** Takes one step; false, and nothing has changed, when the table has no such step. */
export function move(moves: Moves, row: TaskRow, event: PushTaskEvent, at: Date, fields: MoveFields = {}): boolean {
  const to = nextPushTaskState(row.state, event)
  if (to === undefined) return false
  bumpVersion(moves, row)
  const is_retry = event === 'retry'
  row.state = to
  row.state_at = at
  if (is_retry) row.attempt += 1
  // Whoever tries again after its time means now.
  if (is_retry && row.open_until && row.open_until <= at) row.open_until = null
  row.progress = fields.progress ?? (is_retry ? 0 : to === 'completed' ? 100 : row.progress)
  row.code = fields.code ?? null
  row.message = fields.message ?? null
  row.result_object = fields.result_object ?? null
  row.result_text = fields.result_text ?? null
  if (isFinal(to) || (is_retry && row.step !== null)) row.deadline_at = null
  // Who was told to stop gets no more time by taking another step.
  else if (!row.is_overdue) row.deadline_at = deadlineIn(row, at)
  row.waits = fields.waits ?? null
  if (isFinal(to) || is_retry) Object.assign(row, { cancel_asked_at: null, is_overdue: false })
  if (is_retry) row.sent_at = null
  // Something is owed to the device before it has the task, and again while it was asked to cancel. What is tried again of a
  // rollout waits as it did: `settle` sends what its step may send.
  row.send_at = is_retry ? (row.step === null ? at : null) : row.cancel_asked_at && !isFinal(to) ? row.send_at : null
  const process = processEventOf[event]
  if (process)
    moves.activities.push({
      kid: newKid(),
      account_kid: row.account_kid,
      push_task_kid: row.push_task_kid,
      terminal_kid: row.terminal_kid,
      attempt: row.attempt,
      event: process,
      at,
      code: row.code,
      message: row.message,
      by_name: fields.by_name ?? null,
    })
  return true
}

/**
 * Notes that a row is about to change within its state. Its version stays: it counts what both ends know of, and a device
 * that reports before it hears of this (a cancel asked for) must not seem late.
 */
export function markChanged(moves: Moves, row: TaskRow): void {
  if (!moves.changes.has(row)) moves.changes.set(row, { row, from: row.state, from_attempt: row.attempt })
}

/** At once while nothing of it was ever sent; afterwards the device is asked, and its answer decides. */
export function cancelMove(moves: Moves, row: TaskRow, at: Date, by_name: string | undefined): void {
  if (!mayBeThere(row)) return void move(moves, row, 'cancel', at, { by_name })
  if (!canPushTask(row.state, 'cancel')) return
  markChanged(moves, row)
  row.cancel_asked_at ??= at
  row.send_at = at
}

/** Like `markChanged`, and counts the version of the row up. */
export function bumpVersion(moves: Moves, row: TaskRow, expected_version = 0): void {
  markChanged(moves, row)
  row.version = Math.max(row.version, expected_version) + 1
}

/** Until when a row may stay in the state that it has come to. */
function deadlineIn({ state, open_until }: TaskRow, at: Date): Date {
  const usual = at.getTime() + (deadlineSeconds as Partial<Record<PushTaskState, number>>)[state]! * 1000
  // It waits for its conditions, and says so itself when they have not come by then.
  if (open_until && waitingStates.includes(state)) return new Date(Math.max(usual, open_until.getTime() + answer_ms))
  return new Date(usual)
}
/** How long after the end of its time a device may say that it has given up. */
const answer_ms = 3_600_000

const bucketOf = (state: PushTaskState): Bucket =>
  state === 'wait_receipt' || state === 'completed' || state === 'failed' || state === 'canceled' ? state : 'running'

/** States, process events and the counts of the tasks, all in the caller's transaction. */
export async function writeMoves(trx: Kysely<Tables>, { changes, activities }: Moves): Promise<void> {
  if (changes.size === 0) return
  const rows = [...changes.values()].map(({ row, from, from_attempt }) => ({ ...row, from_state: from, from_attempt }))
  const { numAffectedRows } = await sql`
    UPDATE push_task_terminal p SET state = r.state, state_at = r.state_at, attempt = r.attempt, version = r.version,
      progress = r.progress, cancel_asked_at = r.cancel_asked_at, code = r.code, message = r.message,
      result_object = r.result_object, result_text = r.result_text, deadline_at = r.deadline_at, send_at = r.send_at,
      sent_at = r.sent_at, is_overdue = r.is_overdue, waits = r.waits,
      open_until = r.open_until
    FROM ${records(rows).as(`r(push_task_kid uuid, terminal_kid uuid, state text, state_at timestamptz, attempt integer,
      version integer, progress real, cancel_asked_at timestamptz, code text, message text, result_object text,
      result_text text, deadline_at timestamptz, send_at timestamptz, sent_at timestamptz, is_overdue boolean,
      waits jsonb, open_until timestamptz, from_state text, from_attempt integer)`)}
    WHERE p.push_task_kid = r.push_task_kid AND p.terminal_kid = r.terminal_kid
      AND p.state = r.from_state AND p.attempt = r.from_attempt
  `.execute(trx)
  if (Number(numAffectedRows) !== rows.length) throw new Error('rows of a push task moved although they were locked')
  if (activities.length > 0)
    await sql`
      INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, code, message, by_name)
      SELECT * FROM ${records(activities).as(`r(kid uuid, account_kid uuid, push_task_kid uuid, terminal_kid uuid,
        attempt integer, event text, at timestamptz, code text, message text, by_name text)`)}
    `.execute(trx)
  await writeCounts(trx, [...changes.values()])
  await countDownloads(trx, changes, activities)
}

async function countDownloads(
  trx: Kysely<Tables>,
  changes: Moves['changes'],
  activities: readonly Activity[],
): Promise<void> {
  const types = new Map([...changes.keys()].map((row) => [row.push_task_kid, row.type]))
  const counts = new Map<string, number>()
  for (const { event, push_task_kid } of activities)
    if (event === 'download_finish') counts.set(push_task_kid, (counts.get(push_task_kid) ?? 0) + 1)
  for (const type of new Set(types.values())) {
    const finished = [...counts].flatMap(([push_task_kid, n]) =>
      types.get(push_task_kid) === type ? [{ push_task_kid, n }] : [],
    )
    if (finished.length > 0) await kindOf(type).downloaded?.(trx, finished)
  }
}

type Bucket = 'wait_receipt' | 'running' | 'completed' | 'failed' | 'canceled' | 'gone'
type Delta = { push_task_kid: string; step: number | null } & Record<Bucket, number>

/** By how much the counts of tasks change, those of each step apart. */
function deltasOf(changes: readonly Change[]): Delta[] {
  const deltas = new Map<string, Delta>()
  for (const { row, from } of changes) {
    const [before, after] = [bucketOf(from), bucketOf(row.state)]
    if (before === after) continue
    const { push_task_kid, step } = row
    const key = `${push_task_kid} ${step}`
    const none = { wait_receipt: 0, running: 0, completed: 0, failed: 0, canceled: 0, gone: 0 }
    const delta = deltas.get(key) ?? { push_task_kid, step, ...none }
    deltas.set(key, delta)
    delta[before] -= 1
    delta[after] += 1
    if (after === 'failed' && row.code === device_gone) delta.gone += 1
  }
  return [...deltas.values()]
}
/** The code of what failed because its device left. */
export const device_gone = 'device_gone'

async function writeCounts(trx: Kysely<Tables>, changes: readonly Change[]): Promise<void> {
  const deltas = deltasOf(changes)
  if (deltas.length === 0) return
  const kids = [...new Set(deltas.map(({ push_task_kid }) => push_task_kid))]
  const of_steps = deltas.filter(({ step }) => step !== null)
  const columns = `r(push_task_kid uuid, step integer, wait_receipt integer, completed integer, failed integer,
    canceled integer, gone integer)`
  // In the order of their ids, whatever order the plan of the UPDATE takes.
  await sql`SELECT kid FROM push_task WHERE kid = ANY(${kids}::uuid[]) ORDER BY kid FOR NO KEY UPDATE`.execute(trx)
  await sql`
    UPDATE push_task p SET wait_receipt = p.wait_receipt + d.wait_receipt, completed = p.completed + d.completed,
      failed = p.failed + d.failed, canceled = p.canceled + d.canceled, gone = p.gone + d.gone
    FROM (SELECT push_task_kid, sum(wait_receipt) AS wait_receipt, sum(completed) AS completed, sum(failed) AS failed,
      sum(canceled) AS canceled, sum(gone) AS gone FROM ${records(deltas).as(columns)} GROUP BY push_task_kid) d
    WHERE p.kid = d.push_task_kid
  `.execute(trx)
  await settlePhases(trx, kids, changes[0]!.row.state_at)
  if (of_steps.length > 0)
    await sql`
      UPDATE push_task_step p SET completed = p.completed + r.completed, failed = p.failed + r.failed,
        canceled = p.canceled + r.canceled, gone = p.gone + r.gone
      FROM ${records(of_steps).as(columns)} WHERE p.push_task_kid = r.push_task_kid AND p.step = r.step
    `.execute(trx)
}

/**
 * Ends tasks of which no device has anything left to do, and takes up again those of which one has. Their rows are locked
 * by the caller.
 */
export async function settlePhases(trx: Kysely<Tables>, kids: readonly string[], now: Date): Promise<void> {
  const is_over = sql`completed + failed + canceled >= total`
  const { rows } = await sql<Pick<Selectable<Tables['push_task']>, 'kid' | 'type' | 'phase'>>`
    UPDATE push_task SET ended_at = ${now}, phase_at = CASE WHEN phase = 'canceled' THEN phase_at ELSE ${now}::timestamptz END,
      phase = CASE WHEN phase = 'canceled' THEN phase ELSE 'ended' END
    WHERE kid = ANY(${[...kids]}::uuid[]) AND ended_at IS NULL AND ${is_over}
      AND (phase = 'canceled' OR phase = ANY(${phasesFor('end')}::text[]) AND (late_filter IS NULL OR open_until <= ${now}))
    RETURNING kid, type, phase
  `.execute(trx)
  await sql`
    UPDATE push_task SET ended_at = NULL, phase_at = ${now}, phase = 'running'
    WHERE kid = ANY(${[...kids]}::uuid[]) AND ended_at IS NOT NULL AND phase = ANY(${phasesFor('retry')}::text[])
      AND NOT ${is_over}
  `.execute(trx)
  await redactEnded(trx, kids)
  const ended = groupBy(
    rows.filter(({ phase }) => phase === 'ended'),
    ({ type }) => type,
  )
  for (const [type, mine] of ended)
    await kindOf(type).ended?.(
      trx,
      mine.map(({ kid }) => kid),
      now,
    )
}

/** What kinds redact goes once no device has to be told any more. Rows of `push_task` are locked by the caller. */
async function redactEnded(trx: Kysely<Tables>, push_task_kids: readonly string[]): Promise<void> {
  for (const { type, key, redacted } of redacting)
    await trx
      .updateTable('push_task')
      .set({ payload: JSON.stringify(redacted) })
      .where('kid', 'in', push_task_kids)
      .where('type', '=', type)
      .where(sql<boolean>`payload ? ${key}::text`)
      .where((eb) => eb.or([eb('ended_at', 'is not', null), eb('phase', '=', 'rejected')]))
      .execute()
}

/** Tells the browsers; after the commit. */
export function publishMoves(deps: Deps, { changes }: Moves): void {
  for (const { row, from } of changes.values()) {
    const { push_task_kid, terminal_kid, state, progress, attempt, account_kid } = row
    publishCoalesced(deps, `task ${push_task_kid} ${terminal_kid}`, account_kid, {
      type: 'push_task_terminal',
      push_task_kid,
      terminal_kid,
      state,
      progress,
      attempt,
    })
    if (bucketOf(from) !== bucketOf(state))
      publishCoalesced(deps, `task ${push_task_kid}`, account_kid, { type: 'push_task', kid: push_task_kid })
  }
}

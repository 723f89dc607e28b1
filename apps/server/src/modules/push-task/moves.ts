import { deadlineSeconds, isFinal, nextPushTaskState, processEventOf } from '@mdm/contract'
import type { PushTaskEvent, PushTaskState } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { newKid } from '../../lib/ids.ts'
import { publishCoalesced } from '../../link/coalesce.ts'
import { forgetful } from './kinds/kinds.ts'
import type { TaskRow } from './rows.ts'

export type MoveFields = {
  progress?: number | undefined
  code?: string | undefined
  message?: string | undefined
  result_object?: string | undefined
  result_text?: string | undefined
  by_name?: string | undefined
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
  touch(moves, row)
  const is_retry = event === 'retry'
  row.state = to
  row.state_at = at
  if (is_retry) row.attempt += 1
  row.progress = fields.progress ?? (is_retry ? 0 : to === 'completed' ? 100 : row.progress)
  row.code = fields.code ?? null
  row.message = fields.message ?? null
  row.result_object = fields.result_object ?? null
  row.result_text = fields.result_text ?? null
  if (isFinal(to)) row.deadline_at = null
  // Who was told to stop gets no more time by taking another step.
  else if (!row.is_overdue) row.deadline_at = new Date(at.getTime() + secondsIn(to) * 1000)
  if (isFinal(to) || is_retry) Object.assign(row, { cancel_asked_at: null, is_overdue: false })
  if (is_retry) row.sent_at = null
  // Something is owed to the device before it has the task, and again while it was asked to cancel.
  row.send_at = is_retry ? at : row.cancel_asked_at && !isFinal(to) ? row.send_at : null
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
export function note(moves: Moves, row: TaskRow): void {
  if (!moves.changes.has(row)) moves.changes.set(row, { row, from: row.state, from_attempt: row.attempt })
}

/** The same, and counts its version up. */
export function touch(moves: Moves, row: TaskRow, expected_version = 0): void {
  note(moves, row)
  row.version = Math.max(row.version, expected_version) + 1
}

const secondsIn = (state: PushTaskState): number => (deadlineSeconds as Partial<Record<PushTaskState, number>>)[state]!

const bucketOf = (state: PushTaskState) =>
  state === 'wait_receipt' || state === 'completed' || state === 'failed' || state === 'canceled' ? state : 'running'

/** States, process events and the counts of the tasks, all in the caller's transaction. */
export async function writeMoves(trx: Kysely<Tables>, { changes, activities }: Moves): Promise<void> {
  if (changes.size === 0) return
  const rows = [...changes.values()].map(({ row, from, from_attempt }) => ({ ...row, from_state: from, from_attempt }))
  const { numAffectedRows } = await sql`
    UPDATE push_task_terminal p SET state = r.state, state_at = r.state_at, attempt = r.attempt, version = r.version,
      progress = r.progress, cancel_asked_at = r.cancel_asked_at, code = r.code, message = r.message,
      result_object = r.result_object, result_text = r.result_text, deadline_at = r.deadline_at, send_at = r.send_at,
      sent_at = r.sent_at, is_overdue = r.is_overdue
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(push_task_kid uuid, terminal_kid uuid, state text,
      state_at timestamptz, attempt integer, version integer, progress real, cancel_asked_at timestamptz, code text,
      message text, result_object text, result_text text, deadline_at timestamptz, send_at timestamptz, sent_at timestamptz,
      is_overdue boolean, from_state text, from_attempt integer)
    WHERE p.push_task_kid = r.push_task_kid AND p.terminal_kid = r.terminal_kid
      AND p.state = r.from_state AND p.attempt = r.from_attempt
  `.execute(trx)
  if (Number(numAffectedRows) !== rows.length) throw new Error('rows of a push task moved although they were locked')
  await writeActivities(trx, activities)
  await writeCounts(trx, [...changes.values()])
}

export async function writeActivities(trx: Kysely<Tables>, activities: Activity[]): Promise<void> {
  if (activities.length === 0) return
  await sql`
    INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, code, message, by_name)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(activities)}::jsonb) AS r(kid uuid, account_kid uuid,
      push_task_kid uuid, terminal_kid uuid, attempt integer, event text, at timestamptz, code text, message text, by_name text)
  `.execute(trx)
}

async function writeCounts(trx: Kysely<Tables>, changes: Change[]): Promise<void> {
  const deltas = new Map<string, Record<string, number>>()
  for (const { row, from } of changes) {
    const [before, after] = [bucketOf(from), bucketOf(row.state)]
    if (before === after) continue
    const delta = deltas.get(row.push_task_kid) ?? {}
    deltas.set(row.push_task_kid, delta)
    delta[before] = (delta[before] ?? 0) - 1
    delta[after] = (delta[after] ?? 0) + 1
  }
  if (deltas.size === 0) return
  const kids = [...deltas.keys()]
  // In the order of their ids, whatever order the plan of the UPDATE takes.
  await sql`SELECT kid FROM push_task WHERE kid = ANY(${kids}::uuid[]) ORDER BY kid FOR NO KEY UPDATE`.execute(trx)
  const rows = [...deltas].map(([kid, delta]) => ({ kid, ...delta }))
  await sql`
    UPDATE push_task p SET wait_receipt = p.wait_receipt + COALESCE(r.wait_receipt, 0),
      completed = p.completed + COALESCE(r.completed, 0), failed = p.failed + COALESCE(r.failed, 0),
      canceled = p.canceled + COALESCE(r.canceled, 0)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS r(kid uuid, wait_receipt integer, completed integer, failed integer, canceled integer)
    WHERE p.kid = r.kid
  `.execute(trx)
  await forgetEnded(trx, kids)
}

/** What kinds forget goes once no device has to be told any more. Rows of `push_task` are locked by the caller. */
async function forgetEnded(trx: Kysely<Tables>, push_task_kids: readonly string[]): Promise<void> {
  for (const { type, keys, stays } of forgetful)
    await trx
      .updateTable('push_task')
      .set({ payload: JSON.stringify(stays) })
      .where('kid', 'in', push_task_kids)
      .where('type', '=', type)
      .where(sql<boolean>`payload ?| ${[...keys]}::text[]`)
      .where((eb) => eb('total', '<=', eb('completed', '+', eb('failed', '+', eb.ref('canceled')))))
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

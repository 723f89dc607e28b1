import { isFinal, pushKindOf, pushTaskStates } from '@mdm/contract'
import type { PushTaskState } from '@mdm/contract'
import type { Waits } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'

export const openStates: PushTaskState[] = pushTaskStates.filter((state) => !isFinal(state))
export const finalStates: PushTaskState[] = pushTaskStates.filter(isFinal)

/** The place of a row `p` among those of its push, as the index has it: failed, running, waiting, done, canceled. */
export const stateOrder = sql<number>`(CASE p.state WHEN 'failed' THEN 0 WHEN 'wait_receipt' THEN 2 WHEN 'completed' THEN 3
  WHEN 'canceled' THEN 4 ELSE 1 END)`
/** Of rows `p`: those that failed, in the words of the index. */
export const isFailed = sql<boolean>`${stateOrder} = 0`

/** Why the device of a row `p` failed. */
export const failureCode = sql<string>`COALESCE(p.code, 'unknown')`
/** Of rows `p`: those that failed for this reason; all of them where none is given. */
export const failedFor = (code: string | undefined) =>
  code === undefined ? sql<boolean>`true` : sql<boolean>`(${isFailed} AND ${failureCode} = ${code})`

/** One device's part of a task, locked. */
export type TaskRow = {
  push_task_kid: string
  terminal_kid: string
  account_kid: string
  type: Tables['push_task']['type']
  state: PushTaskState
  attempt: number
  version: number
  progress: number
  cancel_asked_at: Date | null
  code: string | null
  message: string | null
  result_object: string | null
  result_text: string | null
  state_at: Date
  deadline_at: Date | null
  send_at: Date | null
  sent_at: Date | null
  is_overdue: boolean
  step: number | null
  open_until: Date | null
  waits: Waits | null
}
/** Whether the device may have this attempt as a task of its own: then only its answer says how that ends. */
export const mayBeThere = ({ type, state, sent_at }: TaskRow): boolean =>
  !pushKindOf(type).is_internal_only && (state !== 'wait_receipt' || sent_at !== null)

const columns = sql.raw(
  `push_task_kid terminal_kid account_kid type state attempt version progress cancel_asked_at code message
  result_object result_text state_at deadline_at send_at sent_at is_overdue
  step open_until waits`
    .split(/\s+/)
    .map((name) => `p.${name}`)
    .join(', '),
)

/** Locks rows of push_task_terminal (as `p`) in the order of their key: two that lock the same rows never cross. */
export async function lockRows(
  trx: Kysely<Tables>,
  where: RawBuilder<unknown>,
  limit: number | null = null,
): Promise<TaskRow[]> {
  const { rows } = await sql<TaskRow>`
    SELECT ${columns} FROM push_task_terminal p WHERE ${where}
    ORDER BY p.push_task_kid, p.terminal_kid LIMIT ${limit}::integer FOR UPDATE
  `.execute(trx)
  return rows
}

/** Rows that are past their deadline and nobody else is working on, at most `limit`. */
export async function lockOverdue(
  trx: Kysely<Tables>,
  now: Date,
  limit: number,
): Promise<(TaskRow & { is_online: boolean })[]> {
  const { rows } = await sql<TaskRow & { is_online: boolean }>`
    SELECT ${columns}, EXISTS (SELECT FROM terminal_state s WHERE s.terminal_kid = p.terminal_kid AND s.is_online) AS is_online
    FROM push_task_terminal p WHERE p.deadline_at <= ${now}
    ORDER BY p.deadline_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  `.execute(trx)
  return rows
}

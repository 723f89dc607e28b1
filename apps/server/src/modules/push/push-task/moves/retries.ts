import { nextPushPhase, pushKindOf } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import type { PushRetry } from '../../../../db/schema/tables-push.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { isRevoked, visibleGroupsNow, stillVisible } from '../../../../http/visible-groups-now.ts'
import { kindOf } from '../kinds/kinds.ts'
import { move, newMoves, writeMoves } from './moves.ts'
import type { Moves } from './moves.ts'
import { failedFor, finalStates, lockRows } from '../rows.ts'

type Trx = Kysely<Tables>
type Task = Selectable<Tables['push_task']>
/** The devices of a push that somebody means: all, one, or those that failed for one reason. */
export type Selection = { push_task_kid: string; terminal_kid?: string | undefined; code?: string | undefined }
type Piece = { moves: Moves; wake: string[] }

/** Rows of one transaction: none may hold the database for long. */
const piece = 2_000

/** What is tried again: devices that failed or were canceled. */
const retryableStates = finalStates.filter((state) => state !== 'completed')

/**
 * A canceled push of which some devices have not answered yet goes on where it is tried again. What of it may be sent is
 * settled anew: nothing of a paused one, and of a rollout nothing of a step that has not begun.
 */
export async function takeUp(trx: Trx, push_task_kid: string, now: Date): Promise<void> {
  await trx
    .updateTable('push_task')
    .set({ phase: nextPushPhase('canceled', 'retry')!, phase_at: now })
    .where('kid', '=', push_task_kid)
    .where('phase', '=', 'canceled')
    .where('rows_in_sync', '=', true)
    .execute()
  await trx
    .updateTable('push_task')
    .set({ rows_in_sync: false })
    .where('kid', '=', push_task_kid)
    .where('phase', '<>', 'canceled')
    .where((eb) => eb.or([eb('phase', '=', 'paused'), eb('rollout', 'is not', null)]))
    .execute()
}

/** Notes a retry that is worked off in the background, from `at` on. @throws `task_running` when one waits already */
export async function keepRetry(
  trx: Trx,
  { user, visible_groups, token_kid }: Actor,
  { push_task_kid, terminal_kid, code }: Selection,
  { asked_at, at, devices }: { asked_at: Date; at: Date; devices: number },
): Promise<void> {
  const retry: PushRetry = {
    asked_at: asked_at.toISOString(),
    by_kid: user.kid,
    by_name: user.name,
    by_token_kid: token_kid,
    visible_groups: visible_groups ? [...visible_groups] : null,
    terminal_kid: terminal_kid ?? null,
    code,
    devices,
    left: devices,
    after: null,
  }
  const { numUpdatedRows } = await trx
    .updateTable('push_task')
    .set({ retry: JSON.stringify(retry), retry_at: at })
    .where('kid', '=', push_task_kid)
    .where('retry_at', 'is', null)
    // What is being stopped would be taken up again and stopped again.
    .where((eb) => eb.or([eb('phase', '<>', 'canceled'), eb('rows_in_sync', '=', true)]))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) refuse('task_running')
}

/** Drops a retry that has not ended; false when there is none, or none that the actor may stop. */
export async function dropRetry(trx: Trx, { account_kid, visible_groups, user }: Actor, kid: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('push_task')
    .set({ retry: null, retry_at: null })
    .where('kid', '=', kid)
    .where('account_kid', '=', account_kid)
    .where(sql<boolean>`retry_at IS NOT NULL AND (${visible_groups === undefined} OR retry->>'by_kid' = ${user.kid})`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Pushes of which a retry is due. A paused one sends nothing, what is tried again included. */
export const dueRetry = (now: Date) => sql`retry_at <= ${now} AND phase <> 'paused' ORDER BY retry_at`

/**
 * The next devices of a retry, of a push that is locked. In the name of somebody who may no longer push this, or of what
 * cannot be done any more, it ends.
 */
export async function retryPiece(trx: Trx, deps: Deps, task: Task, now: Date): Promise<Piece> {
  const retry = task.retry!
  const keep = (next: PushRetry | null) =>
    trx
      .updateTable('push_task')
      .set(next ? { retry: JSON.stringify(next) } : { retry: null, retry_at: null })
      .where('kid', '=', task.kid)
      .execute()
  const moves = newMoves()
  const today = await allowedToday(trx, deps, task, now)
  if (!today) {
    await keep(null)
    return { moves, wake: [] }
  }
  const rows = await lockRows(
    trx,
    sql`p.push_task_kid = ${task.kid} AND p.state = ANY(${retryableStates}::text[])
      AND p.state_at <= ${retry.asked_at}::timestamptz AND ${failedFor(retry.code)}
      AND (${retry.after}::uuid IS NULL OR p.terminal_kid > ${retry.after}::uuid)
      AND (${retry.terminal_kid}::uuid IS NULL OR p.terminal_kid = ${retry.terminal_kid}::uuid)
      AND EXISTS (SELECT FROM terminal t WHERE t.kid = p.terminal_kid AND t.account_kid = p.account_kid
        ${today.visible_groups ? sql`AND t.terminal_group_kid = ANY(${[...today.visible_groups]}::uuid[])` : sql``})`,
    piece,
  )
  for (const row of rows) move(moves, row, 'retry', now, { by_name: retry.by_name })
  await writeMoves(trx, moves)
  if (moves.changes.size > 0) await takeUp(trx, task.kid, now)
  const is_last = rows.length < piece
  const left = Math.max(0, retry.left - rows.length)
  await keep(is_last ? null : { ...retry, left, after: rows.at(-1)!.terminal_kid })
  return { moves, wake: rows.map(({ terminal_kid }) => terminal_kid) }
}

async function allowedToday(trx: Trx, deps: Deps, { kid, account_kid, type, retry, payload }: Task, now: Date) {
  const { by_kid, by_token_kid, visible_groups } = retry!
  const by = { account_kid, user_kid: by_kid, token_kid: by_token_kid }
  const today = await visibleGroupsNow(trx, by, pushKindOf(type).needs, now)
  if (isRevoked(today)) return undefined
  try {
    await kindOf(type).assertRetry?.(payload, { trx, account_kid })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    deps.log.warn({ push_task_kid: kid, type, refusal: error.refusal }, 'a retry ended: it cannot be done any more')
    return undefined
  }
  return { visible_groups: stillVisible(visible_groups ?? undefined, today) }
}

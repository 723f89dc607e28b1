import { pushKindOf } from '@mdm/contract'
import type { Contract, In, PushTaskType } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { ActorWith } from '../../../../http/context.ts'
import { wake } from '../../../../lib/background.ts'
import { refuse } from '../../../../refusal.ts'
import { brake } from '../../../people/brakes/index.ts'
import { kindOf } from '../kinds/kinds.ts'
import { cancelMove, move, newMoves, publishMoves, writeMoves } from './moves.ts'
import type { Moves } from './moves.ts'
import { failedFor, finalStates, lockRows, openStates } from '../rows.ts'
import type { TaskRow } from '../rows.ts'
import { cancelPhase, controllable } from './phases.ts'
import { pushes, tellMoves } from '../background/phase-worker.ts'
import { dropRetry, keepRetry, takeUp } from './retries.ts'
import type { Selection } from './retries.ts'

type Calls = Contract['pushTask']['calls']

/** Rows of one transaction, so that a task for a whole fleet never holds the database for long. */
const chunk = 1_000
/** So many are canceled while the caller waits for the answer; the rest of a push is stopped in the background. */
const at_once = 20_000
/** So many are tried again while the caller waits; more, in the background. */
const retried_at_once = 2_000

/** At once while nothing of it was ever sent; afterwards the device is asked, and its answer decides. */
export async function cancel(actor: Actor, input: In<Calls['cancel']>) {
  const { push_task_kid } = input
  // What another call made is its to take back.
  if (await isMadeElsewhere(actor, push_task_kid)) refuse('task_not_cancelable')
  return cancelAll(actor, input)
}

async function isMadeElsewhere({ deps, account_kid }: Actor, kid: string): Promise<boolean> {
  const task = await deps.db
    .selectFrom('push_task')
    .select('type')
    .where('kid', '=', kid)
    .where('account_kid', '=', account_kid)
    .executeTakeFirst()
  return task !== undefined && pushKindOf(task.type).is_internal_only === true
}

/** Cancels a push of any kind, also one that only another call may cancel. */
export async function cancelAll(actor: Actor, input: In<Calls['cancel']>) {
  const { push_task_kid, terminal_kid } = input
  // What has not begun has no device yet.
  const is_stopped = terminal_kid === undefined && (await cancelPhase(actor, push_task_kid))
  if (!is_stopped && !(await findType(actor, input))) refuse('not_found')
  // Of what has ended, a retry that has not begun is all there is to stop.
  const is_dropped = !is_stopped && terminal_kid === undefined && (await dropRetry(actor.deps.db, actor, push_task_kid))
  const by_name = actor.user.name || undefined
  const changed = await inChunks(actor, input, openStates, (moves, row, now) => cancelMove(moves, row, now, by_name), {
    // No step is judged any more. The background is woken when this has had its turn.
    ...(is_stopped && { most: at_once, tell: publishMoves }),
  })
  if (!is_stopped && !is_dropped && changed.length === 0) refuse('task_not_cancelable')
  if (is_dropped) actor.deps.live.publish(actor.account_kid, { type: 'push_task', kid: push_task_kid })
  if (!is_stopped) {
    const canceled = changed.filter(({ state }) => state === 'canceled').length
    return { canceled, asked: changed.length - canceled, rest: 0 }
  }
  const done = await stoppedCounts(actor, input)
  if (done.rest > 0) wake(actor.deps, pushes)
  else await noteStopped(actor, push_task_kid)
  actor.deps.live.publish(actor.account_kid, { type: 'push_task', kid: push_task_kid })
  return done
}

/** Nothing is left for the background: it can be tried again at once. */
async function noteStopped({ deps }: Actor, kid: string): Promise<void> {
  await deps.db
    .updateTable('push_task')
    .set({ rows_in_sync: true })
    .where('kid', '=', kid)
    .where('phase', '=', 'canceled')
    .execute()
}

/**
 * What has become of the devices of a push that was stopped: canceled by that, asked to cancel, and still to be told. Counted
 * in the rows, as the background may have taken some of them before this call could.
 */
async function stoppedCounts({ deps }: Actor, { push_task_kid }: Selection) {
  const { rows } = await sql<{ canceled: number; asked: number; rest: number }>`
    SELECT (count(*) FILTER (WHERE p.state = 'canceled' AND p.state_at >= t.phase_at))::integer AS canceled,
      (count(*) FILTER (WHERE p.state = ANY(${openStates}::text[]) AND p.cancel_asked_at IS NOT NULL))::integer AS asked,
      (count(*) FILTER (WHERE p.state = ANY(${openStates}::text[]) AND p.cancel_asked_at IS NULL))::integer AS rest
    FROM push_task t JOIN push_task_terminal p ON p.push_task_kid = t.kid WHERE t.kid = ${push_task_kid}
  `.execute(deps.db)
  return rows[0]!
}

/**
 * A new attempt for what failed or was canceled, on devices that are still there. It does to them what the push did, and
 * so asks for the same permission, and waits for as long where that waited. What waits, and very many, follow in the
 * background.
 */
export async function retry(actor: ActorWith<'may'>, input: In<Calls['retry']>) {
  const { deps } = actor
  const type =
    (await findType(actor, input)) ?? refuse((await isStoppedUnbegun(actor, input)) ? 'task_never_began' : 'not_found')
  if (!actor.may(pushKindOf(type).needs)) refuse('no_permission')
  const devices = await retryable(actor, input)
  // No second person is asked: what was approved, or did not have to be, is tried again.
  const { start_at: at } = await brake(actor, { act: type, devices })
  const { assertRetry } = kindOf(type)
  // It would be taken up again and stopped again; or is at it.
  if (await isRetryBusy(actor, input)) refuse('task_running')
  if (devices > 0 && (at || devices > retried_at_once)) {
    await deps.db.transaction().execute(async (trx) => {
      await brake(actor, { act: type, devices, is_again: true }, trx)
      await assertRetry?.(await lockPayload(trx, input), { trx, account_kid: actor.account_kid })
      const asked_at = deps.clock.now()
      await keepRetry(trx, actor, input, { asked_at, at: at ?? asked_at, devices })
    })
    deps.live.publish(actor.account_kid, { type: 'push_task', kid: input.push_task_kid })
    wake(deps, pushes)
    if (at) deps.clock.after(at.getTime() - deps.clock.now().getTime() + 20, () => wake(deps, pushes))
    return { retried: 0, rest: devices, begins_at: at?.toISOString() ?? null }
  }
  const again = (moves: Moves, row: TaskRow, now: Date) =>
    void move(moves, row, 'retry', now, { by_name: actor.user.name })
  const check = async (trx: Kysely<Tables>, rows: readonly TaskRow[]) => {
    await assertRetry?.(await lockPayload(trx, input), { trx, account_kid: actor.account_kid })
    const hit = rows.filter(({ state }) => state !== 'completed').length
    // Once more, with the account locked until they are stored: somebody else may retry or push at this moment.
    await brake(actor, { act: type, devices: hit, is_again: true }, trx)
  }
  const also = (trx: Kysely<Tables>) => takeUp(trx, input.push_task_kid, deps.clock.now())
  const retried = await inChunks(actor, input, finalStates, again, { check, also })
  if (retried.length > 0) {
    wake(deps, pushes)
    return { retried: retried.length, rest: 0, begins_at: null }
  }
  return refuse((await isOpen(actor, input)) ? 'task_running' : 'task_not_retryable')
}

/** Whether a push is being stopped, or a retry of it waits or is being worked off. */
async function isRetryBusy({ deps }: Actor, { push_task_kid }: Selection): Promise<boolean> {
  const task = await deps.db
    .selectFrom('push_task')
    .select(['phase', 'rows_in_sync', 'retry'])
    .where('kid', '=', push_task_kid)
    .executeTakeFirstOrThrow()
  return task.retry !== null || (task.phase === 'canceled' && !task.rows_in_sync)
}

/** How many devices would be hit once more. */
async function retryable(actor: Actor, selection: Selection): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    SELECT count(*)::integer AS devices FROM push_task_terminal p
    WHERE ${selected(actor, selection)} AND p.state = ANY(${finalStates}::text[]) AND p.state <> 'completed'
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

async function inChunks(
  actor: Actor,
  selection: Selection,
  states: string[],
  change: (moves: Moves, row: TaskRow, now: Date) => void,
  {
    check,
    also,
    tell = tellMoves,
    most = Infinity,
  }: {
    check?: (trx: Kysely<Tables>, rows: readonly TaskRow[]) => Promise<void>
    /** With what has changed. */
    also?: (trx: Kysely<Tables>) => Promise<void>
    tell?: typeof tellMoves
    most?: number
  } = {},
): Promise<TaskRow[]> {
  const { deps } = actor
  const changed: TaskRow[] = []
  let after: string | null = null
  for (;;) {
    const { rows, moves }: { rows: TaskRow[]; moves: Moves } = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const rows = await lockRows(
          trx,
          sql`${selected(actor, selection)} AND p.state = ANY(${states}::text[])
            AND (${after}::uuid IS NULL OR p.terminal_kid > ${after}::uuid)
            AND EXISTS (SELECT FROM terminal t WHERE t.kid = p.terminal_kid AND t.account_kid = p.account_kid)`,
          chunk,
        )
        if (rows.length > 0) await check?.(trx, rows)
        const moves = newMoves()
        const now = deps.clock.now()
        for (const row of rows) change(moves, row, now)
        await writeMoves(trx, moves)
        if (moves.changes.size > 0) await also?.(trx)
        return { rows, moves }
      }),
    )
    tell(deps, moves)
    changed.push(...moves.changes.keys())
    deps.link.wake(rows.map((row) => row.terminal_kid))
    if (rows.length < chunk || changed.length >= most) return changed
    after = rows.at(-1)!.terminal_kid
  }
}

/** Rows of push_task_terminal `p` that this actor may act on: of the account, and of the user's groups where limited. */
const selected = ({ account_kid, visible_groups }: Actor, { push_task_kid, terminal_kid, code }: Selection) => sql`
  p.account_kid = ${account_kid} AND p.push_task_kid = ${push_task_kid} AND ${failedFor(code)}
  AND (${terminal_kid ?? null}::uuid IS NULL OR p.terminal_kid = ${terminal_kid ?? null}::uuid)
  AND (${visible_groups ?? null}::uuid[] IS NULL OR EXISTS (
    SELECT FROM terminal g WHERE g.kid = p.terminal_kid AND g.terminal_group_kid = ANY(${visible_groups ?? null}::uuid[])))`

/** Whether it was canceled or rejected before any device had a part in it, of what the actor may control as a whole. */
async function isStoppedUnbegun(actor: Actor, { push_task_kid }: Selection): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM push_task WHERE ${controllable(actor, push_task_kid)} AND phase IN ('canceled', 'rejected') AND total = 0
  `.execute(actor.deps.db)
  return rows.length > 0
}

async function findType(actor: Actor, selection: Selection): Promise<PushTaskType | undefined> {
  const { rows } = await sql<{ type: PushTaskType }>`
    SELECT p.type FROM push_task_terminal p WHERE ${selected(actor, { ...selection, code: undefined })} LIMIT 1
  `.execute(actor.deps.db)
  return rows[0]?.type
}

async function isOpen(actor: Actor, selection: Selection): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM push_task_terminal p WHERE ${selected(actor, selection)} AND p.state = ANY(${openStates}::text[]) LIMIT 1
  `.execute(actor.deps.db)
  return rows.length > 0
}

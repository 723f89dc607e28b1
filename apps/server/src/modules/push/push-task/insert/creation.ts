import { stepSizes } from '@mdm/contract'
import type { PushTarget, Rollout, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { creationAudit } from '../../../../actor.ts'
import type { Actor } from '../../../../actor.ts'
import type { Freezing, ListPlace } from '../../../../db/schema/tables-push.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { newKid } from '../../../../lib/ids.ts'
import { refuse } from '../../../../refusal.ts'
import { settlePhases } from '../moves/moves.ts'
import type { Stored } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { addToList, beginList, chunk, freezeLater, picked_order_key, pickFirst } from './device-list.ts'
import { insertDevices } from './devices.ts'

type Trx = Kysely<Tables>
type Task = Selectable<Tables['push_task']>

/** Rows of one transaction: none may hold the database for long. */
export const piece = 2_000

export type PushList = {
  kid: string
  /** Devices that get the push; while they are still being looked up, about so many. */
  total: number
  left_out: number
  /** How many were looked at; null of a whole list. */
  frozen_count: number | null
  /** What matches later too, of a list that was made of what matches. */
  later: TerminalFilter | null
  target: PushTarget | null
}
/** A list that no push has taken over, which gets no more devices until the transaction ends. @throws `push_preview_gone` */
export async function lockList(trx: Trx, kid: string): Promise<PushList> {
  const { rows } = await sql<Omit<PushList, 'frozen_count'> & { freezing: Freezing | null }>`
    SELECT kid, total, freezing, later, target,
      (SELECT count(*)::integer FROM push_list_terminal l WHERE l.push_list_kid = push_list.kid AND l.reason IS NOT NULL) AS left_out
    FROM push_list WHERE kid = ${kid} AND push_task_kid IS NULL FOR NO KEY UPDATE
  `.execute(trx)
  const { freezing, ...list } = rows[0] ?? refuse('push_preview_gone')
  return { ...list, total: freezing?.of ?? list.total, frozen_count: freezing?.done ?? null }
}

type NewPush = Pick<Insertable<Tables['push_task']>, 'type' | 'summary' | 'phase'> &
  Partial<
    Pick<
      Insertable<Tables['push_task']>,
      'description' | 'conditions' | 'visible_groups' | 'schedule_kid' | 'requirement_kid' | 'start_at' | 'open_until'
    >
  > & { payload: object; rollout?: Rollout | undefined }
/**
 * A push for the devices of a locked list, which is its own from then on. Its rows are made by `makeRows`, in the background once
 * `wakePushes` is called after the commit. @throws `bad_input` when a picked device is not on the list
 */
export async function insertTask(
  trx: Trx,
  actor: Pick<Actor, 'deps' | 'account_kid' | 'token_kid'> & { user: { kid: string; name: string } },
  { kid: list_kid, total, left_out, frozen_count, later, target }: PushList,
  { payload, rollout, ...rest }: NewPush,
): Promise<Task> {
  const now = actor.deps.clock.now()
  if (frozen_count === null) await pickFirst(trx, list_kid, rollout?.picked_kids)
  const task = await trx
    .insertInto('push_task')
    .values({
      description: '',
      ...rest,
      kid: newKid(),
      account_kid: actor.account_kid,
      payload: JSON.stringify(payload),
      ...creationAudit(actor),
      created_at: now,
      total: 0,
      wait_receipt: 0,
      target_count: total,
      left_out,
      frozen_count,
      phase_at: now,
      rollout: rollout ? JSON.stringify(rollout) : null,
      list_kid,
      target: target ? JSON.stringify(target) : null,
      later: rollout?.takes_later && later ? JSON.stringify(later) : null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await trx.updateTable('push_list').set({ push_task_kid: task.kid }).where('kid', '=', list_kid).execute()
  return task
}

export type FoundPush = Pick<NewPush, 'type' | 'payload' | 'summary' | 'rollout'> & {
  by: Parameters<typeof insertTask>[1]
  /** About so many devices. */
  about: number
  needs_approval: boolean
}
/**
 * A push of a kind that finds its devices by itself. The first piece of their list is made with it; the others, and its rows,
 * in the background once `wakePushes` is called after the commit.
 */
export async function insertFound(trx: Trx, { by, about, needs_approval, ...push }: FoundPush): Promise<Task> {
  const { type, payload } = push
  const list_kid = await beginList(trx, by, { type })
  const kids = await kindOf(type).devicesAfter!(trx, payload as Stored, undefined, chunk)
  await addToList(trx, by, list_kid, kids, { type })
  const is_whole = kids.length < chunk
  if (!is_whole)
    await freezeLater(trx, list_kid, {
      ...{ match: null, visible_groups: null, by_name: by.user.name, offline_days: null, needs_approval },
      ...{ after: kids.at(-1)!, done: kids.length, of: Math.max(about, kids.length + 1) },
    })
  const phase = is_whole && needs_approval ? 'awaiting_approval' : 'creating'
  return insertTask(trx, by, await lockList(trx, list_kid), { ...push, phase })
}

/** A push was stopped while a piece of it was made: the piece is not made. */
export class Stopped extends Error {}

/**
 * The next devices of its list become rows of a push that is being created, in the order of the list; the last of them begin it.
 * Those that have left meanwhile are left out, with that reason. How many were made, and the devices to which something is owed
 * from now on.
 */
export async function makeRows(trx: Trx, task: Task, now: Date): Promise<{ made: number; owed: string[] }> {
  const next = await nextOfList(trx, task)
  const sizes = task.rollout ? stepsOf(task) : []
  const stepOf = stepsFrom(sizes, task.total + task.left_out_gone)
  const devices = next.map(({ terminal_kid }, at) => ({ terminal_kid, step: task.rollout ? stepOf(at) : null }))
  const made = await insertDevices(trx, newDevices(task, now), devices)
  const gone = await markGone(trx, task, devices, made)
  const is_last = next.length < piece
  const { order_key, terminal_kid } = next.at(-1) ??
    (task.list_at as ListPlace | null) ?? { order_key: picked_order_key, terminal_kid: none }
  const { numUpdatedRows } = await trx
    .updateTable('push_task')
    .set((eb) => ({
      total: eb('total', '+', made.length),
      wait_receipt: eb('wait_receipt', '+', made.length),
      left_out: eb('left_out', '+', gone),
      left_out_gone: eb('left_out_gone', '+', gone),
      list_at: JSON.stringify({ order_key, terminal_kid }),
      ...(is_last && {
        phase: 'running' as const,
        phase_at: now,
        target_count: eb('total', '+', made.length),
        ...(task.rollout && { step: 1, rows_in_sync: false }),
      }),
    }))
    .where('kid', '=', task.kid)
    .where('phase', '=', 'creating')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Stopped()
  if (task.rollout) await countSteps(trx, task, sizes, devices, made, is_last ? now : undefined)
  // Of rows that have just been made none has ended.
  if (is_last && (task.total > 0 || made.length === 0)) await settlePhases(trx, [task.kid], now)
  return { made: made.length, owed: task.rollout ? [] : made }
}
const none = '00000000-0000-0000-0000-000000000000'

/** What the rows of a push have from it. */
export const newDevices = ({ kid, account_kid, type, created_by, open_until, visible_groups }: Task, now: Date) => ({
  push_task_kid: kid,
  account_kid,
  type,
  by_name: created_by,
  now,
  open_until,
  visible_groups,
})

async function nextOfList(trx: Trx, { list_kid, list_at }: Task): Promise<ListPlace[]> {
  const { rows } = await sql<ListPlace>`
    SELECT order_key, terminal_kid FROM push_list_terminal
    WHERE push_list_kid = ${list_kid}::uuid AND reason IS NULL
      AND (order_key, terminal_kid) > (${list_at?.order_key ?? picked_order_key}::integer, ${list_at?.terminal_kid ?? none}::uuid)
    ORDER BY order_key, terminal_kid LIMIT ${piece}
  `.execute(trx)
  return rows
}

async function markGone(
  trx: Trx,
  { list_kid }: Task,
  devices: readonly { terminal_kid: string }[],
  made: readonly string[],
): Promise<number> {
  const there = new Set(made)
  const gone = devices.map(({ terminal_kid }) => terminal_kid).filter((kid) => !there.has(kid))
  if (gone.length > 0)
    await sql`UPDATE push_list_terminal SET reason = 'gone'
      WHERE push_list_kid = ${list_kid}::uuid AND terminal_kid = ANY(${gone}::uuid[])`.execute(trx)
  return gone.length
}

/** How many devices each step has, of those that the list had when the making of rows began. */
function stepsOf({ target_count, rollout }: Task): number[] {
  const { picked_kids, steps } = rollout as Rollout
  return stepSizes(target_count, { steps }, picked_kids?.length)
}

/** The step, from 1 on, of the device at a place after the first `before` ones. */
function stepsFrom(sizes: readonly number[], before: number): (at: number) => number {
  const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0))
  return (at) => {
    const found = ends.findIndex((end) => before + at < end)
    return found < 0 ? Math.max(1, sizes.length) : found + 1
  }
}

/** Notes how many rows each step has got; with the last rows the first step is open. */
async function countSteps(
  trx: Trx,
  { kid, account_kid }: Task,
  sizes: readonly number[],
  devices: readonly { terminal_kid: string; step: number | null }[],
  made: readonly string[],
  finished_at: Date | undefined,
): Promise<void> {
  const there = new Set(made)
  const counts = new Map(sizes.map((_, at) => [at + 1, 0]))
  for (const { terminal_kid, step } of devices)
    if (step !== null && there.has(terminal_kid)) counts.set(step, (counts.get(step) ?? 0) + 1)
  const rows = [...counts].map(([step, total]) => ({ push_task_kid: kid, account_kid, step, total, opened_at: null }))
  await trx
    .insertInto('push_task_step')
    .values(rows)
    .onConflict((oc) =>
      oc.columns(['push_task_kid', 'step']).doUpdateSet({ total: sql`push_task_step.total + excluded.total` }),
    )
    .execute()
  if (finished_at)
    await trx
      .updateTable('push_task_step')
      .set({ opened_at: finished_at })
      .where('push_task_kid', '=', kid)
      .where('step', '=', 1)
      .execute()
}

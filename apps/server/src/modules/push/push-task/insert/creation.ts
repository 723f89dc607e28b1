import { deadlineSeconds, stepSizes } from '@mdm/contract'
import type { PushTarget, Rollout, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { creationAudit } from '../../../../actor.ts'
import type { Actor } from '../../../../actor.ts'
import { records } from '../../../../db/records.ts'
import type { Freezing, ListPlace } from '../../../../db/schema/tables-push.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { newKid } from '../../../../lib/ids.ts'
import { refuse } from '../../../../refusal.ts'
import { brake } from '../../../people/brakes/index.ts'
import { settlePhases } from '../moves/moves.ts'
import type { Stored } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import {
  addPiece,
  before_all,
  beginList,
  chunk,
  countList,
  installedVersions,
  left_out_of_list,
  picked_order_key,
  pickFirst,
} from './device-list.ts'
import type { ListOwner } from './device-list.ts'

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
  late_filter: TerminalFilter | null
  target: PushTarget | null
}
/** A list that no push has taken over, which gets no more devices until the transaction ends. @throws `push_preview_gone` */
export async function lockList(trx: Trx, kid: string): Promise<PushList> {
  const { rows } = await sql<Omit<PushList, 'frozen_count'> & { freezing: Freezing | null }>`
    SELECT kid, total, freezing, late_filter, target, ${left_out_of_list} AS left_out FROM push_list
    WHERE kid = ${kid} AND push_task_kid IS NULL FOR NO KEY UPDATE
  `.execute(trx)
  const { freezing, ...list } = rows[0] ?? refuse('push_preview_gone')
  return { ...list, total: freezing?.of ?? list.total, frozen_count: freezing?.done ?? null }
}

type NewPush = Pick<Insertable<Tables['push_task']>, 'type' | 'summary'> &
  Partial<
    Pick<
      Insertable<Tables['push_task']>,
      'description' | 'conditions' | 'visible_groups' | 'schedule_kid' | 'requirement_kid' | 'start_at' | 'open_until'
    >
  > & { payload: object; rollout?: Rollout | undefined }
type TaskOwner = ListOwner & Pick<Actor, 'token_kid'>
/** The columns of a push for the devices of a list, of whoever makes it or changes it before it begins. */
const undecided = (
  actor: TaskOwner,
  { kid: list_kid, total, frozen_count, late_filter, target }: PushList,
  { payload, rollout, ...rest }: NewPush,
  now: Date,
) => ({
  description: '',
  ...rest,
  payload: JSON.stringify(payload),
  ...creationAudit(actor),
  phase: 'creating' as const,
  phase_at: now,
  // Until it is decided those of a whole list do not count yet, as the brakes count them.
  target_count: frozen_count === null ? 0 : total,
  frozen_count,
  rollout: rollout ? JSON.stringify(rollout) : null,
  list_kid,
  target: target ? JSON.stringify(target) : null,
  late_filter: rollout?.takes_later && late_filter ? JSON.stringify(late_filter) : null,
})

const takeList = (trx: Trx, kid: string, push_task_kid: string) =>
  trx.updateTable('push_list').set({ push_task_kid }).where('kid', '=', kid).execute()

/**
 * A push for the devices of a locked list, which is its own from then on. What becomes of it is for `decide` to say, at once where
 * its list is whole, otherwise in the background once `wakePushes` is called after the commit.
 */
export async function insertTask(trx: Trx, actor: TaskOwner, list: PushList, push: NewPush): Promise<Task> {
  const now = actor.deps.clock.now()
  const { account_kid } = actor
  const of_device = { total: 0, wait_receipt: 0 }
  const task = await trx
    .insertInto('push_task')
    .values({ ...undecided(actor, list, push, now), ...of_device, kid: newKid(), account_kid, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  await takeList(trx, list.kid, task.kid)
  return task
}

/** What a change before its beginning leaves in a push. `decided_at` tells `decide` that somebody has approved it, or should. */
export const changeAudit = ({ version, phase, decided_at }: Task, now: Date) => ({
  changed_at: now,
  version: version + 1,
  decided_at: phase === 'awaiting_approval' ? now : decided_at,
})

/**
 * Another content, other devices and other times for a locked push that has not begun: from then on it is that of whoever changed
 * it. The list that it had is a preview that nobody takes over.
 */
export async function replaceTask(
  trx: Trx,
  actor: TaskOwner,
  before: Task,
  list: PushList,
  push: NewPush,
): Promise<Task> {
  const { kid } = before
  const now = actor.deps.clock.now()
  await trx.updateTable('push_list').set({ push_task_kid: null }).where('push_task_kid', '=', kid).execute()
  const task = await trx
    .updateTable('push_task')
    .set({ ...undecided(actor, list, push, now), ...changeAudit(before, now) })
    .where('kid', '=', kid)
    .returningAll()
    .executeTakeFirstOrThrow()
  await takeList(trx, list.kid, kid)
  return task
}

/**
 * Whether a push whose list is whole waits for a second person or for its time, or begins. One that had been approved, or waited
 * for that, before it was changed waits for an approval of the change. `asked`: in whose name the brakes are
 * asked, or whether it waits for a second person, where that was decided before. @throws `task_create_failed` of a list of nobody,
 * `task_no_device` where all are left out, `bad_input` when a picked device is not on the list, and what the brakes refuse
 */
export async function decide(
  trx: Trx,
  { kid, type, list_kid, rollout, start_at: asked_start, decided_at }: Task,
  asked: Actor | boolean,
  now: Date,
  counts?: Pick<PushList, 'total' | 'left_out'>,
): Promise<Task> {
  const { total, left_out } = counts ?? (await countList(trx, list_kid!))
  if (total === 0 && !kindOf(type).devicesAfter) refuse(left_out > 0 ? 'task_no_device' : 'task_create_failed')
  // Those that it takes in later are hit without anybody being asked again.
  const hit = { act: type, devices: total, is_lasting: rollout?.takes_later }
  const { needs_approval, start_at: begins_at } =
    typeof asked === 'boolean' ? { needs_approval: asked } : await brake(asked, hit, trx)
  await pickFirst(trx, list_kid!, rollout?.picked_kids)
  // What begins late waits as what is planned does.
  const start_at = asked_start ?? begins_at ?? null
  const is_planned = start_at !== null && start_at > now
  const phase = needs_approval || decided_at !== null ? 'awaiting_approval' : is_planned ? 'planned' : 'creating'
  const from_versions = type === 'os' ? JSON.stringify(await installedVersions(trx, list_kid!)) : null
  return trx
    .updateTable('push_task')
    .set({ target_count: total, left_out, frozen_count: null, phase, phase_at: now, start_at, from_versions })
    .set({ decided_by: null, decided_at: null, remark: '' })
    .where('kid', '=', kid)
    .returningAll()
    .executeTakeFirstOrThrow()
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
  const freezing: Freezing = {
    ...{ match: null, visible_groups: null, by_name: by.user.name, offline_days: null, needs_approval },
    ...{ after: before_all, done: 0, of: about },
  }
  const kid = await beginList(trx, by, { type })
  const kids = await kindOf(type).devicesAfter!(trx, payload as Stored, undefined, chunk)
  const next = await addPiece(trx, by, { kid, type, rules: null, freezing }, kids, Math.max(1, about))
  const task = await insertTask(trx, by, await lockList(trx, kid), push)
  return next ? task : decide(trx, task, needs_approval, by.deps.clock.now())
}

/** A push was stopped while a piece of it was made: the piece is not made. */
export class Stopped extends Error {}

/**
 * The next devices of its list become rows of a push that is being created, in the order of the list; the last of them begin it.
 * How many were made, and the devices to which something is owed from now on.
 */
export async function makeRows(trx: Trx, task: Task, now: Date): Promise<{ made: number; owed: string[] }> {
  const next = await nextOfList(trx, task)
  const sizes = task.rollout ? stepsOf(task) : []
  const stepOf = stepsFrom(sizes, task.total + task.left_out_deregistered)
  const devices = next.map(({ terminal_kid }, index) => ({ terminal_kid, step: task.rollout ? stepOf(index) : null }))
  const is_last = next.length < piece
  const { order_key, terminal_kid } = next.at(-1) ?? task.list_at ?? first_place
  const made = await addRows(trx, task, devices, now, (made) => ({
    list_at: JSON.stringify({ order_key, terminal_kid }),
    ...(is_last && {
      phase: 'running' as const,
      phase_at: now,
      target_count: task.total + made,
      ...(task.rollout && { step: 1, rows_in_sync: false }),
    }),
  }))
  if (task.rollout && is_last)
    await trx
      .updateTable('push_task_step')
      .set({ opened_at: now })
      .where('push_task_kid', '=', task.kid)
      .where('step', '=', 1)
      .execute()
  // Of rows that have just been made none has ended.
  if (is_last && (task.total > 0 || made.length === 0)) await settlePhases(trx, [task.kid], now)
  return { made: made.length, owed: task.rollout ? [] : made }
}

const first_place: ListPlace = { order_key: picked_order_key, terminal_kid: before_all }

async function nextOfList(trx: Trx, { list_kid, list_at }: Task): Promise<ListPlace[]> {
  const { order_key, terminal_kid } = list_at ?? first_place
  const { rows } = await sql<ListPlace>`
    SELECT order_key, terminal_kid FROM push_list_terminal
    WHERE push_list_kid = ${list_kid}::uuid AND reason IS NULL
      AND (order_key, terminal_kid) > (${order_key}::integer, ${terminal_kid}::uuid)
    ORDER BY order_key, terminal_kid LIMIT ${piece}
  `.execute(trx)
  return rows
}

type Chosen = { terminal_kid: string; step: number | null }
/**
 * Makes rows of devices of the list of a push, and counts them. Those that have left meanwhile are left out, with that reason.
 * `also`: what else changes in the push with so many rows more.
 */
export async function addRows(
  trx: Trx,
  task: Task,
  devices: readonly Chosen[],
  now: Date,
  also: (made: number) => Updateable<Tables['push_task']>,
): Promise<string[]> {
  const made = await insertDevices(trx, task, devices, now)
  const there = new Set(made)
  const deregistered = devices.map(({ terminal_kid }) => terminal_kid).filter((kid) => !there.has(kid))
  if (deregistered.length > 0)
    await sql`UPDATE push_list_terminal SET reason = 'gone'
      WHERE push_list_kid = ${task.list_kid}::uuid AND terminal_kid = ANY(${deregistered}::uuid[])`.execute(trx)
  const { numUpdatedRows } = await trx
    .updateTable('push_task')
    .set((eb) => ({
      total: eb('total', '+', made.length),
      wait_receipt: eb('wait_receipt', '+', made.length),
      left_out: eb('left_out', '+', deregistered.length),
      left_out_deregistered: eb('left_out_deregistered', '+', deregistered.length),
      ...also(made.length),
    }))
    .where('kid', '=', task.kid)
    .where('phase', '=', task.phase)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Stopped()
  if (!task.rollout) return made
  // From the first rows on every step is there.
  const sizes = task.phase === 'creating' ? stepsOf(task) : []
  const counts = new Map(sizes.map((_, index) => [index + 1, 0]))
  for (const { terminal_kid, step } of devices)
    if (step !== null) counts.set(step, (counts.get(step) ?? 0) + (there.has(terminal_kid) ? 1 : 0))
  const { kid: push_task_kid, account_kid } = task
  const rows = [...counts].map(([step, total]) => ({ push_task_kid, account_kid, step, total, opened_at: null }))
  if (rows.length > 0)
    await trx
      .insertInto('push_task_step')
      .values(rows)
      .onConflict((oc) =>
        oc.columns(['push_task_kid', 'step']).doUpdateSet({ total: sql`push_task_step.total + excluded.total` }),
      )
      .execute()
  return made
}

/** When what is owed from now on ends, if the device is never heard of. */
export const receiptDeadline = (now: Date, open_until: Date | null): Date =>
  open_until ?? new Date(now.getTime() + deadlineSeconds.wait_receipt * 1000)

/**
 * Makes rows of those of the devices that are still in the account, and in the groups that the push is limited to. Nothing is sent
 * for one of a step, which begins later.
 */
async function insertDevices(trx: Trx, task: Task, devices: readonly Chosen[], now: Date): Promise<string[]> {
  const { kid, account_kid, type, created_by, open_until, visible_groups } = task
  const is_reached = visible_groups ? sql`AND t.terminal_group_kid = ANY(${[...visible_groups]}::uuid[])` : sql``
  const chosen = devices.map(({ terminal_kid, step }) => ({ t: terminal_kid, s: step }))
  // Locked against a cancellation of the device, which ends its open rows: none may appear after that.
  const { rows: inserted } = await sql<{ terminal_kid: string }>`
    INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state_at, deadline_at, send_at,
      created_at, step, open_until)
    SELECT ${kid}::uuid, t.kid, t.account_kid, t.sn, ${type}::text, ${now}::timestamptz,
      CASE WHEN r.s IS NULL THEN ${receiptDeadline(now, open_until)}::timestamptz END,
      CASE WHEN r.s IS NULL THEN ${now}::timestamptz END, ${now}::timestamptz, r.s, ${open_until}::timestamptz
    FROM ${records(chosen).as('r(t uuid, s integer)')}
    JOIN terminal t ON t.kid = r.t AND t.account_kid = ${account_kid} ${is_reached}
    ORDER BY t.kid FOR KEY SHARE OF t
    RETURNING terminal_kid
  `.execute(trx)
  const activities = inserted.map(({ terminal_kid: t }) => ({ k: newKid(), t }))
  await sql`
    INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, by_name)
    SELECT r.k, ${account_kid}::uuid, ${kid}::uuid, r.t, 1, 'created', ${now}::timestamptz, ${created_by}::text
    FROM ${records(activities).as('r(k uuid, t uuid)')}
  `.execute(trx)
  return inserted.map(({ terminal_kid }) => terminal_kid)
}

/** How many devices each step has, of those that the list had when the making of rows began. */
function stepsOf({ target_count, rollout }: Task): number[] {
  const { picked_kids, steps } = rollout as Rollout
  return stepSizes(target_count, { steps }, picked_kids?.length)
}

/** The step, from 1 on, of the device at a place after the first `before` ones. */
function stepsFrom(sizes: readonly number[], before: number): (index: number) => number {
  const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0))
  return (index) => {
    const found = ends.findIndex((end) => before + index < end)
    return found < 0 ? Math.max(1, sizes.length) : found + 1
  }
}

import { hasToWait, isStartPassed, pushLimits } from '@mdm/contract'
import type { Contract, In, PushConditions, PushTaskRow } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { brake } from '../../../people/brakes/index.ts'
import { decide, insertTask, lockList, makeRows, piece } from './creation.ts'
import type { PushList } from './creation.ts'
import { preview_ms } from './device-list.ts'
import type { ListRules } from './device-list.ts'
import { freeze, wakePushes } from './freezing.ts'
import { targetsOf } from './target.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { Stored } from '../kinds/kind.ts'
import { get } from '../read.ts'
import { dropPreviews } from '../background/retention.ts'
import { readWindow } from '../../execution-window/index.ts'

type Task = Selectable<Tables['push_task']>
type Input = In<Contract['pushTask']['calls']['insert']>

const day_ms = 86_400_000

/** Where a push comes from that is not made by hand. */
type Origin = { schedule_kid?: string; requirement_kid?: string; offline_days?: number | undefined }

/** What a call says of a push, as it is stored, and the list of whom it is for. */
export type Said = {
  push: Parameters<typeof insertTask>[3]
  list_kid: string
  is_named: boolean
  /** Whether the list was made for this call, which drops it when it is refused. */
  is_own_list: boolean
}

/**
 * Creates a task for all of the devices that were named, or nothing at all; of what matches, for those that are still there.
 * Rows of few devices that are to begin now are made with it, others in the background.
 */
export async function insert(actor: Actor, input: Input, origin: Origin = {}): Promise<PushTaskRow> {
  const said = await read(actor, input, origin)
  return storeSaid(actor, said, (trx, list) => insertTask(trx, actor, list, said.push))
}

/** Reads what is to be pushed, to whom and when. @throws what refuses a push */
export async function read(actor: Actor, input: Input, origin: Origin = {}, before?: Stored): Promise<Said> {
  const { type, preview_kid } = input
  const kind = kindOf(type)
  const times = timesOf(input.conditions ?? {}, actor.deps.clock.now())
  const conditions = await readWindow(actor.scope, input.conditions ?? {})
  const stored = (await kind.store?.(actor, input.payload)) ?? { payload: input.payload, summary: '' }
  const payload = (before && kind.keptSecret?.(stored.payload, before)) ?? stored.payload
  const rules = { type, offline_days: origin.offline_days, rules: kind.rules?.(payload) }
  if (preview_kid !== undefined) await assertPreview(actor, preview_kid, rules)
  const targets = preview_kid === undefined ? await targetsOf(actor, input) : undefined
  const push = {
    type,
    payload,
    summary: stored.summary,
    rollout: input.rollout,
    description: input.description,
    conditions: JSON.stringify(conditions),
    visible_groups: actor.visible_groups ? [...actor.visible_groups] : null,
    schedule_kid: origin.schedule_kid ?? null,
    requirement_kid: origin.requirement_kid ?? null,
    ...times,
  }
  const list_kid = preview_kid ?? (await freeze(actor, targets!, rules))
  return { push, list_kid, is_named: Boolean(targets?.terminal_kids?.length), is_own_list: targets !== undefined }
}

/** Stores a push as `write` does, decides when it begins, and lets it begin. */
export async function storeSaid(
  actor: Actor,
  said: Said,
  write: (trx: Kysely<Tables>, list: PushList) => Promise<Task>,
): Promise<PushTaskRow> {
  const { deps } = actor
  const { list_kid, is_own_list } = said
  const store = () => deps.db.transaction().execute((trx) => storeOf(trx, actor, said, write))
  const stored = await retrying(store).catch(async (error: unknown) => {
    if (is_own_list) await dropPreviews(deps, (lists) => lists.where('kid', '=', list_kid))
    throw error
  })
  return letBegin(actor, stored)
}

/** After the commit that stored a push: wakes whatever goes on with it, now or when its time comes. */
export async function letBegin(actor: Actor, { task, owed }: StoredPush): Promise<PushTaskRow> {
  const { deps } = actor
  deps.live.publish(actor.account_kid, { type: 'push_task', kid: task.kid })
  deps.link.wake(owed)
  wakePushes(deps)
  const starts_in_ms = task.start_at ? task.start_at.getTime() - deps.clock.now().getTime() : Infinity
  if (starts_in_ms < day_ms) deps.clock.after(starts_in_ms + 20, () => wakePushes(deps))
  return get(actor, task.kid)
}

/** A push as it was stored, and the devices to which something is owed. */
export type StoredPush = { task: Task; owed: string[] }
/** A push of a list, as far as its call can bring it: decided where the list is whole, with its rows where those are few and begin now. */
async function storeOf(
  trx: Kysely<Tables>,
  actor: Actor,
  { list_kid, is_named }: Said,
  write: (trx: Kysely<Tables>, list: PushList) => Promise<Task>,
): Promise<StoredPush> {
  const now = actor.deps.clock.now()
  const list = await lockList(trx, list_kid)
  const is_whole = list.frozen_count === null
  const written = await write(trx, list)
  // How many those are, and what follows from it, is decided once the list is frozen.
  const task = is_whole ? await decide(trx, written, actor, now, list) : await delay(trx, actor, written, list)
  await kindOf(task.type).created?.(trx, actor, task.payload, task.kid)
  if (!is_whole || task.phase !== 'creating' || list.total >= piece) return { task, owed: [] }
  const { made: total, owed } = await makeRows(trx, task, now)
  // Devices that left while the task was made: of what matches it is for the others, of named ones it is for nobody.
  if (total < list.total && is_named) refuse('device_not_found')
  if (total === 0) refuse('task_create_failed')
  return { task, owed }
}

/** What begins late where it hits many, of a push whose devices are still looked up. */
async function delay(trx: Kysely<Tables>, actor: Actor, task: Task, { total }: PushList): Promise<Task> {
  const { kid, type, rollout } = task
  const asked = { act: type, devices: total, is_lasting: rollout?.takes_later, is_estimate: true }
  const { start_at } = await brake(actor, asked, trx)
  if (task.start_at || !start_at) return task
  return trx.updateTable('push_task').set({ start_at }).where('kid', '=', kid).returningAll().executeTakeFirstOrThrow()
}

/** When it starts and ends. @throws `bad_input` of times that cannot be. */
export function timesOf(conditions: Partial<PushConditions>, now: Date) {
  const { start_at, deadline_at } = conditions
  const fault = (field: string, name: 'time_passed' | 'deadline_far') =>
    new Refusal('bad_input', {}, { [`conditions.${field}`]: { name, details: { days: pushLimits.deadline_days } } })
  const latest = now.getTime() + pushLimits.deadline_days * day_ms
  const start = start_at === undefined ? null : new Date(start_at)
  const end = deadline_at === undefined ? null : new Date(deadline_at)
  if (start && isStartPassed(start, now)) throw fault('start_at', 'time_passed')
  if (start && start.getTime() > latest) throw fault('start_at', 'deadline_far')
  if (end && end <= now) throw fault('deadline_at', 'time_passed')
  if (end && end.getTime() > latest) throw fault('deadline_at', 'deadline_far')
  // What has conditions to wait for may wait; its states have no limits of their own.
  const start_at_ms = Math.max(start?.getTime() ?? 0, now.getTime())
  return {
    start_at: start && start > now ? start : null,
    open_until: end ?? (hasToWait(conditions) ? new Date(start_at_ms + pushLimits.waiting_days * day_ms) : null),
  }
}

/** A preview of the caller's own within the hour, for this kind and content, that no push has taken over. @throws `push_preview_gone` */
async function assertPreview({ deps, scope, user }: Actor, kid: string, { type, rules }: ListRules): Promise<void> {
  const list = await scope
    .selectFrom('push_list')
    .select('kid')
    .where('kid', '=', kid)
    .where('created_by_kid', '=', user.kid)
    .where('type', '=', type)
    .where(sql<boolean>`rules IS NOT DISTINCT FROM ${rules ? JSON.stringify(rules) : null}::jsonb`)
    .where('push_task_kid', 'is', null)
    .where('created_at', '>', new Date(deps.clock.now().getTime() - preview_ms))
    .executeTakeFirst()
  if (!list) refuse('push_preview_gone')
}

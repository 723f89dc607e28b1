import { groupValues, hasToWait, isStartPassed, pushLimits } from '@mdm/contract'
import type { Contract, In, PushConditions, PushTaskRow, Targets, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { assertThere } from '../../../fleet/terminal-filter/index.ts'
import { subtree } from '../../../fleet/terminal-group/index.ts'
import { brake } from '../../../people/brakes/index.ts'
import { insertTask, lockList, makeRows, piece } from './creation.ts'
import type { PushList } from './creation.ts'
import { freeze, preview_ms } from './device-list.ts'
import type { ListRules } from './device-list.ts'
import type { Stored } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { get } from '../read.ts'
import { dropPreviews } from '../background/retention.ts'
import { wakePushes } from '../background/wake.ts'

type Input = In<Contract['pushTask']['calls']['insert']>

const day_ms = 86_400_000

/** Whom a push is for: a list that is frozen, be it not to its end. `is_named`: of devices of which none may be missing. */
type Meant = { list_kid: string; is_named: boolean }

/**
 * Creates a task for all of the devices that were named, or nothing at all; of what matches, for those that are still there.
 * Rows of few devices that are to begin now are made with it, others in the background.
 */
export async function insert(
  actor: Actor,
  input: Input,
  of: { schedule_kid?: string; requirement_kid?: string; offline_days?: number | undefined } = {},
): Promise<PushTaskRow> {
  const { deps } = actor
  const kind = kindOf(input.type)
  const times = timesOf(input.conditions ?? {}, deps.clock.now())
  const { payload, summary } = (await kind.store?.(actor, input.payload)) ?? { payload: input.payload, summary: '' }
  const rules = { type: input.type, offline_days: of.offline_days, rules: kind.rules?.(payload) }
  const { preview_kid } = input
  if (preview_kid !== undefined) {
    await assertPreview(actor, preview_kid, rules)
    return insertFor(actor, input, { list_kid: preview_kid, is_named: false }, { ...of, times, payload, summary })
  }
  const to = await targetsOf(actor, input)
  const list_kid = await freeze(actor, to, rules)
  const targets = { list_kid, is_named: Boolean(to.terminal_kids?.length) }
  try {
    return await insertFor(actor, input, targets, { ...of, times, payload, summary })
  } catch (error) {
    await dropPreviews(deps, (lists) => lists.where('kid', '=', list_kid))
    throw error
  }
}

type Made = { times: ReturnType<typeof timesOf>; payload: Stored; summary: string }
type Origin = { schedule_kid?: string; requirement_kid?: string }
async function insertFor(
  actor: Actor,
  input: Input,
  { list_kid, is_named }: Meant,
  { times, payload, summary, schedule_kid, requirement_kid }: Made & Origin,
): Promise<PushTaskRow> {
  const { deps, account_kid, visible_groups } = actor
  const now = deps.clock.now()
  const { task, owed } = await retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      const list = await lockList(trx, list_kid)
      const count = countOf(list)
      // How many those are, and what follows from it, is known once the list is frozen.
      const is_whole = list.frozen_count === null
      // Those that it takes in later are hit without anybody being asked again.
      const hit = { act: input.type, devices: count, is_lasting: input.rollout?.takes_later, is_estimate: !is_whole }
      const { needs_approval, start_at: begins_at = null } = await brake(actor, hit, trx)
      // What begins late waits as what is planned does.
      const start_at = times.start_at ?? begins_at
      const phase = needs_approval ? 'awaiting_approval' : is_whole && start_at !== null ? 'planned' : 'creating'
      const task = await insertTask(trx, actor, list, {
        type: input.type,
        payload,
        summary,
        phase,
        rollout: input.rollout,
        description: input.description,
        conditions: JSON.stringify(input.conditions ?? {}),
        visible_groups: visible_groups ? [...visible_groups] : null,
        schedule_kid: schedule_kid ?? null,
        requirement_kid: requirement_kid ?? null,
        ...times,
        start_at,
      })
      await kindOf(input.type).created?.(trx, actor, payload, task.kid)
      if (!is_whole || phase !== 'creating' || count >= piece) return { task, owed: [] }
      const { made: total, owed } = await makeRows(trx, task, now)
      // Devices that left while the task was made: of what matches it is for the others, of named ones it is for nobody.
      if (total < count && is_named) refuse('device_not_found')
      if (total === 0) refuse('task_create_failed')
      return { task, owed }
    }),
  )
  deps.live.publish(account_kid, { type: 'push_task', kid: task.kid })
  deps.link.wake(owed)
  wakePushes(deps)
  const starts_in_ms = task.start_at ? task.start_at.getTime() - now.getTime() : Infinity
  if (starts_in_ms < day_ms) deps.clock.after(starts_in_ms + 20, () => wakePushes(deps))
  return get(actor, task.kid)
}

/** @throws `task_create_failed` of a list of nobody, `task_no_device` where all are left out */
function countOf({ total, left_out }: PushList): number {
  return total > 0 ? total : refuse(left_out > 0 ? 'task_no_device' : 'task_create_failed')
}

/** When it starts and ends. @throws `bad_input` of times that cannot be. */
function timesOf(conditions: Partial<PushConditions>, now: Date) {
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

type To = Targets & { terminal_group_kid?: string | undefined }
/** @throws `bad_input` of nobody, `group_unknown`, `device_not_found` */
export async function targetsOf(actor: Actor, { terminal_kids, terminal_group_kid, match }: To): Promise<Targets> {
  const of_group: TerminalFilter | undefined = terminal_group_kid === undefined ? undefined : { terminal_group_kid }
  if (!terminal_kids?.length && !of_group && !match)
    throw new Refusal('bad_input', {}, { terminal_kids: { name: 'devices_needed' } })
  if (of_group && !any_group.includes(terminal_group_kid!)) await assertGroup(actor, terminal_group_kid!)
  if (terminal_kids?.length) await assertThere(actor.scope, [...new Set(terminal_kids)])
  return { terminal_kids, match: match ?? of_group }
}

const any_group: readonly string[] = [groupValues.all, groupValues.none]
/** A filter by a group that is not there matches nothing; a push to one is a mistake. */
async function assertGroup({ scope }: Actor, kid: string): Promise<void> {
  if ((await subtree(scope, kid)).length === 0) refuse('group_unknown')
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

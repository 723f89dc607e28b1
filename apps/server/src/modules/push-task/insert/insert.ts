import { constants, groupValues, hasToWait, isStartPassed, pushKindOf, pushLimits } from '@mdm/contract'
import type { Contract, In, PushConditions, PushTaskRow, Targets, TerminalFilter } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { creatorOf } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { ActorWith } from '../../../http/context.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { newKid } from '../../../lib/ids.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { assertThere, matchingAfter } from '../../terminal-filter/service.ts'
import { subtree } from '../../terminal-group/service.ts'
import { assertHourly, asksApproval, startOf } from '../../brakes/service.ts'
import { insertDevices } from './devices.ts'
import type { NewTask } from './devices.ts'
import { addToList, beginList, freeze, pickFirst, preview_ms, sortOut } from './device-list.ts'
import type { ListRules } from './device-list.ts'
import { kindOf } from '../kinds/kinds.ts'
import { get } from '../read.ts'
import { wakePushes } from '../background/wake.ts'

type Input = In<Contract['pushTask']['calls']['insert']>

/** So many devices are made in the call itself, with the task and in its transaction; more are made piece by piece. */
const at_once = 2_000
const day_ms = 86_400_000

/** Whom a push is for: a few devices to be made at once, or a list that is frozen, be it not to its end. */
type Meant = { kids: string[]; is_named: boolean } | { list_kid: string; total: number }

/**
 * Creates a task for all of the devices that were named, or nothing at all; of what matches, for those that are still there.
 * Rows of many devices, of a rollout, and of what is to begin later, are made in the background.
 */
export async function insert(
  actor: ActorWith<'destroys'>,
  input: Input,
  {
    schedule_kid,
    requirement_kid,
    offline_days,
  }: { schedule_kid?: string; requirement_kid?: string; offline_days?: number | undefined } = {},
): Promise<PushTaskRow> {
  const { deps, account_kid, user, reach } = actor
  const conditions = input.conditions ?? {}
  const now = deps.clock.now()
  const times = timesOf(conditions, now)
  const kind = kindOf(input.type)
  const { payload, summary } = (await kind.store?.(actor, input.payload)) ?? { payload: input.payload, summary: '' }
  const rules = { type: input.type, offline_days, rules: kind.rules?.(payload) }
  const meant = await meantBy(actor, input, rules, Boolean(input.rollout) || times.start_at !== null)
  const few = 'kids' in meant ? { ...(await sortOut(actor, meant.kids, rules)), is_named: meant.is_named } : undefined
  if ('kids' in meant && meant.is_named && few!.kids.length + few!.left_out.length < meant.kids.length)
    refuse('device_not_found')
  const about = 'kids' in meant ? few!.kids.length : meant.total
  if (about === 0) refuse('kids' in meant && meant.kids.length === 0 ? 'task_create_failed' : 'task_no_device')

  const { is_destructive } = pushKindOf(input.type)
  // Those that it takes in later are hit without anybody being asked again.
  const takes_later = input.rollout?.takes_later === true
  const hit = takes_later ? Math.max(about, constants.password_from_devices) : about
  const lately = is_destructive ? await actor.destroys(hit) : 0
  // They wait as planned ones do.
  times.start_at ??= startOf(input.type, lately, now) ?? null
  const kid = newKid()
  const terminal_kids = await retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      // How many those are, and what follows from it, is known once the list is frozen.
      const { total: count, listed } =
        'kids' in meant ? { total: about, listed: null } : await listOfPush(trx, meant.list_kid)
      if (count === 0) refuse('task_no_device')
      if (listed === null) await assertHourly(trx, actor, input.type, count)
      const asks = listed === null && (await asksApproval(trx, actor, takes_later ? Infinity : count))
      const is_planned = listed === null && times.start_at !== null
      const is_now = !asks && times.start_at === null && few !== undefined && !input.rollout
      await trx
        .insertInto('push_task')
        .values({
          kid,
          account_kid,
          type: input.type,
          payload: JSON.stringify(payload),
          description: input.description,
          summary,
          ...creatorOf(actor),
          created_at: now,
          total: is_now ? count : 0,
          wait_receipt: is_now ? count : 0,
          meant: count,
          left_out: few?.left_out.length ?? 0,
          listed,
          phase: asks ? 'awaiting_approval' : is_planned ? 'planned' : is_now ? 'running' : 'creating',
          phase_at: now,
          conditions: JSON.stringify(conditions),
          rollout: input.rollout ? JSON.stringify(input.rollout) : null,
          reach: reach ? [...reach] : null,
          schedule_kid: schedule_kid ?? null,
          requirement_kid: requirement_kid ?? null,
          ...times,
        })
        .execute()
      await kind.created?.(trx, actor, payload, kid)
      if ('list_kid' in meant) await takeList(trx, actor, kid, meant.list_kid, input)
      else if (!is_now || few!.left_out.length > 0)
        await takeList(trx, actor, kid, await listOf(trx, actor, meant.kids, rules), input)
      if (!is_now) return []
      const task = { push_task_kid: kid, account_kid, type: input.type, by_name: user.name, now, ...times }
      return makeNow(trx, task, few.kids, few.is_named)
    }),
  )
  deps.live.publish(account_kid, { type: 'push_task', kid })
  deps.link.wake(terminal_kids)
  wakePushes(deps)
  if (times.start_at && times.start_at.getTime() - now.getTime() < day_ms)
    deps.clock.after(times.start_at.getTime() - now.getTime() + 20, () => wakePushes(deps))
  return get(actor, kid)
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

/** Of named devices and a group's together, or of all that match, or of a preview. */
async function meantBy(
  actor: Actor,
  { terminal_kids, terminal_group_kid, match, preview_kid }: Input,
  rules: ListRules,
  is_frozen: boolean,
): Promise<Meant> {
  if (preview_kid !== undefined) return previewed(actor, preview_kid, rules)
  const of = await targetsOf(actor, { terminal_kids, terminal_group_kid, match })
  const named = [...new Set(of.terminal_kids)]
  const matching = of.match ? await matchingAfter(actor, of.match, undefined, at_once + 1) : []
  const kids = [...new Set([...named, ...matching])].sort()
  if (kids.length <= at_once && !is_frozen) return { kids, is_named: named.length > 0 }
  if (kids.length === 0) refuse('task_create_failed')
  const list_kid = await freeze(actor, of, rules)
  return { list_kid, total: (await listOfPush(actor.scope, list_kid)).total }
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

/** A list, which gets no more devices until the transaction ends; `listed`: how many were looked at, of about `total`. */
async function listOfPush(trx: Kysely<Tables>, kid: string): Promise<{ total: number; listed: number | null }> {
  const { total, freezing } = await trx
    .selectFrom('push_list')
    .select(['total', 'freezing'])
    .where('kid', '=', kid)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return { total: freezing?.of ?? total, listed: freezing?.done ?? null }
}

/** Of a preview of the caller's own within the hour, for this kind and content, that no push has taken over. @throws `push_preview_gone` */
async function previewed(actor: Actor, kid: string, { type, rules }: ListRules): Promise<Meant> {
  const { deps, scope, user } = actor
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
  return { list_kid: kid, total: (await listOfPush(scope, kid)).total }
}

async function listOf(trx: Kysely<Tables>, actor: Actor, kids: readonly string[], rules: ListRules): Promise<string> {
  const list_kid = await beginList(trx, actor, { type: rules.type, rules: rules.rules })
  await addToList(trx, actor, list_kid, kids, rules)
  return list_kid
}

/** A list is a push's from then on. @throws `push_preview_gone`, `bad_input` when a picked device is not on it */
async function takeList(
  trx: Kysely<Tables>,
  { account_kid }: Actor,
  push_task_kid: string,
  list_kid: string,
  { rollout }: Input,
): Promise<void> {
  const list = await trx
    .updateTable('push_list')
    .set({ push_task_kid })
    .where('kid', '=', list_kid)
    .where('account_kid', '=', account_kid)
    .where('push_task_kid', 'is', null)
    .returning(['later', 'freezing'])
    .executeTakeFirst()
  if (!list) refuse('push_preview_gone')
  if (!list.freezing) await pickFirst(trx, list_kid, rollout?.picked_kids)
  await trx
    .updateTable('push_task')
    .set({
      list_kid,
      later: rollout?.takes_later && list.later ? JSON.stringify(list.later) : null,
      left_out: sql`(SELECT count(*) FROM push_list_terminal l WHERE l.push_list_kid = ${list_kid}::uuid AND l.reason IS NOT NULL)`,
    })
    .where('kid', '=', push_task_kid)
    .execute()
}

/** Devices that left while the task was made: of what matches it is for the others, of named ones it is for nobody. */
async function makeNow(
  trx: Kysely<Tables>,
  task: NewTask,
  kids: readonly string[],
  is_named: boolean,
): Promise<string[]> {
  const inserted = await insertDevices(
    trx,
    task,
    kids.map((terminal_kid) => ({ terminal_kid, step: null })),
  )
  if (inserted.length === kids.length) return inserted
  if (is_named) refuse('device_not_found')
  if (inserted.length === 0) refuse('task_create_failed')
  await trx
    .updateTable('push_task')
    .set({ total: inserted.length, wait_receipt: inserted.length, meant: inserted.length })
    .where('kid', '=', task.push_task_kid)
    .execute()
  return inserted
}

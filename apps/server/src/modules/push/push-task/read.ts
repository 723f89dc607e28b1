import {
  canPushPhase,
  canPushTask,
  PushConditions,
  pushEffect,
  pushEffects,
  pushKindOf,
  pushTaskResult,
  stepSizes,
} from '@mdm/contract'
import type {
  Contract,
  In,
  LeftOutReason,
  Out,
  PushAct,
  PushEffect,
  PushFacts,
  PushFailure,
  PushPhase,
  PushTaskDetail,
  PushTaskRow,
  PushTaskState,
  PushTaskTerminal,
  PushTaskType,
} from '@mdm/contract'
import { sql } from 'kysely'
import type { ExpressionBuilder, RawBuilder, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { subtree } from '../../fleet/terminal-group/index.ts'
import type { Stored } from './kinds/kind.ts'
import { kindOf, subjectOfTask } from './kinds/kinds.ts'
import { failedFor, failureCode, isFailed, stateOrder } from './rows.ts'

type Calls = Contract['pushTask']['calls']
type Activities = Out<Calls['list_activity']>

const open = sql<boolean>`push_task.total > push_task.completed + push_task.failed + push_task.canceled`

/** Devices of a push that are still there and, in a scope, within reach. */
const devicesOf = (eb: ExpressionBuilder<Tables, 'push_task'>) =>
  eb
    .selectFrom('push_task_terminal')
    .innerJoin('terminal', 'terminal.kid', 'push_task_terminal.terminal_kid')
    .select('terminal.kid')
    .whereRef('push_task_terminal.push_task_kid', '=', 'push_task.kid')
const within = (groups: readonly { kid: string }[]) =>
  sql<boolean>`terminal.terminal_group_kid = ANY(${groups.map(({ kid }) => kid)}::uuid[])`

/** Tasks of the account; a user who is limited to groups sees those that have a device of theirs. */
const tasks = ({ scope, visible_groups, user }: Actor) =>
  scope
    .selectFrom('push_task')
    .selectAll('push_task')
    .$if(visible_groups !== undefined, (q) =>
      q.where((eb) =>
        eb.or([
          // Nobody's part of it is there before it begins.
          eb('push_task.created_by_kid', '=', user.kid),
          eb.exists(devicesOf(eb)),
        ]),
      ),
    )

export async function paging(reader: Actor, input: In<Calls['paging']>) {
  const { types, is_running, text, phases, effect, created_by, created, schedule_kid, terminal_group_kid } = input
  const groups = terminal_group_kid === undefined ? undefined : await subtree(reader.scope, terminal_group_kid)
  const found = await readPage({
    query: tasks(reader)
      .$if(Boolean(types?.length), (q) => q.where('push_task.type', 'in', types!))
      .$if(is_running !== undefined, (q) => q.where(is_running ? open : sql<boolean>`NOT (${open})`))
      .$if(Boolean(phases?.length), (q) => q.where('push_task.phase', 'in', phases!))
      .$if(effect !== undefined && effect !== pushEffects.all, (q) => q.where(hasEffect[effect as PushEffect]))
      .$if(Boolean(created_by?.length), (q) => q.where('push_task.created_by', 'in', created_by!))
      .$if(created?.from !== undefined, (q) => q.where('push_task.created_at', '>=', new Date(created!.from!)))
      .$if(created?.to !== undefined, (q) => q.where('push_task.created_at', '<=', new Date(created!.to!)))
      .$if(groups !== undefined, (q) => q.where((eb) => eb.exists(devicesOf(eb).where(within(groups!)))))
      .$if(schedule_kid !== undefined, (q) => q.where('push_task.schedule_kid', '=', schedule_kid!))
      .$if(Boolean(text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(push_task.summary)`, 'like', containing(text!)),
            eb(sql`lower(push_task.description)`, 'like', containing(text!)),
          ]),
        ),
      ),
    input,
    columns: { created_at: { ref: sql`push_task.created_at`, order: 'desc' } },
    key: sql`push_task.kid`,
  })
  return { ...found, items: (await withinVisibleGroups(reader, found.items)).map((row) => asRow(row, reader)) }
}

/** `pushEffect` of the contract, as SQL. */
const ended = sql<boolean>`push_task.completed + push_task.failed + push_task.canceled >= push_task.total
  AND push_task.phase = ANY(ARRAY['ended', 'canceled', 'rejected'])`
const hasEffect: Record<PushEffect, RawBuilder<boolean>> = {
  0: sql`(${ended} AND push_task.completed = 0 AND push_task.failed <= push_task.gone)`,
  1: sql`(${ended} AND push_task.completed > 0 AND push_task.completed < push_task.total)`,
  2: sql`(${ended} AND push_task.completed = 0 AND push_task.failed > push_task.gone)`,
  3: sql`(${ended} AND push_task.completed > 0 AND push_task.completed = push_task.total)`,
}

/** Names of those who made the newest pushes. */
export async function listCreators(reader: Actor): Promise<string[]> {
  const newest = tasks(reader)
    .clearSelect()
    .select('push_task.created_by')
    .orderBy('push_task.created_at', 'desc')
    .limit(1000)
  const rows = await newest.execute()
  return [...new Set(rows.map(({ created_by }) => created_by))].sort((a, b) => a.localeCompare(b))
}

export async function get(reader: Actor, kid: string): Promise<PushTaskRow> {
  return asRow(await rowOf(reader, kid), reader)
}

type Row = Selectable<Tables['push_task']>

async function rowOf(reader: Actor, kid: string): Promise<Row> {
  const row = await tasks(reader).where('push_task.kid', '=', kid).executeTakeFirst()
  return row ? (await withinVisibleGroups(reader, [row]))[0]! : refuse('not_found')
}

/** Devices of pushes within reach, by what they are at and by step. Those that left the account are within nobody's. */
const sharesOf = ({ scope }: Actor, kids: readonly string[]) =>
  scope
    .selectFrom('push_task_terminal')
    .innerJoin('terminal', 'terminal.kid', 'push_task_terminal.terminal_kid')
    .select((eb) => [
      'push_task_terminal.push_task_kid',
      'push_task_terminal.state',
      'push_task_terminal.step',
      eb.cast<number>(eb.fn.countAll(), 'integer').as('devices'),
    ])
    .where('push_task_terminal.push_task_kid', '=', sql<string>`any(${[...kids]}::uuid[])`)
    .groupBy(['push_task_terminal.push_task_kid', 'push_task_terminal.state', 'push_task_terminal.step'])
    .execute()
type Share = Awaited<ReturnType<typeof sharesOf>>[number]

function countsOf(shares: readonly Share[]) {
  const sum = (of?: PushTaskState) =>
    shares.reduce((all, { state, devices }) => all + (of === undefined || state === of ? devices : 0), 0)
  const [wait_receipt, completed, failed, canceled] = [
    sum('wait_receipt'),
    sum('completed'),
    sum('failed'),
    sum('canceled'),
  ]
  return { total: sum(), wait_receipt, completed, failed, canceled, gone: 0 }
}

/** Who is limited to groups is told of the devices there: what could be done to others is not theirs to do. */
async function withinVisibleGroups(reader: Actor, rows: Row[]): Promise<Row[]> {
  if (!reader.visible_groups || rows.length === 0) return rows
  const kids = rows.map(({ kid }) => kid)
  const shares = await sharesOf(reader, kids)
  const left = await leftOutWithin(reader, kids)
  return rows.map((row) => {
    const counts = countsOf(shares.filter(({ push_task_kid }) => push_task_kid === row.kid))
    // Of their own that has not begun there are no devices yet.
    const is_to_come = row.created_by_kid === reader.user.kid && row.phase !== 'running' && row.total < row.target_count
    const target_count = is_to_come ? row.target_count : counts.total
    const frozen_count = is_to_come ? row.frozen_count : null
    const left_out = left.get(row.kid) ?? 0
    return { ...row, ...counts, target_count, frozen_count, left_out, retry: retryWithin(reader, row.retry, counts) }
  })
}

/** Of somebody else's retry, at most their own devices. */
function retryWithin(
  { user }: Actor,
  retry: Row['retry'],
  { total, failed, canceled }: { total: number; failed: number; canceled: number },
): Row['retry'] {
  if (!retry || retry.by_kid === user.kid) return retry
  return { ...retry, devices: Math.min(retry.devices, total), left: Math.min(retry.left, failed + canceled) }
}

async function leftOutWithin({ scope }: Actor, kids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await scope
    .selectFrom('push_list_terminal')
    .innerJoin('push_list', 'push_list.kid', 'push_list_terminal.push_list_kid')
    .innerJoin('terminal', 'terminal.kid', 'push_list_terminal.terminal_kid')
    .select((eb) => [
      eb.ref('push_list.push_task_kid').$notNull().as('kid'),
      eb.cast<number>(eb.fn.countAll(), 'integer').as('devices'),
    ])
    .where('push_list.push_task_kid', '=', sql<string>`any(${[...kids]}::uuid[])`)
    .where('push_list_terminal.reason', 'is not', null)
    .groupBy('push_list.push_task_kid')
    .execute()
  return new Map(rows.map(({ kid, devices }) => [kid, devices]))
}

/** What a push is said to be in one sentence (decision 166), for those who may know all of it. */
export function factsOfTask(row: Row): Pick<PushTaskRow, keyof PushFacts> {
  const { type, payload, summary, from_versions, target, target_count, start_at, conditions } = row
  return {
    type,
    subject: subjectOfTask(type, payload, summary),
    from_versions: from_versions ?? [],
    target,
    target_count,
    start_at: start_at?.toISOString() ?? null,
    window: conditions.window ?? null,
  }
}

function asRow(row: Row, { user, visible_groups }: Pick<Actor, 'user' | 'visible_groups'>): PushTaskRow {
  const { kid, description, summary, created_at, created_by, phase, paused_because, target_count, left_out } = row
  const facts = factsOfTask(row)
  const { total, wait_receipt, completed, failed, canceled, gone } = row
  const running = total - wait_receipt - completed - failed - canceled
  const is_over = isOverPhase(phase) && completed + failed + canceled >= total
  return {
    kid,
    ...facts,
    description,
    summary,
    created_at: created_at.toISOString(),
    created_by,
    changed_at: row.changed_at?.toISOString() ?? null,
    version: row.version,
    counts: { total, wait_receipt, running, completed, failed, canceled, gone },
    result: is_over && total > 0 ? (pushTaskResult({ total, completed, failed, canceled }) ?? null) : null,
    effect: is_over ? (pushEffect({ total, completed, failed, canceled, gone }) ?? null) : null,
    phase,
    phase_at: (row.phase_at ?? created_at).toISOString(),
    paused_because,
    is_stopping: phase === 'canceled' && !row.rows_in_sync,
    retry: row.retry &&
      row.retry_at && {
        devices: row.retry.devices,
        left: row.retry.left,
        by: row.retry.by_name,
        at: row.retry_at.toISOString(),
      },
    frozen_count: row.frozen_count,
    // Somebody else's groups and devices are not theirs to know.
    target: visible_groups && row.created_by_kid !== user.kid ? null : facts.target,
    left_out,
    deadline_at: row.open_until?.toISOString() ?? null,
    step: row.rollout ? (row.step ?? 0) : null,
    steps: row.rollout ? stepSizes(target_count, row.rollout, row.rollout.picked_kids?.length).length : null,
    can: actsOf(row, wait_receipt + running),
    is_approved: row.decided_by !== null && phase !== 'rejected',
    is_own: row.created_by_kid === user.kid,
  }
}

const isOverPhase = (phase: PushPhase): boolean => !canPushPhase(phase, 'cancel')

/** By the phase and the devices; for the single devices of a task, see `allowed`. */
function actsOf(row: Row, moving: number): PushAct[] {
  const { type, phase, failed, canceled, total, rows_in_sync, retry, requirement_kid } = row
  const acts: PushAct[] = []
  const is_internal_only = pushKindOf(type).is_internal_only === true
  if (!is_internal_only && (moving > 0 || retry !== null || canPushPhase(phase, 'cancel'))) acts.push('cancel')
  const is_busy = retry !== null || (phase === 'canceled' && !rows_in_sync)
  if (failed + canceled > 0 && total > 0 && !is_busy && !(is_internal_only && phase === 'canceled')) acts.push('retry')
  if (!is_internal_only && requirement_kid === null && canPushPhase(phase, 'change')) acts.push('change')
  for (const act of ['pause', 'resume', 'approve', 'reject'] as const) if (canPushPhase(phase, act)) acts.push(act)
  return acts
}

/** Everything of one push but its devices. */
export async function detail(actor: Actor, kid: string): Promise<PushTaskDetail> {
  const { scope } = actor
  const row = await rowOf(actor, kid)
  const { rollout, conditions, schedule_kid, decided_by, decided_at, canceled_by, remark, list_kid, type } = row
  const steps = await scope
    .selectFrom('push_task_step')
    .selectAll()
    .where('push_task_kid', '=', kid)
    .orderBy('step')
    .execute()
  const shares = actor.visible_groups ? await sharesOf(actor, [kid]) : undefined
  const plan = steps.map((step) => ({
    ...step,
    ...(shares && countsOf(shares.filter((one) => one.step === step.step))),
  }))
  return {
    ...asRow(row, actor),
    payload: shownPayload(type, row.payload),
    conditions: PushConditions.parse(conditions),
    rollout,
    plan: plan.map(({ step, total, completed, failed, canceled, gone, opened_at }) => ({
      step,
      state: opened_at === null ? 'waits' : completed + failed + canceled >= total ? 'done' : 'open',
      counts: { total, completed, failed, canceled, gone },
      opened_at: opened_at?.toISOString() ?? null,
    })),
    left_out_counts: await leftOutCounts(scope, list_kid, actor.visible_groups !== undefined),
    failures: row.failed > 0 ? await failuresOf(actor, kid) : [],
    schedule_kid,
    decided_by,
    decided_at: decided_at?.toISOString() ?? null,
    canceled_by: row.phase === 'canceled' ? canceled_by : null,
    remark,
  }
}

const failures_max = 20

/** Why devices of a push failed, the commonest reason first. */
const failuresOf = ({ scope, visible_groups }: Actor, kid: string): Promise<PushFailure[]> =>
  scope
    .selectFrom('push_task_terminal as p')
    .$if(visible_groups !== undefined, (q) => q.innerJoin('terminal as t', 't.kid', 'p.terminal_kid') as never)
    .select((eb) => [failureCode.as('code'), eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
    .where('p.push_task_kid', '=', kid)
    // By the index: a page that is looked at asks once a second, however large its push.
    .where(isFailed)
    .groupBy(sql`1`)
    .orderBy('count', 'desc')
    .orderBy('code')
    .limit(failures_max)
    .execute()

/** How many devices of a list are left out, by reason. */
export const leftOutCounts = (scope: Actor['scope'], list_kid: string | null, is_limited = false) =>
  scope
    .selectFrom('push_list_terminal')
    .$if(is_limited, (q) => q.innerJoin('terminal', 'terminal.kid', 'push_list_terminal.terminal_kid') as never)
    .select((eb) => [
      eb.ref('reason').$notNull().as('reason'),
      eb.cast<number>(eb.fn.countAll(), 'integer').as('count'),
    ])
    .where('push_list_kid', '=', list_kid ?? none)
    .where('reason', 'is not', null)
    .groupBy('reason')
    .orderBy('reason')
    .execute()

/** What was given, as a new push would take it: without secrets. */
export const shownPayload = (type: PushTaskType, stored: Stored): unknown => kindOf(type).shown?.(stored) ?? stored

/** Devices of a frozen list: a preview's, or those that a push left out. */
async function pageOfList(
  { scope, visible_groups }: Actor,
  list_kid: string | null,
  input: {
    page: number
    page_size: number
    sort?: 'sn' | undefined
    order?: 'asc' | 'desc' | undefined
    after?: string | undefined
  },
  { is_left_out, reasons }: { is_left_out?: boolean | undefined; reasons?: LeftOutReason[] | undefined },
) {
  const found = await readPage({
    query: scope
      .selectFrom('push_list_terminal as l')
      .leftJoin('terminal as t', 't.kid', 'l.terminal_kid')
      .select(['l.terminal_kid', 'l.sn', 'l.reason', 't.name', 't.agent_kind', 't.task_types'])
      .where('l.push_list_kid', '=', list_kid ?? none)
      .$if(visible_groups !== undefined, (q) => q.where('t.kid', 'is not', null))
      .$if(is_left_out !== undefined, (q) => q.where('l.reason', is_left_out ? 'is not' : 'is', null))
      .$if(Boolean(reasons?.length), (q) => q.where('l.reason', 'in', reasons!)),
    input,
    columns: { sn: { ref: sql`l.sn` } },
    key: sql`l.terminal_kid`,
  })
  const items = found.items.map(({ name, agent_kind, ...row }) => ({
    ...row,
    name: name ?? '',
    agent_kind: agent_kind ?? 'mdm',
  }))
  return { ...found, items }
}
const none = '00000000-0000-0000-0000-000000000000'

export async function pagingLeftOut(reader: Actor, input: In<Calls['paging_left_out']>) {
  const row = await tasks(reader).where('push_task.kid', '=', input.push_task_kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  return pageOfList(reader, row.list_kid, input, { is_left_out: true, reasons: input.reasons })
}

export async function pagingPreview(actor: Actor, input: In<Calls['paging_preview']>) {
  const { scope, user } = actor
  const list = await scope
    .selectFrom('push_list')
    .select('kid')
    .where('kid', '=', input.preview_kid)
    .where('created_by_kid', '=', user.kid)
    .executeTakeFirst()
  return pageOfList(actor, (list ?? refuse('not_found')).kid, input, { is_left_out: input.is_left_out })
}

const by_state = { ref: stateOrder, order: 'asc' } as const
/** Devices of a task, or tasks of a device. */
export async function pagingTerminal({ deps, scope, visible_groups }: Actor, input: In<Calls['paging_terminal']>) {
  const { push_task_kid, terminal_kid, states, types, code, step, text } = input
  if (push_task_kid === undefined && terminal_kid === undefined)
    throw new Refusal('bad_input', {}, { push_task_kid: { name: 'task_or_device' } })
  const is_of_task = push_task_kid !== undefined
  const found = await readPage({
    query: scope
      .selectFrom('push_task_terminal as p')
      .innerJoin('push_task as k', 'k.kid', 'p.push_task_kid')
      .leftJoin('terminal as t', 't.kid', 'p.terminal_kid')
      .leftJoin('terminal_state as s', 's.terminal_kid', 'p.terminal_kid')
      .selectAll('p')
      .select(['k.summary', 't.kid as known_kid', 't.sn as known_sn', 't.name', 's.is_online'])
      .$if(visible_groups !== undefined, (q) => q.where('t.kid', 'is not', null))
      .$if(is_of_task, (q) => q.where('p.push_task_kid', '=', push_task_kid!))
      .$if(terminal_kid !== undefined, (q) => q.where('p.terminal_kid', '=', terminal_kid!))
      .$if(Boolean(states?.length), (q) => q.where('p.state', 'in', states!))
      .$if(Boolean(types?.length), (q) => q.where('p.type', 'in', types!))
      .where(failedFor(code))
      .$if(step !== undefined, (q) => q.where('p.step', '=', step!))
      .$if(Boolean(text), (q) => q.where(sql`lower(p.sn)`, 'like', containing(text!))),
    input,
    columns: {
      // What is left to do about a device comes first; of a device, its newest push.
      ...(is_of_task && { state: by_state }),
      // Devices of one task were all created at once: its primary key has them in order.
      created_at: { ref: is_of_task ? sql`p.terminal_kid` : sql`p.created_at`, order: 'desc' },
      state_at: { ref: sql`p.state_at`, order: 'desc' },
      ...(!is_of_task && { state: by_state }),
    },
    key: is_of_task ? sql`p.terminal_kid` : sql`p.push_task_kid`,
  })
  const items = found.items.map((row): PushTaskTerminal => {
    const is_known = row.known_kid !== null
    return {
      push_task_kid: row.push_task_kid,
      terminal_kid: row.terminal_kid,
      sn: row.known_sn ?? row.sn,
      name: row.name ?? '',
      is_online: row.is_online ?? false,
      type: row.type,
      state: row.state,
      state_at: row.state_at.toISOString(),
      attempt: row.attempt,
      progress: row.progress,
      cancel_asked: row.cancel_asked_at !== null,
      code: row.code,
      message: row.message ?? row.result_text,
      result_url: resultUrl(deps, row),
      deadline_at: row.deadline_at?.toISOString() ?? null,
      step: row.step,
      is_held: row.state === 'wait_receipt' && row.send_at === null,
      waits: row.waits,
      summary: row.summary,
      created_at: row.created_at.toISOString(),
      can: is_known ? allowed(row) : [],
    }
  })
  return { ...found, items }
}

function resultUrl(
  deps: Deps,
  { type, sn, result_object }: Pick<Tables['push_task_terminal'], 'type' | 'sn' | 'result_object'>,
) {
  const { uploads } = kindOf(type)
  if (result_object === null || !uploads) return null
  return deps.signFile(result_object, { name: uploads.name(sn), content_type: uploads.content_type })
}

const allowed = ({ type, state }: { type: PushTaskType; state: PushTaskState }) =>
  (['cancel', 'retry'] as const).filter(
    (event) => canPushTask(state, event) && !(event === 'cancel' && pushKindOf(type).is_internal_only),
  )

/** What happened to one device's part, oldest first. */
export async function listActivity(
  { scope, visible_groups }: Actor,
  { push_task_kid, terminal_kid }: In<Calls['list_activity']>,
): Promise<Activities> {
  const row = await scope
    .selectFrom('push_task_terminal as p')
    .leftJoin('terminal as t', 't.kid', 'p.terminal_kid')
    .select('p.terminal_kid')
    .where('p.push_task_kid', '=', push_task_kid)
    .where('p.terminal_kid', '=', terminal_kid)
    .$if(visible_groups !== undefined, (q) => q.where('t.kid', 'is not', null))
    .executeTakeFirst()
  if (!row) refuse('not_found')
  const rows = await scope
    .selectFrom('push_task_activity')
    .select(['event', 'attempt', 'at', 'code', 'message', 'by_name as by'])
    .where('push_task_kid', '=', push_task_kid)
    .where('terminal_kid', '=', terminal_kid)
    .orderBy('at')
    .orderBy('kid')
    .limit(1000)
    .execute()
  return rows.map((found) => ({ ...found, at: found.at.toISOString() })) as Activities
}

import { canPushPhase, fieldFaultsOf, PushConditions, pushFactsOf, pushKindOf } from '@mdm/contract'
import type { Contract, In, OtherPushPart, PlannedPush, PushDifference, PushTaskRow } from '@mdm/contract'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { creationAudit } from '../../../../actor.ts'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { ActorWith } from '../../../../http/context.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { kindOf } from '../kinds/kinds.ts'
import { controllable } from '../moves/phases.ts'
import { detail, factsOfTask } from '../read.ts'
import { changeAudit, decide, makeRows, piece, replaceTask } from './creation.ts'
import { letBegin, read, storeSaid, timesOf } from './insert.ts'

type Calls = Contract['pushTask']['calls']
type Task = Selectable<Tables['push_task']>
type Db = Kysely<Tables>

/** A push as it is after a change, and what was changed of it. */
type Changed = { row: PushTaskRow; difference: PushDifference }

/**
 * A push that has not begun, locked against its start: whoever comes second, the change or the start, finds what the first has made.
 * @throws `not_found`, `task_made_elsewhere`, `task_begun`, `task_changed`
 */
async function lockPlanned(trx: Db, actor: Actor, kid: string, version: number): Promise<Task> {
  const task = await plannedOf(trx, actor, kid, sql`FOR NO KEY UPDATE`)
  if (task.version !== version) refuse('task_changed')
  return task
}

/** @throws `not_found`, `task_made_elsewhere`, `task_begun` */
async function plannedOf(db: Db, actor: Actor, kid: string, lock = sql``): Promise<Task> {
  const { rows } = await sql<Task>`SELECT * FROM push_task WHERE ${controllable(actor, kid)} ${lock}`.execute(db)
  const task = rows[0] ?? refuse('not_found')
  if (pushKindOf(task.type).is_internal_only || task.requirement_kid !== null) refuse('task_made_elsewhere')
  if (!canPushPhase(task.phase, 'change')) refuse('task_begun')
  return task
}

/** A push that has not begun, with its devices as they were chosen. */
export async function planned(actor: Actor, kid: string): Promise<PlannedPush> {
  const { deps, scope } = actor
  const task = await plannedOf(deps.db, actor, kid)
  const list = await scope
    .selectFrom('push_list')
    .select(['late_filter', 'offline_days'])
    .where('kid', '=', task.list_kid)
    .executeTakeFirstOrThrow()
  const devices = scope
    .selectFrom('push_list_terminal')
    .innerJoin('terminal', 'terminal.kid', 'push_list_terminal.terminal_kid')
    .select(['terminal.kid', 'terminal.sn', 'terminal.name'])
    .where('push_list_kid', '=', task.list_kid)
    .orderBy('terminal.sn')
  const picked_kids = task.rollout?.picked_kids ?? []
  return {
    ...(await detail(actor, kid)),
    match: list.late_filter,
    devices: list.late_filter ? [] : await devices.execute(),
    picked: picked_kids.length > 0 ? await devices.where('terminal.kid', 'in', picked_kids).execute() : [],
    offline_days: list.offline_days,
    has_secret: kindOf(task.type).keptSecret !== undefined && Object.keys(task.payload).length > 0,
  }
}

/**
 * Another content, other devices or other times for a push that has not begun. It is frozen, braked and decided as a new one is, and from
 * then on in the name of whoever changed it.
 */
export async function update(actor: Actor, input: In<Calls['update']>): Promise<Changed> {
  const { push_task_kid, version, type } = input
  const before = await plannedOf(actor.deps.db, actor, push_task_kid)
  if (before.type !== type)
    throw new Refusal('bad_input', {}, { type: { name: 'not_one_of', details: { values: before.type } } })
  const origin = before.schedule_kid === null ? {} : { schedule_kid: before.schedule_kid }
  const said = await read(actor, input, origin, before.payload)
  const row = await storeSaid(actor, said, async (trx, list) => {
    const task = await lockPlanned(trx, actor, push_task_kid, version)
    await kindOf(type).withdrawn?.(trx, task.payload, push_task_kid)
    return replaceTask(trx, actor, task, list, said.push)
  })
  return { row, difference: await differenceOf(actor, before, row) }
}

/** Another time for a push that has not begun; `null` is now. */
export async function move(actor: ActorWith<'may'>, input: In<Calls['move']>): Promise<Changed> {
  const { push_task_kid, version, start_at } = input
  const { deps } = actor
  const stored = await retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      const before = await lockPlanned(trx, actor, push_task_kid, version)
      if (!actor.may(pushKindOf(before.type).needs)) refuse('no_permission')
      const now = deps.clock.now()
      const { start_at: _start, ...kept } = before.conditions
      const conditions = { ...kept, ...(start_at !== null && { start_at }) }
      const moved = await trx
        .updateTable('push_task')
        .set({ ...movedTimes(conditions, now), conditions: JSON.stringify(conditions), ...creationAudit(actor) })
        .set({ visible_groups: actor.visible_groups ? [...actor.visible_groups] : null })
        // Until it is decided its devices do not count, as the brakes count them.
        .set({ phase: 'creating', phase_at: now, target_count: 0, ...changeAudit(before, now) })
        .where('kid', '=', push_task_kid)
        .returningAll()
        .executeTakeFirstOrThrow()
      const task = await decide(trx, moved, actor, now)
      const begins = task.phase === 'creating' && task.target_count < piece
      return { before, task, owed: begins ? (await makeRows(trx, task, now)).owed : [] }
    }),
  )
  const row = await letBegin(actor, stored)
  return { row, difference: await differenceOf(actor, stored.before, row) }
}

/** @throws `bad_input` of times that cannot be, by the field of `move` */
function movedTimes(conditions: Partial<PushConditions>, now: Date): ReturnType<typeof timesOf> {
  const read = PushConditions.safeParse(conditions)
  const [fault] = Object.values(read.error ? fieldFaultsOf(read.error, conditions) : {})
  if (fault) throw new Refusal('bad_input', {}, { start_at: fault })
  try {
    return timesOf(conditions, now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('bad_input', {}, { start_at: Object.values(error.fields ?? {})[0]! })
  }
}

const conditionKeys = [
  'network',
  'min_battery',
  'download_prompt',
  'install_prompt',
  'force_install',
  'after_install',
] as const
/** What is kept of a push that its sentence does not say, part by part. */
const others: Record<OtherPushPart, (task: Task) => unknown> = {
  content: ({ payload }) => payload,
  deadline: ({ conditions }) => conditions.deadline_at,
  conditions: ({ conditions }) => conditionKeys.map((key) => PushConditions.parse(conditions)[key]),
  steps: ({ rollout }) => rollout,
  description: ({ description }) => description,
}

async function differenceOf(actor: Actor, before: Task, row: PushTaskRow): Promise<PushDifference> {
  const after = await actor.scope
    .selectFrom('push_task')
    .selectAll()
    .where('kid', '=', before.kid)
    .executeTakeFirstOrThrow()
  const was = factsOfTask(before)
  const is_named = !isDeepStrictEqual(was.subject, row.subject)
  const changed = (Object.keys(others) as OtherPushPart[]).filter(
    (part) => !(part === 'content' && is_named) && !isDeepStrictEqual(others[part](before), others[part](after)),
  )
  return { before: pushFactsOf(was), after: pushFactsOf(row), others: changed }
}

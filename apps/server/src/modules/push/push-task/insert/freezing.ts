import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { actorOf, issuerOf } from '../../../../actor.ts'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Freezing } from '../../../../db/schema/tables-push.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { isRevoked } from '../../../../http/visible-groups-now.ts'
import type { SharedWork } from '../../../../lib/background.ts'
import { wake } from '../../../../lib/background.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { count, matchingAfter } from '../../../fleet/terminal-filter/index.ts'
import { brake } from '../../../people/brakes/index.ts'
import { creatorsVisibleGroups, lockTask, pushes } from '../background/phase-worker.ts'
import { kindOf } from '../kinds/kinds.ts'
import { settlePhases } from '../moves/moves.ts'
import { addRows, decide, piece } from './creation.ts'
import { addPiece, addToList, before_all, beginList, chunk, countList } from './device-list.ts'
import type { ListRules, OpenList } from './device-list.ts'
import { targetOf } from './target.ts'
import type { FrozenTargets } from './target.ts'

type Trx = Kysely<Tables>
type Task = Selectable<Tables['push_task']>

/** Devices of what matches that are frozen while the caller waits; what follows is frozen in the background. */
const at_once = 20_000

/**
 * Freezes, piece by piece, for which devices a push is now: named ones and what matches. The list's kid; where very many match
 * it does not have all of them yet, and the rest is frozen in the background. @throws `device_not_found` when a named one has left
 */
export async function freeze(actor: Actor, targets: FrozenTargets, rules: ListRules): Promise<string> {
  const { terminal_kids, match } = targets
  const { deps, visible_groups, user } = actor
  const named = [...new Set(terminal_kids)]
  const freezing = match && {
    match,
    visible_groups: visible_groups ? [...visible_groups] : null,
    by_name: user.name,
    offline_days: rules.offline_days ?? null,
    ...{ after: before_all, done: 0, of: 0 },
    needs_approval: null,
  }
  const target = await targetOf(actor, targets)
  const list = { late_filter: match, target, freezing, ...rules }
  let kid: string | undefined
  for (let from = 0; kid === undefined || from < named.length; from += chunk)
    kid = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const list_kid = kid ?? (await beginList(trx, actor, list))
        const piece = named.slice(from, from + chunk)
        // Of named devices all or none.
        if ((await addToList(trx, actor, list_kid, piece, rules)).added < piece.length) refuse('device_not_found')
        return list_kid
      }),
    )
  for (let next: Freezing | null | undefined = freezing; next?.of === 0;)
    next = await freezePiece(
      actor,
      { kid, type: rules.type, rules: rules.rules ?? null, freezing: next },
      await matchingAfter(actor, next.match!, next.after, chunk),
    )
  return kid
}

/** The list that has waited longest, of a preview or of a push that has not been stopped. */
async function findOpen({ db }: Deps): Promise<(Selectable<Tables['push_list']> & OpenList) | undefined> {
  // `of` is 0 while the call that makes the list is at it.
  const { rows } = await sql<Selectable<Tables['push_list']> & OpenList>`
    SELECT l.* FROM push_list l LEFT JOIN push_task k ON k.kid = l.push_task_kid
    WHERE l.freezing->>'of' <> '0' AND (k.kid IS NULL OR k.phase = 'creating') ORDER BY l.created_at, l.kid LIMIT 1
  `.execute(db)
  return rows[0]
}

/** Freezes the lists of very many devices in the background, so that no call has to wait for them. */
export const pushLists: SharedWork = {
  name: 'push_lists',
  every_ms: 5_000,
  at_once: 1,
  async run(deps) {
    const list = await findOpen(deps)
    if (!list) return false
    const { account_kid, push_task_kid, created_by_kid: user_kid, freezing } = list
    const { visible_groups, by_name: name } = freezing
    const group_kids = visible_groups ?? undefined
    const actor = actorOf(deps, { account_kid, group_kids, user_kid, name, token_kid: null })
    const kids = await nextDevices(actor, list, push_task_kid).catch((error: unknown) => {
      // What it is filtered by has gone: nothing more matches.
      if (error instanceof Refusal) return []
      throw error
    })
    const next = await freezePiece(actor, list, kids)
    if (push_task_kid) deps.live.publish(account_kid, { type: 'push_task', kid: push_task_kid })
    if (next === null) wake(deps, pushes)
    return true
  },
}

/** Works off, in the background, what pushes wait for, and the lists of their devices. */
export function wakePushes(deps: Deps): void {
  wake(deps, pushLists)
  wake(deps, pushes)
}

/** What matches, or what its push finds by itself. */
async function nextDevices(
  actor: Actor,
  { type, freezing }: OpenList,
  push_task_kid: string | null,
): Promise<string[]> {
  const { match, after } = freezing
  if (match) return matchingAfter(actor, match, after, chunk)
  const { db } = actor.deps
  const tasks = db.selectFrom('push_task').select('payload').where('kid', '=', push_task_kid)
  return kindOf(type).devicesAfter!(db, (await tasks.executeTakeFirstOrThrow()).payload, after, chunk)
}

/** One piece of a list. How it goes on; null after the last, undefined where another server has made it meanwhile. */
async function freezePiece(
  actor: Actor,
  list: OpenList,
  kids: readonly string[],
): Promise<Freezing | null | undefined> {
  const { deps } = actor
  const { kid, freezing } = list
  const { frozen_at_once = at_once } = deps
  const done = freezing.done + kids.length
  const is_beyond = freezing.of === 0 && kids.length === chunk && done >= frozen_at_once
  const about = is_beyond ? Math.max(done + 1, await count(actor, freezing.match!)) : freezing.of
  return retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ push_task_kid: string | null }>`
        SELECT push_task_kid FROM push_list WHERE kid = ${kid} AND freezing->>'after' = ${freezing.after} FOR NO KEY UPDATE
      `.execute(trx)
      const found = rows[0]
      if (!found) return undefined
      const next = await addPiece(trx, actor, list, kids, about)
      if (!found.push_task_kid) return next
      if (!next) await decideOrStop(trx, actor, found.push_task_kid, freezing.needs_approval)
      else
        await trx.updateTable('push_task').set({ frozen_count: done }).where('kid', '=', found.push_task_kid).execute()
      return next
    }),
  )
}

/** What the call that made a push could not decide yet. What that would have refused stops it, with the reason. */
async function decideOrStop(trx: Trx, actor: Actor, kid: string, needs_approval: boolean | null): Promise<void> {
  // Its devices count no longer as what they were taken for, and not yet as what they are.
  const { rows } = await sql<Task>`
    UPDATE push_task SET target_count = 0 WHERE kid = ${kid} AND phase = 'creating' RETURNING *
  `.execute(trx)
  const task = rows[0]
  if (!task) return
  try {
    await decide(trx, task, needs_approval ?? actor, actor.deps.clock.now())
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const remark = error.refusal === 'bad_input' ? 'picked_not_meant' : error.refusal
    const now = actor.deps.clock.now()
    const { total: target_count, left_out } = await countList(trx, task.list_kid!)
    await trx
      .updateTable('push_task')
      .set({ phase: 'canceled', phase_at: now, frozen_count: null, target_count, left_out, remark })
      .where('kid', '=', kid)
      .execute()
    await settlePhases(trx, [kid], now)
  }
}

/**
 * Takes devices that match by now into rollouts that want them: into the last step, at most `piece` of a task at a time.
 * How many that were.
 */
export async function takeLater(deps: Deps): Promise<number> {
  const now = deps.clock.now()
  const tasks = await deps.db
    .selectFrom('push_task')
    .selectAll()
    .where('phase', '=', 'running')
    .where('rollout', 'is not', null)
    .where('late_filter', 'is not', null)
    .where('open_until', '>', now)
    .execute()
  let taken = 0
  for (const task of tasks)
    taken += await takeLaterOf(deps, task, now).catch((error: unknown) => {
      // What is pushed has gone: nobody else gets it.
      if (error instanceof Refusal) return 0
      throw error
    })
  if (taken > 0) wake(deps, pushes)
  return taken
}

async function takeLaterOf(deps: Deps, task: Task, now: Date): Promise<number> {
  const { list_kid, kid, type, payload } = task
  const visible_groups = await creatorsVisibleGroups(deps.db, task, now)
  if (isRevoked(visible_groups)) return 0
  const actor = actorOf(deps, { ...issuerOf(task), group_kids: visible_groups })
  const rules = kindOf(type).rules?.(payload)
  let taken = 0
  for (let after: string | undefined; ;) {
    const kids = await matchingAfter(actor, task.late_filter!, after, 10_000)
    after = kids.at(-1)
    const { rows: known } = await sql<{ kid: string }>`
      SELECT terminal_kid AS kid FROM push_list_terminal
      WHERE push_list_kid = ${list_kid}::uuid AND terminal_kid = ANY(${kids}::uuid[])
    `.execute(deps.db)
    const there = new Set(known.map((row) => row.kid))
    const found = kids.filter((one) => !there.has(one)).slice(0, piece)
    const take = async (trx: Trx) => {
      // The others come with the next hour.
      const hit = { act: type, devices: found.length, is_again: true, or_fewer: true }
      const fresh = found.slice(0, (await brake(actor, hit, trx)).devices)
      const locked = fresh.length > 0 && (await lockTask(trx, sql`kid = ${kid} AND phase = 'running'`))
      if (!locked) return 0
      const { getting } = await addToList(trx, actor, list_kid!, fresh, { type, rules })
      const { step } = await trx
        .selectFrom('push_task_step')
        .select((eb) => eb.fn.max('step').as('step'))
        .where('push_task_kid', '=', kid)
        .executeTakeFirstOrThrow()
      const devices = getting.map((terminal_kid) => ({ terminal_kid, step }))
      const limited = { ...locked, visible_groups: visible_groups ? [...visible_groups] : null }
      const made = await addRows(trx, limited, devices, now, (n) => ({
        target_count: locked.target_count + n,
        left_out: locked.left_out + fresh.length - n,
        rows_in_sync: false,
      }))
      return made.length
    }
    if (found.length > 0) taken += await retrying(() => deps.db.transaction().execute(take))
    if (kids.length < 10_000 || found.length === piece) return taken
  }
}

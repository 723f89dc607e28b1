import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { actorOf } from '../../../../actor.ts'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import type { SharedWork } from '../../../../lib/background.ts'
import { wake } from '../../../../lib/background.ts'
import { Refusal } from '../../../../refusal.ts'
import { pushes } from './phase-worker.ts'
import { matchingAfter } from '../../../fleet/terminal-filter/index.ts'
import { brake } from '../../../people/brakes/index.ts'
import { addToList, chunk, pickFirst } from '../insert/device-list.ts'
import type { PushRules } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { settlePhases } from '../moves/moves.ts'

type Trx = Kysely<Tables>
type List = Selectable<Tables['push_list']>
type Next = { list: List; freezing: NonNullable<List['freezing']> }

/** Freezes the lists of very many devices in the background, so that no call has to wait for them. */
export const pushLists: SharedWork = {
  name: 'push_lists',
  every_ms: 5_000,
  at_once: 1,
  async run(deps) {
    const next = await nextList(deps)
    if (!next) return false
    const is_whole = await freezeMore(deps, next)
    const { account_kid, push_task_kid } = next.list
    if (push_task_kid) deps.live.publish(account_kid, { type: 'push_task', kid: push_task_kid })
    if (is_whole) wake(deps, pushes)
    return true
  },
}

/** The list that has waited longest, of a preview or of a push that has not been stopped. */
async function nextList(deps: Deps): Promise<Next | undefined> {
  const { rows } = await sql<List>`
    SELECT l.* FROM push_list l LEFT JOIN push_task k ON k.kid = l.push_task_kid
    WHERE l.freezing IS NOT NULL AND (k.kid IS NULL OR k.phase = 'creating') ORDER BY l.created_at, l.kid LIMIT 1
  `.execute(deps.db)
  const list = rows[0]
  return list?.freezing ? { list, freezing: list.freezing } : undefined
}

/** One piece of a list; whether it was the last. Another server may have made it meanwhile. */
async function freezeMore(deps: Deps, { list, freezing: of }: Next): Promise<boolean> {
  const { kid, account_kid, created_by_kid, type, rules } = list
  const { match, visible_groups, by_name, offline_days, after } = of
  const actor = actorOf(deps, {
    account_kid,
    group_kids: visible_groups ?? undefined,
    user_kid: created_by_kid,
    name: by_name,
    token_kid: null,
  })
  const kids = await (match ? matchingAfter(actor, match, after, chunk) : foundAfter(deps, list, after)).catch(
    (error: unknown) => {
      // What it is filtered by has gone: nothing more matches.
      if (error instanceof Refusal) return []
      throw error
    },
  )
  const is_whole = kids.length < chunk
  const done = of.done + kids.length
  const next = is_whole ? null : JSON.stringify({ ...of, after: kids.at(-1)!, done })
  return retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      const { rows } = await sql<List>`
        SELECT * FROM push_list WHERE kid = ${kid} AND freezing->>'after' = ${after} FOR NO KEY UPDATE
      `.execute(trx)
      const now = rows[0]
      if (!now) return false
      if (kids.length > 0)
        await addToList(trx, actor, kid, kids, {
          type,
          offline_days: offline_days ?? undefined,
          rules: (rules as PushRules | null) ?? undefined,
        })
      await trx.updateTable('push_list').set({ freezing: next }).where('kid', '=', kid).execute()
      if (!now.push_task_kid) return is_whole
      if (is_whole) await decide(trx, actor, now.push_task_kid, of.needs_approval)
      else await trx.updateTable('push_task').set({ frozen_count: done }).where('kid', '=', now.push_task_kid).execute()
      return is_whole
    }),
  )
}

/** What a push finds by itself. */
async function foundAfter({ db }: Deps, { push_task_kid, type }: List, after: string): Promise<string[]> {
  const { payload } = await db
    .selectFrom('push_task')
    .select('payload')
    .where('kid', '=', push_task_kid)
    .executeTakeFirstOrThrow()
  return kindOf(type).devicesAfter!(db, payload, after, chunk)
}

/** A push whose devices are known by now: what its call could not say yet, as it would have said it. */
async function decide(trx: Trx, actor: Actor, push_task_kid: string, needs_approval: boolean | null): Promise<void> {
  const now = actor.deps.clock.now()
  // Its devices count no longer as what they were taken for, and not yet as what they are.
  const task = await trx
    .updateTable('push_task')
    .set({ target_count: 0, frozen_count: null })
    .where('kid', '=', push_task_kid)
    .where('phase', '=', 'creating')
    .returning(['list_kid', 'type', 'rollout', 'start_at'])
    .executeTakeFirst()
  if (!task?.list_kid) return
  const { total, left_out } = await countsOf(trx, task.list_kid)
  const is_planned = task.start_at !== null && task.start_at > now
  let phase: 'awaiting_approval' | 'planned' | 'creating' | 'canceled' = is_planned ? 'planned' : 'creating'
  let remark = ''
  try {
    if (total === 0 && !kindOf(task.type).devicesAfter) throw new Refusal('task_no_device')
    const hit = { act: task.type, devices: total, is_lasting: task.rollout?.takes_later }
    needs_approval ??= (await brake(actor, hit, trx)).needs_approval
    await pickFirst(trx, task.list_kid, task.rollout?.picked_kids)
    if (needs_approval) phase = 'awaiting_approval'
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    phase = 'canceled'
    remark = error.refusal === 'bad_input' ? 'picked_not_meant' : error.refusal
  }
  await trx
    .updateTable('push_task')
    .set({ target_count: total, left_out, phase, phase_at: now, remark })
    .where('kid', '=', push_task_kid)
    .execute()
  if (phase === 'canceled') await settlePhases(trx, [push_task_kid], now)
}

async function countsOf(trx: Trx, list_kid: string): Promise<{ total: number; left_out: number }> {
  const { rows } = await sql<{ total: number; left_out: number }>`
    SELECT total, (SELECT count(*)::integer FROM push_list_terminal l WHERE l.push_list_kid = kid AND l.reason IS NOT NULL)
      AS left_out FROM push_list WHERE kid = ${list_kid}
  `.execute(trx)
  return rows[0]!
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { addToList, beginList, insertTask, lockList, wakePushes } from '../../push-task/service.ts'
import { devicesBelow } from '../levels/reach.ts'

type Db = Kysely<Tables>
/** Devices of one transaction. */
const piece = 5_000

/**
 * One piece of the list of devices of a change that goes out in steps; with the last one the push is there. Whether there was
 * anything to do.
 */
export async function stageOnce(deps: Deps): Promise<boolean> {
  const done = await deps.db.transaction().execute(async (trx) => {
    const change = await trx
      .selectFrom('configuration_change')
      .selectAll()
      .where('is_staged', '=', true)
      .where('push_task_kid', 'is', null)
      .orderBy('created_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!change || change.account_kid === null || change.rollout === null) return undefined
    const { account_kid, rollout, version, asks_approval, created_by_token_kid: token_kid } = change
    const by = { deps, account_kid, user: { kid: change.created_by_kid, name: change.created_by }, token_kid }
    const type = 'configuration'
    const list_kid = change.push_list_kid ?? (await beginList(trx, by, { type }))
    const kids = await nextDevices(trx, change)
    await addToList(trx, by, list_kid, kids, { type })
    const is_whole = kids.length < piece
    const task = is_whole
      ? await insertTask(trx, by, await lockList(trx, list_kid), {
          type,
          payload: { change_kid: change.kid, version },
          summary: await nameOf(trx, change),
          rollout: { ...rollout, takes_later: false },
          phase: asks_approval ? 'awaiting_approval' : 'creating',
        })
      : undefined
    const push_task_kid = task?.kid ?? null
    await trx
      .updateTable('configuration_change')
      .set({ push_list_kid: list_kid, push_task_kid, owed_to: is_whole ? null : kids.at(-1)! })
      .where('kid', '=', change.kid)
      .execute()
    return { account_kid, push_task_kid }
  })
  if (!done) return false
  if (done.push_task_kid !== null) {
    deps.live.publish(done.account_kid, { type: 'push_task', kid: done.push_task_kid })
    wakePushes(deps)
  }
  return true
}

type Change = Parameters<typeof devicesBelow>[1] & {
  account_kid: string | null
  sections: unknown
  owed_to: string | null
}
/** The next devices of what a change reaches, in the order of their kids. */
async function nextDevices(trx: Db, change: Change): Promise<string[]> {
  const below = (await devicesBelow(trx, change, change.sections as never)) ?? sql<boolean>`false`
  const { rows } = await sql<{ kid: string }>`
    SELECT t.kid FROM terminal t
    WHERE ${below} AND t.account_kid = ${change.account_kid}
      AND (${change.owed_to}::uuid IS NULL OR t.kid > ${change.owed_to}::uuid)
    ORDER BY t.kid LIMIT ${piece}
  `.execute(trx)
  return rows.map(({ kid }) => kid)
}

async function nameOf(trx: Db, { terminal_group_kid }: { terminal_group_kid: string | null }): Promise<string> {
  if (terminal_group_kid === null) return ''
  const group = await trx
    .selectFrom('terminal_group')
    .select('name')
    .where('kid', '=', terminal_group_kid)
    .executeTakeFirst()
  return group?.name ?? ''
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { addInSteps, beginInSteps, insertInSteps, wakePushes } from '../../push-task/service.ts'
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
    const made = {
      deps,
      account_kid,
      user: { kid: change.created_by_kid, name: change.created_by },
      type: 'configuration' as const,
    }
    const list_kid = change.push_list_kid ?? (await beginInSteps(trx, made))
    const below = (await devicesBelow(trx, change, change.sections as never)) ?? sql<boolean>`false`
    const of = { list_kid, account_kid, devices: below, after: change.owed_to, limit: piece }
    const { n, last } = await addInSteps(trx, of)
    const payload = { change_kid: change.kid, version }
    const push_task_kid =
      n < piece
        ? await insertInSteps(trx, {
            ...made,
            token_kid,
            asks_approval,
            payload,
            summary: await nameOf(trx, change),
            rollout,
            list_kid,
          })
        : null
    await trx
      .updateTable('configuration_change')
      .set({ push_list_kid: list_kid, push_task_kid, owed_to: push_task_kid === null ? last : null })
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

async function nameOf(trx: Db, { terminal_group_kid }: { terminal_group_kid: string | null }): Promise<string> {
  if (terminal_group_kid === null) return ''
  const group = await trx
    .selectFrom('terminal_group')
    .select('name')
    .where('kid', '=', terminal_group_kid)
    .executeTakeFirst()
  return group?.name ?? ''
}

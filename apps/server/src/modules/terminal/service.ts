import type { Contract, In } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { lockAccount } from '../../db/lock-account.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Actor } from '../../actor.ts'
import { refuse } from '../../refusal.ts'
import { assertAlias } from '../enrolment/service.ts'
import { target } from '../terminal-group/service.ts'
import { rowOf } from './list/rows.ts'
import { anyOf, forTargets } from '../terminal-filter/service.ts'

export { facets, osVersions } from './list/facets.ts'
export { listLowStorage, listQuarantined, onlineHistory, sampleOnline } from './overview.ts'
export { listTags, updateFields } from './fields.ts'
export { listRefusals, listRun, pagingEvent } from './history.ts'
export { inWords } from './event-words.ts'
export { pages, paging } from './list/list.ts'
export { cancel } from './scrap/removal.ts'
export { assertVisible, detailOf, rowOf, rowsOf } from './list/rows.ts'
export { cancelSchedule, schedules, shownSchedule } from './scrap/scrap-schedule.ts'
export { scrap } from './scrap/scrap.ts'
export { scraps } from './scrap/scrap-work.ts'
type Calls = Contract['terminal']['calls']

export async function rename(actor: Actor, { kid, name }: In<Calls['update']>) {
  const { deps, scope, account_kid } = actor
  assertAlias(name)
  const done = await scope.updateTable('terminal').set({ name }).where('kid', '=', kid).returning('kid').execute()
  if (done.length === 0) refuse('not_found')
  deps.live.publish(account_kid, { type: 'terminal_info', kid })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return rowOf(actor, kid)
}

/** How many were moved. `before` is given the devices that are meant, and may refuse. */
export async function moveGroup(
  actor: Actor,
  { terminal_kids, match, terminal_group_kid }: In<Calls['move_group_batch']>,
  before?: (kids: readonly string[]) => Promise<void>,
): Promise<number> {
  const { deps, account_kid, reach } = actor
  const run = async (trx: Kysely<Tables>, kids: readonly string[]) => {
    await lockAccount(trx, account_kid)
    const group = await target(trx, account_kid, reach, terminal_group_kid)
    const done = await trx
      .updateTable('terminal')
      .set({ terminal_group_kid: group })
      .where('kid', '=', anyOf(kids))
      .executeTakeFirst()
    return Number(done.numUpdatedRows)
  }
  const moved = await forTargets(actor, { terminal_kids, match }, run, { ...(before && { before }) })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  // Whoever inherits from a group is configured anew.
  deps.link.wake([])
  return moved
}

import type { Contract, In } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import { assertAlias } from '../../fleet/enrolment/index.ts'
import { target } from '../../fleet/terminal-group/index.ts'
import { rowOf } from './list/rows.ts'
import { anyOf, forTargets } from '../../fleet/terminal-filter/index.ts'

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

/** What people know about the device and it cannot say itself. */
export async function writeNote({ deps, scope, account_kid }: Actor, { kid, note }: In<Calls['update_note']>) {
  const done = await scope
    .updateTable('terminal')
    .set({ note })
    .where('kid', '=', kid)
    .returning('sn')
    .executeTakeFirst()
  if (!done) return refuse('not_found')
  deps.live.publish(account_kid, { type: 'terminal_info', kid })
  return done
}

/** How many were moved. `before` is given the devices that are meant, and may refuse. */
export async function moveGroup(
  actor: Actor,
  { terminal_kids, match, terminal_group_kid }: In<Calls['move_group_batch']>,
  before?: (kids: readonly string[]) => Promise<void>,
): Promise<number> {
  const { deps, account_kid, visible_groups } = actor
  const run = async (trx: Kysely<Tables>, kids: readonly string[]) => {
    await lockAccount(trx, account_kid)
    const group = await target(trx, account_kid, visible_groups, terminal_group_kid)
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

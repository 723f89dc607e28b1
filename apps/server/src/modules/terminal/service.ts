import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { retrying } from '../../db/retrying.ts'
import type { Tables } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'
import { assertAlias } from '../enrolment/service.ts'
import { device_gone } from '../push-task/service.ts'
import { lockAccount, target } from '../terminal-group/service.ts'
import type { Reach } from '../terminal-group/service.ts'
import { rowOf } from './rows.ts'

export { facets } from './facets.ts'
export { listRun, pagingEvent } from './history.ts'
export { paging } from './list.ts'
export { detailOf, rowOf } from './rows.ts'

type Calls = Contract['terminal']['calls']
type Db = Kysely<Tables>
/** Who changes devices: the account's scope and what of it this user reaches. */
export type Caller = { deps: Deps; scope: Db; account_kid: string; reach: Reach }

export async function rename({ deps, scope, account_kid }: Caller, { kid, name }: In<Calls['update']>) {
  assertAlias(name)
  const done = await scope.updateTable('terminal').set({ name }).where('kid', '=', kid).returning('kid').execute()
  if (done.length === 0) refuse('not_found')
  deps.live.publish(account_kid, { type: 'terminal_info', kid })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return rowOf(scope, kid)
}

/** Moves all of the named devices or none of them. */
export async function moveGroup(
  { deps, scope, account_kid, reach }: Caller,
  { terminal_kids, terminal_group_kid }: In<Calls['move_group_batch']>,
): Promise<number> {
  const kids = [...new Set(terminal_kids)]
  await retrying(() =>
    scope.transaction().execute(async (trx) => {
      await lockAccount(trx, account_kid)
      const group = await target(trx, account_kid, reach, terminal_group_kid)
      const moved = await trx
        .updateTable('terminal')
        .set({ terminal_group_kid: group })
        .where('kid', '=', anyOf(kids))
        .executeTakeFirst()
      if (Number(moved.numUpdatedRows) !== kids.length) refuse('device_not_found')
    }),
  )
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return kids.length
}

/**
 * Takes devices out of their account: all of the named ones or none. Their open tasks end, their connections too, and
 * each may announce itself again. `sns`, when given, must be the SNs of exactly these devices.
 */
export async function cancel(
  { deps, account_kid, reach }: Caller,
  { terminalKids, sns, confirm }: In<Calls['batch_cancel']>,
) {
  if (confirm !== 'DELETE') refuse('confirm_text_wrong')
  const kids = [...new Set(terminalKids)]
  const { gone, publish } = await retrying(() =>
    // Tasks of a device are their own module's, which works outside of a scope.
    deps.db.transaction().execute(async (trx) => {
      await lockAccount(trx, account_kid)
      const found = await trx
        .selectFrom('terminal')
        .select(['kid', 'sn'])
        .where('account_kid', '=', account_kid)
        .$if(reach !== undefined, (q) => q.where('terminal_group_kid', '=', anyOf(reach!)))
        .where('kid', '=', anyOf(kids))
        .orderBy('kid')
        .forUpdate()
        .execute()
      const are_all = found.length === kids.length
      if (!are_all || (sns && !sameSet(sns, found.map((row) => row.sn)))) return refuse('device_not_found') // prettier-ignore
      const told = await device_gone(trx, deps, kids)
      await trx.deleteFrom('terminal').where('kid', '=', anyOf(kids)).execute()
      return { gone: found, publish: told }
    }),
  )
  publish()
  const kick = (kid: string) =>
    deps.link
      .kick(kid, 'cancelled')
      .catch((error: unknown) => deps.log.warn({ err: error, terminal_kid: kid }, 'kick failed'))
  await Promise.all(gone.map(({ kid }) => kick(kid)))
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return gone
}

const anyOf = (kids: readonly string[]) => sql<string>`any(${kids}::uuid[])`
const sameSet = (a: string[], b: string[]): boolean => {
  const of_a = new Set(a)
  return of_a.size === b.length && b.every((each) => of_a.has(each))
}

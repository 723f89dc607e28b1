import type { Contract, In } from '@mdm/contract'
import { retrying } from '../../db/retrying.ts'
import { refuse } from '../../http/context.ts'
import { assertAlias } from '../enrolment/service.ts'
import { device_gone } from '../push-task/service.ts'
import { lockAccount, target } from '../terminal-group/service.ts'
import { rowOf } from './rows.ts'
import { anyOf, chunksOf, forTargets, resolve } from './targets.ts'
import type { Caller } from './targets.ts'

export { facets } from './facets.ts'
export { listTags, updateFields } from './fields.ts'
export { matcherOf } from './filter.ts'
export type { Searcher } from './filter.ts'
export { listRun, pagingEvent } from './history.ts'
export { count, paging, totalOf } from './list.ts'
export { assertVisible, detailOf, rowOf } from './rows.ts'
export type { Caller } from './targets.ts'

type Calls = Contract['terminal']['calls']

export async function rename({ deps, scope, account_kid }: Caller, { kid, name }: In<Calls['update']>) {
  assertAlias(name)
  const done = await scope.updateTable('terminal').set({ name }).where('kid', '=', kid).returning('kid').execute()
  if (done.length === 0) refuse('not_found')
  deps.live.publish(account_kid, { type: 'terminal_info', kid })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return rowOf(scope, kid)
}

/** How many were moved. */
export async function moveGroup(
  caller: Caller,
  { terminal_kids, match, terminal_group_kid }: In<Calls['move_group_batch']>,
): Promise<number> {
  const { deps, account_kid, reach } = caller
  const moved = await forTargets(caller, { kids: terminal_kids, match }, async (trx, kids) => {
    await lockAccount(trx, account_kid)
    const group = await target(trx, account_kid, reach, terminal_group_kid)
    const done = await trx
      .updateTable('terminal')
      .set({ terminal_group_kid: group })
      .where('kid', '=', anyOf(kids))
      .executeTakeFirst()
    return Number(done.numUpdatedRows)
  })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return moved
}

type Gone = { kid: string; sn: string }
/**
 * Takes devices out of their account: all of the named ones or none, or as many as match if that is the number that
 * was expected. Their open tasks end, their connections too, and each may announce itself again. `sns`, when given,
 * must be the SNs of exactly these devices.
 */
export async function cancel(
  caller: Caller,
  { terminalKids, match, expected_count, sns, confirm }: In<Calls['batch_cancel']>,
): Promise<Gone[]> {
  if (confirm !== 'DELETE') refuse('confirm_text_wrong')
  const { kids, is_named } = await resolve(caller, { kids: terminalKids, match })
  if (!is_named && kids.length !== expected_count) refuse('match_changed', { count: kids.length })
  const assertFound = (found: Gone[]) => {
    const are_all = !is_named || found.length === kids.length
    if (!are_all || (sns && !sameSet(sns, found.map((row) => row.sn)))) refuse('device_not_found') // prettier-ignore
  }
  const gone: Gone[] = []
  for (const chunk of chunksOf(kids)) gone.push(...(await cancelSome(caller, chunk, assertFound)))
  caller.deps.live.publish(caller.account_kid, { type: 'terminal_list_changed' })
  return gone
}

async function cancelSome(
  { deps, account_kid, reach }: Caller,
  kids: readonly string[],
  assertFound: (found: Gone[]) => void,
): Promise<Gone[]> {
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
      assertFound(found)
      const found_kids = found.map(({ kid }) => kid)
      const told = await device_gone(trx, deps, found_kids)
      await trx.deleteFrom('terminal').where('kid', '=', anyOf(found_kids)).execute()
      return { gone: found, publish: told }
    }),
  )
  publish()
  const kick = (kid: string) =>
    deps.link
      .kick(kid, 'cancelled')
      .catch((error: unknown) => deps.log.warn({ err: error, terminal_kid: kid }, 'kick failed'))
  await Promise.all(gone.map(({ kid }) => kick(kid)))
  return gone
}

const sameSet = (a: string[], b: string[]): boolean => {
  const of_a = new Set(a)
  return of_a.size === b.length && b.every((each) => of_a.has(each))
}

import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../refusal.ts'
import { brake } from '../../../people/brakes/index.ts'
import { failTasksOfDevices } from '../../../push/push-task/index.ts'
import { lockAccount } from '../../../../db/lock-account.ts'
import { anyOf, chunksOf, resolveTargets } from '../../../fleet/terminal-filter/index.ts'

type Db = Kysely<Tables>
export type Asked = In<Contract['terminal']['calls']['batch_cancel']>
export type Found = { kid: string; sn: string; name: string; model: string; terminal_group_kid: string | null }
/** What else happens to devices in the transaction that removes them. */
type Also = (trx: Db, found: readonly Found[]) => Promise<void>

export const anySn = (sns: readonly string[]) => sql<string>`any(${sns}::text[])`

/**
 * Takes devices out of their account: all of the named ones or none, or as many as match if that is the number that
 * was expected. Their open tasks end, their connections too, and each may announce itself again.
 */
export async function cancel(actor: Actor, asked: Asked): Promise<Found[]> {
  const kids = await meant(actor, asked)
  await brake(actor, { act: 'deregister', devices: kids.length })
  return remove(actor, asked, chunksOf(kids))
}

/** The devices that are meant; of those that are named by SN only, those of this account. */
export async function meant(actor: Actor, asked: Asked): Promise<string[]> {
  const { terminalKids, sns, match, expected_count, confirm } = asked
  if (confirm !== 'DELETE') refuse('confirm_text_wrong')
  if (match) {
    const { kids } = await resolveTargets(actor, { match })
    if (kids.length !== expected_count) refuse('match_changed', { count: kids.length })
    return kids
  }
  if (terminalKids) return [...new Set(terminalKids)]
  const named = [...new Set(sns)]
  const found = await actor.scope.selectFrom('terminal').select('kid').where('sn', '=', anySn(named)).execute()
  if (found.length !== named.length) refuse('device_not_found')
  return found.map(({ kid }) => kid)
}

/** Removes devices, each chunk in a transaction of its own. */
export async function remove(actor: Actor, asked: Asked, chunks: readonly string[][], also?: Also): Promise<Found[]> {
  const { deps, account_kid } = actor
  const gone: Found[] = []
  for (const kids of chunks) {
    // Tasks of a device are their own module's, and an SN is of all tenants: both work outside of a scope.
    const { found, tell } = await retrying(() =>
      deps.db.transaction().execute(async (trx) => {
        const held = await hold(trx, actor, kids)
        assertMeant(asked, kids, held)
        await also?.(trx, held)
        return { found: held, tell: await takeOut(trx, deps, account_kid, held) }
      }),
    )
    await tell()
    gone.push(...found)
  }
  return gone
}

/** Locks the account, and then those of the devices that are in it and within reach. */
export async function hold(
  trx: Db,
  { account_kid, visible_groups }: Pick<Actor, 'account_kid' | 'visible_groups'>,
  kids: readonly string[],
): Promise<Found[]> {
  await lockAccount(trx, account_kid)
  return trx
    .selectFrom('terminal')
    .select(['kid', 'sn', 'name', 'model', 'terminal_group_kid'])
    .where('account_kid', '=', account_kid)
    .$if(visible_groups !== undefined, (q) => q.where('terminal_group_kid', '=', anyOf(visible_groups!)))
    .where('kid', '=', anyOf(kids))
    .orderBy('kid')
    .forUpdate()
    .execute()
}

/** All of the named ones, and the same ones by both names. */
export function assertMeant({ match, sns }: Asked, kids: readonly string[], found: readonly Found[]): void {
  const are_all = match !== undefined || found.length === kids.length
  if (
    !are_all ||
    (sns &&
      !sameSet(
        sns,
        found.map(({ sn }) => sn),
      ))
  )
    refuse('device_not_found')
}

/** Removes, in the actor's transaction, devices that it holds. Call the result after the commit: it tells everybody. */
export async function takeOut(
  trx: Db,
  deps: Deps,
  account_kid: string,
  found: readonly Found[],
): Promise<() => Promise<void>> {
  const kids = found.map(({ kid }) => kid)
  const tellTasks = await failTasksOfDevices(trx, deps, kids)
  await trx.deleteFrom('terminal').where('kid', '=', anyOf(kids)).execute()
  const kick = (kid: string) =>
    deps.link
      .kick(kid, 'cancelled')
      .catch((error: unknown) => deps.log.warn({ err: error, terminal_kid: kid }, 'kick failed'))
  return async () => {
    tellTasks()
    deps.live.publish(account_kid, { type: 'terminal_list_changed' })
    await Promise.all(kids.map(kick))
  }
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean => {
  const of_a = new Set(a)
  return of_a.size === b.length && b.every((each) => of_a.has(each))
}

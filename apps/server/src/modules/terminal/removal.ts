import { constants } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { retrying } from '../../db/retrying.ts'
import type { Tables } from '../../db/tables.ts'
import { refuse } from '../../http/context.ts'
import { newKid } from '../../lib/ids.ts'
import { device_gone } from '../push-task/service.ts'
import { lockAccount } from '../terminal-group/service.ts'
import { anyOf, chunksOf, resolve } from './targets.ts'
import type { Caller } from './targets.ts'

type Db = Kysely<Tables>
type Asked = In<Contract['terminal']['calls']['batch_cancel']>
type Gone = { kid: string; sn: string; name: string; model: string }
/** What else happens to devices in the transaction that removes them. */
type Also = (trx: Db, gone: readonly Gone[]) => Promise<void>

const hour_ms = 3_600_000
const anySn = (sns: readonly string[]) => sql<string>`any(${sns}::text[])`

/**
 * Takes devices out of their account: all of the named ones or none, or as many as match if that is the number that
 * was expected. Their open tasks end, their connections too, and each may announce itself again.
 */
export async function cancel(caller: Caller, asked: Asked): Promise<Gone[]> {
  return remove(caller, asked, chunksOf(await meant(caller, asked)))
}

/**
 * Cancels devices whose SNs are then nobody's any more, until an operator undoes it. What an account may scrap within
 * an hour is limited, so all of them go in one transaction or none.
 */
export async function scrap(caller: Caller & { by: string }, asked: Asked): Promise<Gone[]> {
  const { deps, account_kid, by } = caller
  const kids = await meant(caller, asked)
  const max = constants.scrapped_per_hour
  const now = deps.clock.now()
  const retire: Also = async (trx, gone) => {
    const { lately } = await trx
      .selectFrom('scrapped_sn')
      .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('lately'))
      .where('account_kid', '=', account_kid)
      .where('scrapped_at', '>', new Date(now.getTime() - hour_ms))
      .executeTakeFirstOrThrow()
    const left = Math.max(0, max - lately)
    if (gone.length > left) refuse('scrap_limit', { max, left })
    if (gone.length === 0) return
    await trx
      .insertInto('scrapped_sn')
      .values(
        gone.map(({ sn, name, model }) => ({
          kid: newKid(),
          sn,
          name,
          model,
          account_kid,
          scrapped_by: by,
          scrapped_at: now,
        })),
      )
      .onConflict((oc) => oc.column('sn').doNothing())
      .execute()
    // A device may announce itself while it is registered; nobody is to wait for it.
    await trx
      .deleteFrom('announcement')
      .where('sn', '=', anySn(gone.map(({ sn }) => sn)))
      .execute()
  }
  if (kids.length > max) refuse('scrap_limit', { max, left: max })
  return remove(caller, asked, [kids], retire)
}

/** The devices that are meant; of those that are named by SN only, those of this account. */
async function meant(caller: Caller, { terminalKids, sns, match, expected_count, confirm }: Asked): Promise<string[]> {
  if (confirm !== 'DELETE') refuse('confirm_text_wrong')
  if (match) {
    const { kids } = await resolve(caller, { kids: undefined, match })
    if (kids.length !== expected_count) refuse('match_changed', { count: kids.length })
    return kids
  }
  if (terminalKids) return [...new Set(terminalKids)]
  const named = [...new Set(sns)]
  const found = await caller.scope.selectFrom('terminal').select('kid').where('sn', '=', anySn(named)).execute()
  if (found.length !== named.length) refuse('device_not_found')
  return found.map(({ kid }) => kid)
}

async function remove(caller: Caller, asked: Asked, chunks: readonly string[][], also?: Also): Promise<Gone[]> {
  const gone: Gone[] = []
  for (const kids of chunks) {
    const assertFound = (found: readonly Gone[]) => {
      const are_all = asked.match !== undefined || found.length === kids.length
      if (!are_all || (asked.sns && !sameSet(asked.sns, found.map(({ sn }) => sn)))) refuse('device_not_found') // prettier-ignore
    }
    gone.push(...(await removeSome(caller, kids, assertFound, also)))
  }
  caller.deps.live.publish(caller.account_kid, { type: 'terminal_list_changed' })
  return gone
}

async function removeSome(
  { deps, account_kid, reach }: Caller,
  kids: readonly string[],
  assertFound: (found: readonly Gone[]) => void,
  also: Also | undefined,
): Promise<Gone[]> {
  const { gone, publish } = await retrying(() =>
    // Tasks of a device are their own module's, and an SN is of all tenants: both work outside of a scope.
    deps.db.transaction().execute(async (trx) => {
      await lockAccount(trx, account_kid)
      const found = await trx
        .selectFrom('terminal')
        .select(['kid', 'sn', 'name', 'model'])
        .where('account_kid', '=', account_kid)
        .$if(reach !== undefined, (q) => q.where('terminal_group_kid', '=', anyOf(reach!)))
        .where('kid', '=', anyOf(kids))
        .orderBy('kid')
        .forUpdate()
        .execute()
      assertFound(found)
      await also?.(trx, found)
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

const sameSet = (a: readonly string[], b: readonly string[]): boolean => {
  const of_a = new Set(a)
  return of_a.size === b.length && b.every((each) => of_a.has(each))
}

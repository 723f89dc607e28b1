import { holds, pushKindOf } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Reach } from '../../actor.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { accountUsable, heldBy, limitedTo } from '../../http/session-row.ts'

/**
 * The groups whose devices the creator of a push may reach today; 'none' when that person could not push this any more:
 * disabling a stolen login, or taking its role or groups away, is what people do first.
 */
export async function reachToday(
  trx: Kysely<Tables>,
  { account_kid, created_by_kid, type }: { account_kid: string; created_by_kid: string; type: PushTaskType },
  now: Date,
): Promise<Reach | 'none'> {
  const { rows } = await sql<{ held: string[]; group_kids: string[] | null }>`
    SELECT ${heldBy('u')} AS held, ${limitedTo('u')} AS group_kids
    FROM user_account u JOIN account own ON own.kid = u.account_kid JOIN account a ON a.kid = ${account_kid}
    WHERE u.kid = ${created_by_kid} AND u.status <> 'invalid' AND ${accountUsable('own', now)} AND ${accountUsable('a', now)}
  `.execute(trx)
  const creator = rows[0]
  if (!creator || !holds(creator.held, pushKindOf(type).needs)) return 'none'
  return creator.group_kids ?? undefined
}

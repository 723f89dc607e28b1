import { holds, pushKindOf } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Reach } from '../../actor.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { accountUsable, heldBy, limitedTo } from '../../http/session-row.ts'

/**
 * The groups whose devices somebody may reach today in an account; 'none' when that person does not hold `permission` any
 * more, or cannot sign in: disabling a stolen login, or taking its role or groups away, is what people do first.
 */
export async function reachToday(
  trx: Kysely<Tables>,
  { account_kid, user_kid }: { account_kid: string; user_kid: string },
  permission: string,
  now: Date,
): Promise<Reach | 'none'> {
  const { rows } = await sql<{ held: string[]; group_kids: string[] | null }>`
    SELECT ${heldBy('u')} AS held, ${limitedTo('u')} AS group_kids
    FROM user_account u JOIN account own ON own.kid = u.account_kid JOIN account a ON a.kid = ${account_kid}
    WHERE u.kid = ${user_kid} AND u.status <> 'invalid' AND ${accountUsable('own', now)} AND ${accountUsable('a', now)}
  `.execute(trx)
  const person = rows[0]
  if (!person || !holds(person.held, permission)) return 'none'
  return person.group_kids ?? undefined
}

/** Of whoever created a push, or had it made. */
export const creatorsReach = (
  trx: Kysely<Tables>,
  { account_kid, created_by_kid, type }: { account_kid: string; created_by_kid: string; type: PushTaskType },
  now: Date,
): Promise<Reach | 'none'> => reachToday(trx, { account_kid, user_kid: created_by_kid }, pushKindOf(type).needs, now)

import { holds } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Reach } from '../actor.ts'
import type { Tables } from '../db/schema/tables.ts'
import { accountUsable, heldBy, limitedTo, mayActFor } from './session-row.ts'

/**
 * The groups whose devices somebody may reach today in an account; 'none' when that person does not hold `permission` any
 * more, may not act for the account, or cannot sign in: disabling a stolen login, or taking its role or groups away, is what people do first.
 */
export async function reachToday(
  trx: Kysely<Tables>,
  { account_kid, user_kid }: { account_kid: string; user_kid: string },
  permission: string,
  now: Date,
): Promise<Reach | 'none'> {
  const { rows } = await sql<Person>`
    SELECT ${heldBy('u')} AS held, ${limitedTo('u')} AS group_kids, u.type AS user_type, own.kid AS own_account_kid, a.parent_kid
    FROM user_account u JOIN account own ON own.kid = u.account_kid JOIN account a ON a.kid = ${account_kid}
    WHERE u.kid = ${user_kid} AND u.status <> 'invalid' AND ${accountUsable('own', now)} AND ${accountUsable('a', now)}
  `.execute(trx)
  const person = rows[0]
  if (!person || !holds(person.held, permission)) return 'none'
  if (!mayActFor(person, { kid: account_kid, parent_kid: person.parent_kid })) return 'none'
  return person.group_kids ?? undefined
}
type Person = Parameters<typeof mayActFor>[0] & { group_kids: string[] | null; parent_kid: string | null }

/** What was in reach when something was ordered and still is. */
export const stillReached = (then: Reach, today: Reach): Reach =>
  then && today ? then.filter((group) => today.includes(group)) : (today ?? then)

import { holds, narrowed } from '@mdm/contract'
import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Issuer, VisibleGroups } from '../actor.ts'
import type { Tables } from '../db/schema/tables.ts'
import { accountUsable, permissionsHeldBy, limitedTo, mayActFor } from './session-row.ts'

/** Why an order is not carried out: its issuer has lost the permission, or its API token has. */
export type Revoked = 'creator_gone' | 'token_gone'
export const isRevoked = (visible_groups: VisibleGroups | Revoked): visible_groups is Revoked =>
  typeof visible_groups === 'string'

/**
 * The groups that the issuer of an order may see today in an account. The order is revoked when the issuer does not hold `permission`
 * any more, may not act for the account, or cannot sign in: disabling a stolen login, or taking its role or groups away, is what an
 * administrator does first. An order of an API token is revoked with the token too, or with its share of the permissions.
 */
export async function visibleGroupsNow(
  trx: Kysely<Tables>,
  { account_kid, user_kid, token_kid }: Omit<Issuer, 'name'>,
  permission: string,
  now: Date,
): Promise<VisibleGroups | Revoked> {
  const { rows } = await sql<IssuerRights>`
    SELECT ${permissionsHeldBy('u')} AS held, ${limitedTo('u')} AS group_kids, u.type AS user_type, own.kid AS own_account_kid,
      a.kid AS account_kid, a.parent_kid, ${token_kid}::uuid AS token_kid, ${grantedTo(sql`${token_kid}::uuid`, now)} AS granted
    FROM user_account u JOIN account own ON own.kid = u.account_kid JOIN account a ON a.kid = ${account_kid}
    WHERE u.kid = ${user_kid} AND u.status <> 'invalid' AND ${accountUsable('own', now)} AND ${accountUsable('a', now)}
  `.execute(trx)
  return visibleGroupsOf(rows[0], permission)
}

/** The rights that the issuer of an order and the API token have today. */
export type IssuerRights = Omit<Parameters<typeof mayActFor>[0], 'held'> & {
  held: string[]
  group_kids: string[] | null
  account_kid: string
  parent_kid: string | null
  token_kid: string | null
  granted: string[] | null
}

/** What an API token was granted, as SQL; null of one that was revoked or has expired. */
export const grantedTo = (token_kid: RawBuilder<unknown>, now: Date): RawBuilder<string[] | null> =>
  sql`(SELECT t.permissions FROM api_token t WHERE t.kid = ${token_kid} AND t.expires_at > ${now})`

export function visibleGroupsOf(by: IssuerRights | undefined, permission: string): VisibleGroups | Revoked {
  if (!by) return 'creator_gone'
  const mayWith = (held: string[]) =>
    holds(held, permission) && mayActFor({ ...by, held }, { kid: by.account_kid, parent_kid: by.parent_kid })
  if (!mayWith(by.held)) return 'creator_gone'
  if (by.token_kid !== null && !mayWith(narrowed(by.granted ?? [], by.held))) return 'token_gone'
  return by.group_kids ?? undefined
}

/** The groups that the issuer could see when the order was given and can see still. */
export const stillVisible = (then: VisibleGroups, today: VisibleGroups): VisibleGroups =>
  then && today ? then.filter((group) => today.includes(group)) : (today ?? then)

import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { refuse } from '../../http/context.ts'

type Db = Kysely<Tables>
export type Quota = { terminal_max: number; terminal_count: number; remaining: number }

/**
 * How many devices an account may still register or hand to a sub-account. A sub-account draws on its parent: what it
 * was given is no longer the parent's, and it gets nothing that the parent does not have. `without_kid` is a
 * sub-account whose share is left out, because it is being changed. Refused as `not_found`.
 */
export async function quotaOf(db: Db, account_kid: string, without_kid?: string): Promise<Quota> {
  const account = await familyOf(db, account_kid, without_kid)
  if (!account) return refuse('not_found')
  const own = leftOf(account.terminal_max, account.terminal_count + account.shares)
  const parent = account.parent_kid ? await familyOf(db, account.parent_kid) : undefined
  const above = parent ? leftOf(parent.terminal_max, parent.terminal_count + parent.used) : Infinity
  const { terminal_max, terminal_count } = account
  return { terminal_max, terminal_count, remaining: Math.min(own, above) }
}

const unlimited = constants.unlimited_devices
/** Nothing is taken from what has no end. */
const leftOf = (max: number, taken: number): number => (max >= unlimited ? unlimited : Math.max(0, max - taken))

/**
 * Refused as `terminal_max_below_count` when an account with room for `terminal_max` could not hold its own devices and
 * what it gave to its sub-accounts. The caller has locked the account.
 */
export async function assertHolds(db: Db, account_kid: string, terminal_max: number): Promise<void> {
  const { terminal_count, shares } = (await familyOf(db, account_kid, null, terminal_max)) ?? refuse('not_found')
  const count = terminal_count + shares
  if (terminal_max < count) refuse('terminal_max_below_count', { count })
}

/**
 * An account with what its sub-accounts were given (at least what they use) and what they use. A share without end, or
 * of a parent without end, takes what it uses; `as_max` is what the account is to get.
 */
async function familyOf(db: Db, kid: string, without_kid: string | null = null, as_max: number | null = null) {
  const { rows } = await sql<{
    parent_kid: string | null
    terminal_max: number
    terminal_count: number
    shares: number
    used: number
  }>`
    SELECT a.parent_kid, a.terminal_max, a.terminal_count,
      COALESCE(sum(CASE
        WHEN c.terminal_max >= ${unlimited}::bigint OR COALESCE(${as_max}::bigint, a.terminal_max) >= ${unlimited}::bigint
          THEN c.terminal_count
        ELSE GREATEST(c.terminal_max, c.terminal_count)
      END), 0)::bigint AS shares,
      COALESCE(sum(c.terminal_count), 0)::bigint AS used
    FROM account a LEFT JOIN account c ON c.parent_kid = a.kid AND c.kid IS DISTINCT FROM ${without_kid}::uuid
    WHERE a.kid = ${kid} GROUP BY a.kid`.execute(db)
  return rows[0]
}

/** The account named by a caller who acts for `account_kid`: that one or a sub-account of it. Else `not_found`. */
export async function ownOrBelow(db: Db, account_kid: string, kid: string): Promise<string> {
  if (kid === account_kid) return kid
  const found = await db
    .selectFrom('account')
    .select('kid')
    .where('kid', '=', kid)
    .where('parent_kid', '=', account_kid)
    .executeTakeFirst()
  return found?.kid ?? refuse('not_found')
}

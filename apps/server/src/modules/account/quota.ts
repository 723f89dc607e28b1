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

const leftOf = (max: number, taken: number): number => Math.max(0, max - taken)

/** An account with what its sub-accounts were given (at least what they use) and what they use. */
async function familyOf(db: Db, kid: string, without_kid: string | null = null) {
  const unlimited = constants.unlimited_devices
  const { rows } = await sql<{
    parent_kid: string | null
    terminal_max: number
    terminal_count: number
    shares: number
    used: number
  }>`
    SELECT a.parent_kid, a.terminal_max, a.terminal_count,
      COALESCE(sum(CASE
        WHEN c.terminal_max >= ${unlimited}::bigint OR a.terminal_max >= ${unlimited}::bigint THEN c.terminal_count
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

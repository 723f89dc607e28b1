import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { customerOf } from '../../../db/customer.ts'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { leftAbove } from '../../../lib/shares.ts'
import { refuse } from '../../../refusal.ts'

type Db = Kysely<Tables>
export type Quota = {
  terminal_max: number
  terminal_count: number
  /** Places that its sub-accounts use or that are kept for them. */
  given: number
  remaining: number
  /** Whether it is its own maximum that leaves no more, and not the one of the account above. */
  is_own_limit: boolean
}

const unlimited = constants.unlimited_devices
/** Nothing is taken from what has no end. */
const leftOf = (max: number, left: number): number => (max >= unlimited ? unlimited : Math.max(0, left))

/**
 * How many devices an account may still register or hand to a sub-account: the one figure that registrations, edits and
 * screens go by. A share that was given to a sub-account is kept for it, used or not. Who has no share draws on what is
 * neither used nor kept: the root, and a sub-account without an end of its own. `without_kid` is a sub-account that is
 * left out with its share and its devices, because it is being changed. Refused as `not_found`.
 */
export async function quotaOf(db: Db, account_kid: string, without_kid?: string): Promise<Quota> {
  const { is_root, terminal_max, terminal_count, ...root } = await familyOf(db, account_kid, without_kid)
  const has_share = !is_root && terminal_max < unlimited
  const above = leftOf(root.max, leftAbove({ ...root, kept: root.reserved }, has_share))
  const own = is_root ? above : leftOf(terminal_max, terminal_max - terminal_count)
  return {
    terminal_max,
    terminal_count,
    given: is_root ? root.used - terminal_count + root.reserved : 0,
    remaining: Math.min(own, above),
    is_own_limit: own <= above,
  }
}

/**
 * Refused as `terminal_max_below_count` when an account with room for `terminal_max` could not hold its own devices and
 * what it gave to its sub-accounts. The caller has locked the account.
 */
export async function assertHolds(db: Db, account_kid: string, terminal_max: number): Promise<void> {
  const { terminal_count: count, given } = await quotaOf(db, account_kid)
  if (terminal_max < count + given) refuse('terminal_max_below_count', { min: count + given, count, given })
}

/** An account with the devices of its whole family and the places that are kept for sub-accounts and not used. */
async function familyOf(db: Db, kid: string, without_kid: string | null = null) {
  const { rows } = await sql<{
    is_root: boolean
    terminal_max: number
    terminal_count: number
    max: number
    used: number
    reserved: number
  }>`
    SELECT a.kid = root.kid AS is_root, a.terminal_max, a.terminal_count, root.terminal_max AS max,
      (root.terminal_count + COALESCE(sum(c.terminal_count), 0))::bigint AS used, ${reservedOf('c')} AS reserved
    FROM account a
    JOIN account root ON root.kid = ${customerOf('a')}
    LEFT JOIN account c ON c.parent_kid = root.kid AND c.type = 2 AND c.kid IS DISTINCT FROM ${without_kid}::uuid
    WHERE a.kid = ${kid} GROUP BY a.kid, root.kid`.execute(db)
  return rows[0] ?? refuse('not_found')
}

/** Places of sub-accounts (by their alias in a statement) that wait for devices. A share without end keeps none. */
export const reservedOf = (alias: string) => {
  const [max, count] = [sql.ref(`${alias}.terminal_max`), sql.ref(`${alias}.terminal_count`)]
  return sql<number>`COALESCE(sum(GREATEST(${max} - ${count}, 0)) FILTER (WHERE ${max} < ${unlimited}::bigint), 0)::bigint`
}

/**
 * The quota of `parent_kid`, leaving out `src_kid`, a sub-account that is being changed; without `parent_kid` that of
 * `src_kid`, without either that of the account acted for. Refused as `not_found` for what is neither that nor below it.
 */
export async function quotaFor(
  { deps: { db }, account_kid }: Actor,
  { parent_kid, src_kid }: { parent_kid?: string | undefined; src_kid?: string | undefined },
): Promise<Quota> {
  const parent = parent_kid && (await ownOrBelow(db, account_kid, parent_kid))
  const source = src_kid && (await ownOrBelow(db, account_kid, src_kid))
  return parent ? quotaOf(db, parent, source) : quotaOf(db, source ?? account_kid)
}

/** The account named by a caller who acts for `account_kid`: that one or a sub-account of it. Else `not_found`. */
async function ownOrBelow(db: Db, account_kid: string, kid: string): Promise<string> {
  if (kid === account_kid) return kid
  const found = await db
    .selectFrom('account')
    .select('kid')
    .where('kid', '=', kid)
    .where('parent_kid', '=', account_kid)
    .executeTakeFirst()
  return found?.kid ?? refuse('not_found')
}

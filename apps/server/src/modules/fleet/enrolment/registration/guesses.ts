import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { customerOfAccount } from '../../../../db/customer.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { limiterOf } from '../../../../lib/rate-limit.ts'
import { shownBy, wrong_codes_max } from '../device/announcements.ts'
import type { Coded } from '../device/announcements.ts'

type Db = Kysely<Tables>

/** Wrong codes for one SN by one customer, its sub-accounts included: so many, and one more every 6 minutes. */
export const guesses_of_customer = { limit: 10, per_ms: 60 * 60_000 }

/** Judges a code that was typed for an SN; none is looked at when the customer was wrong too often. */
export type Guess = <A extends Coded>(
  sn: string,
  waiting: readonly A[],
  code: string,
) => A | 'registration_code_mismatch' | 'too_many_wrong_codes'

/**
 * What an account may guess. Checked and counted in one go, so that a hundred guesses at once are a hundred guesses. The
 * customer's own count comes before the code's: a stranger who guesses at a neighbour's device shuts out only himself.
 */
export async function guessesOf(db: Db, deps: Deps, account_kid: string): Promise<Guess> {
  const customer = await customerOfAccount(db, account_kid)
  const limiter = limiterOf(deps, 'wrong registration codes', guesses_of_customer)
  return (sn, waiting, code) => {
    const key = `${customer} ${sn}`
    if (limiter.wait(key) > 0) return 'too_many_wrong_codes'
    const shown = shownBy(waiting, code)
    if (shown) return shown
    limiter.take(key)
    return 'registration_code_mismatch'
  }
}

/** Counts a wrong code against all that wait under each SN, also when the call is refused: guessing must not be free. */
export async function countWrongCodes(db: Db, sns: readonly string[]): Promise<void> {
  if (sns.length === 0) return
  await db
    .updateTable('announcement')
    .set({ wrong_codes: sql<number>`wrong_codes + 1` })
    .where('sn', '=', sql<string>`any(${sns}::text[])`)
    .where('wrong_codes', '<', wrong_codes_max)
    .execute()
}

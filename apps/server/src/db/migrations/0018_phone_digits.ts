import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * A phone number is kept as its digits, so that the same number written with a space is not another one. Where two people
 * have the same number already, the older keeps it so and the other's stays as it was written until it is next saved.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    UPDATE user_account u SET phone = d.digits
    FROM (
      SELECT DISTINCT ON (regexp_replace(phone, '[^0-9+]', '', 'g'))
        kid, regexp_replace(phone, '[^0-9+]', '', 'g') AS digits
      FROM user_account WHERE phone IS NOT NULL
      ORDER BY regexp_replace(phone, '[^0-9+]', '', 'g'), (phone ~ '[^0-9+]'), kid
    ) d
    WHERE u.kid = d.kid AND u.phone <> d.digits
  `.execute(db)
}

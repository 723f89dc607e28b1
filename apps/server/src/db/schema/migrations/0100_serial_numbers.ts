import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Two devices whose SNs differed in case only: the one registered first keeps its SN, the others get a number behind it.
  `UPDATE terminal t SET sn = CASE WHEN o.n = 1 THEN upper(t.sn) ELSE left(upper(t.sn), 30) || '.' || o.n END
    FROM (SELECT kid, row_number() OVER (PARTITION BY upper(sn) ORDER BY registered_at, kid) AS n FROM terminal) o
    WHERE o.kid = t.kid AND (o.n > 1 OR t.sn <> upper(t.sn))`,
  // A device that waits announces itself again.
  `DELETE FROM announcement WHERE sn <> upper(sn)`,
  `DELETE FROM scrapped_sn s WHERE EXISTS (SELECT FROM scrapped_sn o WHERE upper(o.sn) = upper(s.sn) AND o.kid > s.kid)`,
  `UPDATE scrapped_sn SET sn = upper(sn) WHERE sn <> upper(sn)`,
  `DELETE FROM terminal_policy p WHERE EXISTS (SELECT FROM terminal_policy o
    WHERE o.policy_kid = p.policy_kid AND upper(o.sn) = upper(p.sn) AND o.kid < p.kid)`,
  `UPDATE terminal_policy SET sn = upper(sn) WHERE sn <> upper(sn)`,
  `UPDATE batch_row SET sn = upper(sn) WHERE outcome IS NULL AND sn <> upper(sn)`,
]

/** A serial number is kept in capitals: what differs in letter case only is one device (decision 057). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

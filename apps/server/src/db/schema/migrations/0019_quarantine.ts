import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Home asks for them at every visit: few among very many devices. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE INDEX terminal_quarantined ON terminal (account_kid, quarantined_until, kid)
    WHERE quarantined_until IS NOT NULL`.execute(db)
}

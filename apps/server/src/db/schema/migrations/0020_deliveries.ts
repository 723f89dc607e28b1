import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What is told outwards: so much waits for a receiver, what was left out is counted, and the end of an alert is told for sure. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE webhook ADD COLUMN left_out integer NOT NULL DEFAULT 0, ADD COLUMN left_out_at timestamptz
  `.execute(db)
  await sql`
    CREATE INDEX webhook_delivery_waiting ON webhook_delivery (account_kid, webhook_kid) WHERE state = 'queued'
  `.execute(db)
  await sql`ALTER TABLE alert ADD COLUMN end_told_at timestamptz`.execute(db)
  await sql`UPDATE alert SET end_told_at = resolved_at WHERE told_at IS NOT NULL`.execute(db)
  await sql`
    CREATE INDEX alert_end_untold ON alert (resolved_at)
      WHERE resolved_at IS NOT NULL AND told_at IS NOT NULL AND end_told_at IS NULL
  `.execute(db)
}

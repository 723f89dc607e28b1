import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Sessions that servers have at an external broker: it keeps messages for one whose server is gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE broker_session (
      kid uuid PRIMARY KEY, state text NOT NULL DEFAULT 'open', worked_by uuid, next_at timestamptz, opened_at timestamptz NOT NULL
    )
  `.execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** When a server was last heard of by the clock of the database: clocks of servers differ. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`ALTER TABLE node ADD COLUMN heard_at timestamptz NOT NULL DEFAULT now()`).execute(db)
}

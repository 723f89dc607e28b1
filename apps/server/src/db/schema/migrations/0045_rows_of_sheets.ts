import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What a row of a sheet says of its group, and the device that came of it or was there already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE batch_row ADD COLUMN group_path text NOT NULL DEFAULT '', ADD COLUMN terminal_group_kid uuid,
    ADD COLUMN terminal_kid uuid`.execute(db)
  await sql`ALTER TABLE batch_job ADD COLUMN already integer NOT NULL DEFAULT 0`.execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** A push keeps whom it was said to be for, in the names of that moment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE push_list ADD COLUMN target jsonb`.execute(db)
  await sql`ALTER TABLE push_task ADD COLUMN target jsonb`.execute(db)
}

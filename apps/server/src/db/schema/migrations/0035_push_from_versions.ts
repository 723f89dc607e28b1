import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** An OS update keeps which versions its devices ran when it was made. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE push_task ADD COLUMN from_versions jsonb`.execute(db)
}

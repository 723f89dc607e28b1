import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A list whose devices are still being looked up, and how far that is; the push shows it.
  await sql.raw(`ALTER TABLE push_list ADD COLUMN freezing jsonb`).execute(db)
  await sql.raw(`CREATE INDEX push_list_freezing ON push_list (created_at) WHERE freezing IS NOT NULL`).execute(db)
  await sql.raw(`ALTER TABLE push_task ADD COLUMN listed integer`).execute(db)
}

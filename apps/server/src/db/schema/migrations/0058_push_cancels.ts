import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Devices of a canceled push are canceled in the background too, in the name of who canceled it.
  await sql.raw(`ALTER TABLE push_task ADD COLUMN canceled_by text`).execute(db)
}

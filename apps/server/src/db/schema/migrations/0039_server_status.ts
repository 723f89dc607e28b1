import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** A server says which version it is, so that an upgrade of several can be watched. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE node ADD COLUMN version text`.execute(db)
}

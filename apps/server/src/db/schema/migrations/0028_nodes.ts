import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** A server says where it keeps files and how far its clock is from the database's, so that others and operators can tell. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE node ADD COLUMN files text, ADD COLUMN clock_apart_ms integer`.execute(db)
}

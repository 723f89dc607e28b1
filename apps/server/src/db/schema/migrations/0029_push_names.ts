import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** The columns of pushes say what they hold: a filter for those that match late, how many of those left out were deregistered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE push_task RENAME COLUMN later TO late_filter`.execute(db)
  await sql`ALTER TABLE push_task RENAME COLUMN left_out_gone TO left_out_deregistered`.execute(db)
  await sql`ALTER TABLE push_list RENAME COLUMN later TO late_filter`.execute(db)
}

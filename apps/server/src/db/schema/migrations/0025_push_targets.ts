import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** A push keeps whom it was said to be for, in the names of that moment; why its devices failed is found without reading all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE push_list ADD COLUMN target jsonb`.execute(db)
  await sql`ALTER TABLE push_task ADD COLUMN target jsonb`.execute(db)
  await sql`
    CREATE INDEX push_task_terminal_why ON push_task_terminal (push_task_kid, terminal_kid) WHERE state = 'failed'
  `.execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * An OS update keeps which versions its devices ran when it was made. Devices of a push are listed by what is left to do about them:
 * failed, running, waiting, done, canceled; the index takes over what the one of failed devices was for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE push_task ADD COLUMN from_versions jsonb`.execute(db)
  await sql`DROP INDEX push_task_terminal_why`.execute(db)
  await sql`
    CREATE INDEX push_task_terminal_order ON push_task_terminal (push_task_kid, (
      CASE state WHEN 'failed' THEN 0 WHEN 'wait_receipt' THEN 2 WHEN 'completed' THEN 3 WHEN 'canceled' THEN 4 ELSE 1 END
    ), terminal_kid)
  `.execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * A push that has not begun can be changed. `version` counts the changes, so that none is made of what somebody else has changed
 * meanwhile; a list keeps how long its devices may have been offline, for a form that changes whom a push is for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE push_task ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN changed_at timestamptz`.execute(
    db,
  )
  await sql`CREATE INDEX push_task_changed ON push_task (account_kid, changed_at) WHERE changed_at IS NOT NULL`.execute(
    db,
  )
  await sql`ALTER TABLE push_list ADD COLUMN offline_days integer`.execute(db)
}

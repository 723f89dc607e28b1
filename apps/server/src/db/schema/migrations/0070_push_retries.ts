import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A retry that waits for its time, or is worked off in the background.
  await sql.raw(`ALTER TABLE push_task ADD COLUMN retry jsonb, ADD COLUMN retry_at timestamptz`).execute(db)
  await sql.raw(`CREATE INDEX push_task_retry ON push_task (retry_at) WHERE retry_at IS NOT NULL`).execute(db)
}

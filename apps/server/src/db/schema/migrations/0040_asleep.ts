import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Whether a device that is offline said as it went that it was put to sleep; since when is `last_online_at`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE terminal_state ADD COLUMN is_asleep boolean NOT NULL DEFAULT false`.execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Devices that check in now and then, instead of being connected, are online until a moment that each check-in sets anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE terminal_state ADD COLUMN silent_at timestamptz`.execute(db)
  await sql`CREATE INDEX terminal_state_silent ON terminal_state (silent_at) WHERE silent_at IS NOT NULL`.execute(db)
  // Its session is of no server: whichever is reached next goes on with it.
  await sql`ALTER TABLE terminal_session ALTER COLUMN node_kid DROP NOT NULL`.execute(db)
}

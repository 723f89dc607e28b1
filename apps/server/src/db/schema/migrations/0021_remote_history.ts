import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Ended remote sessions go after a time, the oldest of all accounts first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX remote_session_old ON remote_session (ended_at) WHERE ended_at IS NOT NULL`.execute(db)
}

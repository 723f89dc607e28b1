import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** A token of one device alone, which its agent brought along when it joined. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE terminal_agent ADD COLUMN token_hash bytea`.execute(db)
  await sql`CREATE UNIQUE INDEX terminal_agent_token ON terminal_agent (token_hash) WHERE token_hash IS NOT NULL`.execute(
    db,
  )
}

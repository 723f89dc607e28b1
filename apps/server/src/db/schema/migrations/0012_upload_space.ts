import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What an upload that is not kept yet takes of its account's space: all of its size while it is being sent, which
  // `reserved_until` says, or once it has come whole; otherwise what has come of it.
  `ALTER TABLE upload ADD COLUMN received bigint NOT NULL DEFAULT 0, ADD COLUMN reserved_until timestamptz`,
  `CREATE INDEX upload_unkept ON upload (account_kid) WHERE claimed_at IS NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Uploads go on at any server of a database, and limits that protect accounts hold for all servers together (decisions 159 and 160). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // In a bucket an upload is a sequence of parts, each of one length: which have come, and which request may add the next.
  await sql`
    ALTER TABLE upload ADD COLUMN multipart text, ADD COLUMN etags text[] NOT NULL DEFAULT '{}', ADD COLUMN writer uuid
  `.execute(db)
  // What came behind the last whole part.
  await sql`
    CREATE TABLE upload_piece (
      account_kid uuid NOT NULL REFERENCES account,
      upload_kid uuid NOT NULL REFERENCES upload ON DELETE CASCADE,
      start bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (upload_kid, start)
    )
  `.execute(db)
  await sql`CREATE INDEX upload_piece_account ON upload_piece (account_kid)`.execute(db)
  // full_at: when all tries of the key are there again, by the clock of the database.
  await sql`
    CREATE TABLE rate (name text NOT NULL, key text NOT NULL, full_at timestamptz NOT NULL, PRIMARY KEY (name, key))
  `.execute(db)
  await sql`CREATE INDEX rate_full ON rate (full_at)`.execute(db)
}

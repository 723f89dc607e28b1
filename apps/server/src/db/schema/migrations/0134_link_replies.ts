import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Answers of devices on their way from the server that they reached to the one that asked: nothing that outlives a crash. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE UNLOGGED TABLE link_reply (
      kid uuid PRIMARY KEY, terminal_kid uuid NOT NULL, body text NOT NULL, at timestamptz NOT NULL DEFAULT now()
    )
  `.execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // The last messages of which the server did not take over all; the device is told the same.
  `CREATE TABLE terminal_refusal (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    at timestamptz NOT NULL,
    name text NOT NULL,
    is_whole boolean NOT NULL,
    parts jsonb NOT NULL
  )`,
  `CREATE INDEX terminal_refusal_terminal ON terminal_refusal (terminal_kid, at, kid)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

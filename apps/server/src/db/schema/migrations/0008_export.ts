import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Devices as a file. `group_kids` is what the person could reach when they asked; null is everything. `attempt` tells
  // a server that was given up from the one that took over. Without a foreign key: when the account goes, the row still
  // knows which bytes have to be removed.
  `CREATE TABLE terminal_export (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    request jsonb NOT NULL,
    language text NOT NULL,
    group_kids uuid[],
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'canceled', 'failed')),
    total integer NOT NULL DEFAULT 0,
    done integer NOT NULL DEFAULT 0,
    attempt integer NOT NULL DEFAULT 0,
    object text,
    size bigint,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    touched_at timestamptz NOT NULL,
    finished_at timestamptz,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX terminal_export_one ON terminal_export (account_kid) WHERE state = 'running'`,
  `CREATE INDEX terminal_export_next ON terminal_export (created_at) WHERE state = 'running'`,
  `CREATE INDEX terminal_export_recent ON terminal_export (account_kid, created_at, kid)`,
  `CREATE INDEX terminal_export_expires ON terminal_export (expires_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Without a foreign key to the device: when that is cancelled the row still knows which bytes have to be removed.
  `CREATE TABLE device_transfer (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('download', 'upload', 'log')),
    path text NOT NULL DEFAULT '',
    name text NOT NULL,
    size bigint,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'completed', 'failed', 'canceled')),
    progress integer NOT NULL DEFAULT 0,
    code text,
    message text,
    object text,
    sha256 text,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    touched_at timestamptz NOT NULL,
    finished_at timestamptz,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX device_transfer_files ON device_transfer (terminal_kid, created_at, kid) WHERE kind <> 'log'`,
  `CREATE INDEX device_transfer_logs ON device_transfer (terminal_kid, created_at, kid) WHERE kind = 'log'`,
  `CREATE INDEX device_transfer_account ON device_transfer (account_kid) INCLUDE (state, size)`,
  `CREATE INDEX device_transfer_running ON device_transfer (touched_at) WHERE state = 'running'`,
  `CREATE INDEX device_transfer_expires ON device_transfer (expires_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

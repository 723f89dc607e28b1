import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `CREATE TABLE config_file (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    path text NOT NULL,
    size bigint NOT NULL,
    md5 text NOT NULL,
    sha256 text NOT NULL,
    object text NOT NULL,
    push_count integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX config_file_name ON config_file (account_kid, lower(name))`,
  `CREATE INDEX config_file_created ON config_file (account_kid, created_at, kid)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `ALTER TABLE os_package
    -- The server makes it from full packages: of this version, and of the one that it leads from.
    ADD COLUMN is_made boolean NOT NULL DEFAULT false,
    -- The version that it leads from, while it is being made; that may be deleted afterwards.
    ADD COLUMN from_kid uuid,
    -- Of what is being made, in percent.
    ADD COLUMN progress smallint NOT NULL DEFAULT 0`,
  `ALTER TABLE os_package DROP CONSTRAINT os_package_state_check`,
  `ALTER TABLE os_package ADD CONSTRAINT os_package_state_check
    CHECK (state IN ('fetching', 'checking', 'making', 'ready', 'failed'))`,
  `CREATE INDEX os_package_to_make ON os_package (created_at) WHERE state = 'making'`,
]

/** Difference packages that the server makes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

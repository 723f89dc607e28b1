import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What a device can install and run, as it says itself; NULL until it says.
  `ALTER TABLE terminal ADD COLUMN abis text[], ADD COLUMN sdk integer, ADD COLUMN package_kinds text[]`,
  `ALTER TABLE terminal_app ADD COLUMN version_code bigint`,

  // Terminals that run Linux get packages of their own, whose makers sign them in other ways, or not at all.
  `ALTER TABLE app_version DROP CONSTRAINT app_version_kind_check`,
  `ALTER TABLE app_version ADD CONSTRAINT app_version_kind_check CHECK (kind IN ('apk', 'apks', 'xapk', 'deb', 'zip'))`,

  // Which apps a push brings, those that others need included. An app with push tasks is not deleted.
  `CREATE TABLE push_task_app (
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    app_kid uuid NOT NULL CONSTRAINT push_task_app_kept REFERENCES app,
    account_kid uuid NOT NULL,
    version_kid uuid NOT NULL,
    PRIMARY KEY (push_task_kid, app_kid)
  )`,
  `CREATE INDEX push_task_app_of ON push_task_app (app_kid, version_kid)`,

  // By what devices were left out: the push has to be for the same.
  `ALTER TABLE push_list ADD COLUMN rules jsonb`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

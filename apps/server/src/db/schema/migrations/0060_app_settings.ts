import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What each version says can be set of it from outside. Without a row: kept before that was read.
  `CREATE TABLE app_version_settings (
    version_kid uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    settings jsonb NOT NULL
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

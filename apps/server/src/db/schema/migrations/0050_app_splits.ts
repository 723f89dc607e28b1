import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // The APKs of a package in several, each with the devices that it is for. Empty: one file, or read before parts were.
  `ALTER TABLE app_version ADD COLUMN splits jsonb NOT NULL DEFAULT '[]'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

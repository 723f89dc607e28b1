import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Names of what is in a package and is not put on devices. Empty of what was read before they were looked for.
  `ALTER TABLE app_version ADD COLUMN left_out text[] NOT NULL DEFAULT '{}'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What the browser says of the file, so that the same file, chosen again anywhere, goes on where it stopped.
  `ALTER TABLE upload ADD COLUMN fingerprint text NOT NULL DEFAULT ''`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What the clock of a server that could be believed last read: a start with a wrong clock is known by it.
  `CREATE TABLE clock_seen (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), at timestamptz NOT NULL)`,
  `ALTER TABLE node ADD COLUMN clock_doubt jsonb`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

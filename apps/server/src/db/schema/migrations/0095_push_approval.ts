import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What the limit was before somebody loosened it: for that person it holds for a while longer.
  `ALTER TABLE account ADD COLUMN push_approval_loosened jsonb NOT NULL DEFAULT '[]'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

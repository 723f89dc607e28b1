import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Which were not heard of for longest: they go when there are too many.
  `CREATE INDEX announcement_announced ON announcement (announced_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

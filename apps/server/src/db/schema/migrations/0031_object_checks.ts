import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // When the bytes of an object were last read and compared, and what was wrong with them. Whichever rows refer to it.
  `CREATE TABLE object_check (
    object text PRIMARY KEY,
    checked_at timestamptz NOT NULL,
    fault text CHECK (fault IN ('missing', 'changed'))
  )`,
  `CREATE INDEX object_check_faults ON object_check (object) WHERE fault IS NOT NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

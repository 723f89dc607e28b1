import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What devices uploaded for a push, by its age.
  `CREATE INDEX push_task_terminal_result ON push_task_terminal (state_at) WHERE result_object IS NOT NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

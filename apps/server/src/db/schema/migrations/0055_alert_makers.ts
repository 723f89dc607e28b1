import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Which groups a rule watches is asked of its maker each time it is judged.
  `ALTER TABLE alert_rule DROP COLUMN reach`,
  `ALTER TABLE alert DROP COLUMN reach`,
  // A rule looks for those that wait and those that are calm each time, among many that simply go on.
  `CREATE INDEX alert_terminal_waiting ON alert_terminal (rule_kid) WHERE fired_at IS NULL`,
  `CREATE INDEX alert_terminal_calm ON alert_terminal (rule_kid, calm_since) WHERE calm_since IS NOT NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

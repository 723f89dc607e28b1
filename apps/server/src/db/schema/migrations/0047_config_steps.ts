import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // The push whose steps a change goes out in; while it is staged, devices whose step has not begun keep what they had.
  `ALTER TABLE configuration_change ADD COLUMN push_task_kid uuid`,
  `ALTER TABLE configuration_change ADD COLUMN is_staged boolean NOT NULL DEFAULT false`,
  // Its steps, and the list of its devices while that is made.
  `ALTER TABLE configuration_change ADD COLUMN rollout jsonb`,
  `ALTER TABLE configuration_change ADD COLUMN push_list_kid uuid`,
  `CREATE INDEX configuration_change_staged ON configuration_change (account_kid) WHERE is_staged`,
  // Devices that were given a change of a step and have not said what became of it.
  `CREATE INDEX push_task_terminal_configuration ON push_task_terminal (push_task_kid, terminal_kid)
    WHERE type = 'configuration' AND state = 'wait_receipt' AND sent_at IS NOT NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

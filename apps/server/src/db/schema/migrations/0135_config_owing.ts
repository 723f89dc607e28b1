import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What was set somewhere, be it a configuration or a fence, is owed to more devices than one transaction marks.
  `CREATE TABLE terminal_config_owing (
    kid uuid PRIMARY KEY,
    account_kid uuid REFERENCES account ON DELETE CASCADE,
    ltscope smallint NOT NULL,
    terminal_group_kid uuid,
    terminal_kid uuid,
    sections text[] NOT NULL,
    change_kid uuid,
    after_kid uuid,
    created_at timestamptz NOT NULL
  )`,
  `CREATE INDEX terminal_config_owing_change ON terminal_config_owing (change_kid) WHERE change_kid IS NOT NULL`,
  `ALTER TABLE configuration_change
    DROP COLUMN is_owing, DROP COLUMN owed_to, DROP COLUMN rollout, DROP COLUMN push_list_kid, DROP COLUMN asks_approval`,
  `CREATE INDEX configuration_change_push ON configuration_change (push_task_kid) WHERE push_task_kid IS NOT NULL`,
  `DROP INDEX push_task_terminal_configuration`,
  `CREATE INDEX push_task_terminal_configuration ON push_task_terminal (terminal_kid)
    WHERE type = 'configuration' AND state = 'wait_receipt' AND sent_at IS NOT NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

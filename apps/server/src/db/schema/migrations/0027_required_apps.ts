import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Apps that devices of a group have to have: a job pushes them to those that lack them or have a lower version.
  `CREATE TABLE app_requirement (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE CASCADE,
    conditions jsonb NOT NULL,
    is_on boolean NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    next_at timestamptz,
    looked_at timestamptz,
    counts jsonb,
    last_task_kid uuid,
    last_error jsonb
  )`,
  `CREATE UNIQUE INDEX app_requirement_once ON app_requirement (account_kid, app_kid, terminal_group_kid) NULLS NOT DISTINCT`,
  `CREATE INDEX app_requirement_due ON app_requirement (next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX app_requirement_app ON app_requirement (app_kid)`,
  `CREATE INDEX app_requirement_group ON app_requirement (terminal_group_kid) WHERE terminal_group_kid IS NOT NULL`,
  `ALTER TABLE push_task ADD COLUMN requirement_kid uuid`,
  `CREATE INDEX push_task_requirement ON push_task (requirement_kid, created_at) WHERE requirement_kid IS NOT NULL`,

  // The software report reads one account in the order in which it groups.
  `CREATE INDEX terminal_app_report ON terminal_app (account_kid, package, version)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

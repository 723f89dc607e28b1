import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const none = `{"window_kid": "", "window_name": "", "window_days": [], "window_from": "", "window_to": "", "days": []}`

/**
 * Maintenance windows of an account. What refers to one keeps its hours in itself, so that it says what held when it ended;
 * the indexes find what a change of the window has to change.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE maintenance_window (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    name text NOT NULL,
    days smallint[] NOT NULL,
    "from" text NOT NULL,
    "to" text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  )`.execute(db)
  await sql`CREATE UNIQUE INDEX maintenance_window_name ON maintenance_window (account_kid, lower(name))`.execute(db)
  await sql`CREATE INDEX push_task_window ON push_task (account_kid, (conditions #>> '{window,kid}'))
    WHERE conditions #>> '{window,kid}' IS NOT NULL`.execute(db)
  await sql`CREATE INDEX terminal_config_window ON terminal_config (account_kid, (value ->> 'window_kid'))
    WHERE section = 'update_window'`.execute(db)
  await sql`UPDATE terminal_config SET value = ${none}::jsonb || value WHERE section = 'update_window'`.execute(db)
  for (const column of ['before', 'after'])
    await sql`UPDATE configuration_change
      SET ${sql.ref(column)} = jsonb_set(${sql.ref(column)}, '{update_window}', ${none}::jsonb || (${sql.ref(column)} -> 'update_window'))
      WHERE jsonb_typeof(${sql.ref(column)} -> 'update_window') = 'object'`.execute(db)
}

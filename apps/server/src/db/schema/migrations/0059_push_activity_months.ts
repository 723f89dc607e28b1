import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** By far the largest part of a push is what happened on its devices: it goes by months, as what devices say does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`ALTER TABLE push_task_activity RENAME TO push_task_activity_before`)
  await run(`ALTER TABLE push_task_activity_before DROP CONSTRAINT push_task_activity_pkey`)
  await run(`DROP INDEX push_task_activity_one`)
  await run(`CREATE TABLE push_task_activity (
    kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    attempt integer NOT NULL,
    event text NOT NULL,
    at timestamptz NOT NULL,
    code text,
    message text,
    by_name text
  ) PARTITION BY RANGE (at)`)
  await run(`CREATE INDEX push_task_activity_one ON push_task_activity (push_task_kid, terminal_kid, at)`)
  const { rows } = await sql<{ name: string; from: string; to: string }>`
    SELECT to_char(m, '"push_task_activity_y"YYYY"m"MM') AS name, to_char(m, 'YYYY-MM-DD"T00:00:00Z"') AS from,
      to_char(m + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"') AS to
    FROM (SELECT DISTINCT date_trunc('month', at AT TIME ZONE 'UTC') AS m FROM push_task_activity_before) months
  `.execute(db)
  for (const { name, from, to } of rows)
    await run(`CREATE TABLE ${name} PARTITION OF push_task_activity FOR VALUES FROM ('${from}') TO ('${to}')`)
  const columns = 'kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, code, message, by_name'
  await run(`INSERT INTO push_task_activity (${columns}) SELECT ${columns} FROM push_task_activity_before`)
  await run(`DROP TABLE push_task_activity_before`)
}

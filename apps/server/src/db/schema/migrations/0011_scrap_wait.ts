import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Devices that wait to be scrapped. `reach` are the groups that whoever asked could reach, null for all; `group_kids`
  // those in which the devices were then, null when one was in none: they decide which limited users see the row.
  `CREATE TABLE scrap_schedule (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_kids uuid[] NOT NULL,
    reach uuid[],
    group_kids uuid[],
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'canceled', 'failed')),
    total integer NOT NULL,
    scrapped integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    canceled_by text,
    finished_at timestamptz,
    CHECK ((state = 'waiting') = (finished_at IS NULL))
  )`,
  `CREATE INDEX scrap_schedule_due ON scrap_schedule (due_at) WHERE state = 'waiting'`,
  `CREATE INDEX scrap_schedule_recent ON scrap_schedule (account_kid, created_at, kid)`,
  `CREATE INDEX scrap_schedule_ended ON scrap_schedule (finished_at) WHERE state <> 'waiting'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `CREATE INDEX push_task_os ON push_task ((payload ->> 'os_version_kid')) WHERE type = 'os'`,
  // How many devices of an account ran what at the end of a day.
  `CREATE TABLE os_version_day (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    day date NOT NULL,
    os_version text NOT NULL,
    devices integer NOT NULL,
    PRIMARY KEY (account_kid, day, os_version)
  )`,
]

/** Pushes of OS versions, and which versions ran over time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

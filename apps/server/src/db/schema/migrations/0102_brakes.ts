import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Who took so many devices out of people's hands without a second person; counted with what that person pushed.
  `ALTER TABLE destruction ADD COLUMN user_kid uuid`,
  `ALTER TABLE destruction ADD COLUMN alone integer NOT NULL DEFAULT 0`,
  // A change that begins once a second person has approved its push, and the API token that it was made with.
  `ALTER TABLE configuration_change ADD COLUMN asks_approval boolean NOT NULL DEFAULT false`,
  `ALTER TABLE configuration_change ADD COLUMN created_by_token_kid uuid`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What devices say of their operating system, and the lists that its UID is made of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `ALTER TABLE terminal ADD COLUMN uid text NOT NULL DEFAULT '', ADD COLUMN version_code bigint, ADD COLUMN ver bigint`,
  `CREATE INDEX terminal_by_uid ON terminal (account_kid, uid, kid)`,
  // Of all accounts: whether any device runs a UID, and how many do.
  `CREATE INDEX terminal_uid ON terminal (lower(uid)) WHERE uid <> ''`,
]

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // The code that the device showed when it was registered; it is used up. Null for one that came by a QR code.
  `ALTER TABLE terminal ADD COLUMN registration_code text`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

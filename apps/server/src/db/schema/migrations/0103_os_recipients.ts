import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Of a version whose pushes are being canceled: those of these accounts, which may not have it any more; null: all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE os_version ADD COLUMN cancel_account_kids uuid[]`.execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Keys whose private half the server never had. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`ALTER TABLE os_key ALTER COLUMN private_key_sealed DROP NOT NULL`).execute(db)
  await sql.raw(`CREATE UNIQUE INDEX os_key_public ON os_key (public_key)`).execute(db)
}

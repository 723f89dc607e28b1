import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Which machines have answered with the secret of a device, in turn: the evidence that it was copied. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`ALTER TABLE terminal_state ADD COLUMN machines jsonb`).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Browsers from which somebody has signed in stand beside the networks, and are looked for by themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`CREATE INDEX login_network_place ON login_network (network, last_use_at)`).execute(db)
}

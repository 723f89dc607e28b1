import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Devices are asked for by the kind of their agent, and by what they say that they carry out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX terminal_by_agent_kind ON terminal (account_kid, agent_kind, kid)`.execute(db)
  await sql`CREATE INDEX terminal_task_types ON terminal USING gin (task_types)`.execute(db)
}

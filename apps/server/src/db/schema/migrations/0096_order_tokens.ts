import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * The API token with which something was ordered that is carried out later. No foreign key: the order outlives the token, and
 * then says why it stopped.
 */
const columns = {
  push_task: 'created_by_token_kid',
  push_schedule: 'created_by_token_kid',
  scrap_schedule: 'created_by_token_kid',
  app_requirement: 'created_by_token_kid',
  alert_rule: 'created_by_token_kid',
  electronic_fence: 'updated_by_token_kid',
  terminal_config: 'updated_by_token_kid',
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of Object.entries(columns))
    await sql.raw(`ALTER TABLE ${table} ADD COLUMN ${column} uuid`).execute(db)
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What was set somewhere and is still to be marked is a queue; of a list of API calls it is for the devices of its UIDs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE terminal_config_owing RENAME TO terminal_config_queue`.execute(db)
  await sql`ALTER TABLE terminal_config_queue RENAME COLUMN after_kid TO queued_up_to`.execute(db)
  await sql`ALTER INDEX terminal_config_owing_change RENAME TO terminal_config_queue_change`.execute(db)
  await sql`ALTER TABLE terminal_config_queue ADD COLUMN uid_kids uuid[]`.execute(db)
}

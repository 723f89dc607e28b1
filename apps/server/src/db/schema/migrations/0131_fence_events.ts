import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * What happened to the devices of one fence is read by the fence. A device may say anything of 1,000 characters where the
 * kid of its fence belongs, and an entry of an index must be shorter: the kid is the first 36.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `CREATE INDEX terminal_event_fence ON terminal_event (account_kid, "left"(detail ->> 'fence_kid', 36), at, kid)
        WHERE type IN ('fence_in', 'fence_out', 'fence_action')`,
    )
    .execute(db)
}

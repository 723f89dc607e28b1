import type { Kysely } from 'kysely'
import type { Tables } from './schema/tables.ts'

/** The time zone in which a person reads times; UTC where none was chosen, or the person is gone. */
export async function zoneOfUser(db: Kysely<Tables>, user_kid: string): Promise<string> {
  const row = await db.selectFrom('user_account').select('zone_id').where('kid', '=', user_kid).executeTakeFirst()
  return row?.zone_id ?? 'UTC'
}

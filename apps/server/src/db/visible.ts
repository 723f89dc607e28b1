import { refuse } from '../refusal.ts'
import type { Kysely } from 'kysely'
import type { Tables } from './schema/tables.ts'

/** Rows that hang on a device are as visible as the device: groups limit only the table `terminal`. */
export async function assertVisible(scope: Kysely<Tables>, kid: string): Promise<void> {
  const found = await scope.selectFrom('terminal').select('kid').where('kid', '=', kid).executeTakeFirst()
  if (!found) refuse('not_found')
}

import type { ErrorName } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { refuse } from '../refusal.ts'
import { lockAccount } from './lock-account.ts'
import type { Tables } from './schema/tables.ts'

type Counted =
  | 'alert_rule'
  | 'app_requirement'
  | 'config_profile'
  | 'electronic_fence'
  | 'istage_config'
  | 'istage_template'
  | 'maintenance_window'
  | 'push_schedule'
  | 'push_template'
  | 'terminal_dynamic_group'
  | 'webhook'

/** Room for one more row of this account. Whoever adds another waits: two at once would count past each other. */
export async function assertRoom(
  trx: Kysely<Tables>,
  account_kid: string,
  table: Counted,
  [refusal, max]: readonly [ErrorName, number],
): Promise<void> {
  await lockAccount(trx, account_kid)
  const rows = await trx.selectFrom(table).select('kid').where('account_kid', '=', account_kid).limit(max).execute()
  if (rows.length >= max) refuse(refusal, { max })
}

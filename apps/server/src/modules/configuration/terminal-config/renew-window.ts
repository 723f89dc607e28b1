import { config_group_permission, ltscopes, windowLimits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import type { Hours } from '../../push/execution-window/index.ts'
import { withHours } from './named-window.ts'
import { writeSections } from './write.ts'
import type { Writing } from './write.ts'

/**
 * Writes the hours of a maintenance window wherever a configuration of the account refers to it, a version each.
 * @throws `no_permission` to who may not write configurations, `maintenance_window_places`, `config_in_steps`
 */
export async function renewWindow(
  trx: Kysely<Tables>,
  actor: ActorWith<'may'>,
  hours: Hours,
  after: Writing['after'],
): Promise<void> {
  const { deps, account_kid, user, token_kid, may } = actor
  const max = windowLimits.places
  const rows = await trx
    .selectFrom('terminal_config')
    .select(['account_kid', 'ltscope', 'terminal_group_kid', 'profile_kid', 'terminal_kid', 'value'])
    .where('account_kid', '=', account_kid)
    .where('section', '=', 'update_window')
    .where(sql<string>`value ->> 'window_kid'`, '=', hours.kid)
    .orderBy('kid')
    .limit(max + 1)
    .execute()
  if (rows.length > max) refuse('maintenance_window_places', { max })
  const is_of_many = rows.some(({ ltscope }) => ltscope !== ltscopes.terminal)
  if (rows.length > 0 && !may('deviceDetailConfig:edit')) refuse('no_permission')
  if (is_of_many && !may(config_group_permission)) refuse('no_permission')
  for (const { value, ...place } of rows) {
    const values = { update_window: { ...(value as object), ...withHours(hours) } }
    await writeSections(trx, { deps, user, token_kid, after, place, act: 'save', values })
  }
}

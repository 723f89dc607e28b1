import { config_group_permission, ltscopes, windowLimits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import { hoursOf, windowOf } from '../../push/execution-window/index.ts'
import type { Hours } from '../../push/execution-window/index.ts'
import { writeSections } from './write.ts'
import type { Values, Writing } from './write.ts'

type Given = { mode: string; window_kid: string }
type Kept = Given & { window_days: number[]; window_from: string; window_to: string }

const filled = ({ kid, name, days, from, to }: Hours) => ({
  window_kid: kid,
  window_name: name,
  window_days: days,
  window_from: from,
  window_to: to,
})
const of_none = { window_kid: '', window_name: '', window_days: [], window_from: '', window_to: '' }

/** The section as it is stored: with the hours of the maintenance window that it refers to, or of none. */
export const readUpdateWindow = async (scope: Kysely<Tables>, given: Given) => ({
  ...given,
  ...(given.mode === 'named' ? filled(await hoursOf(scope, given.window_kid, 'update_window.window_kid')) : of_none),
})

/** Values of an earlier version, in which a maintenance window has the hours of now; of one that is gone they become own hours. */
export async function withWindowOfNow(scope: Kysely<Tables>, values: Values): Promise<Values> {
  const kept = values.update_window as Kept | null | undefined
  if (kept?.mode !== 'named') return values
  const found = await windowOf(scope, kept.window_kid)
  const { window_days: days, window_from: from, window_to: to } = kept
  const update_window = found ? { ...kept, ...filled(found) } : { ...kept, ...of_none, mode: 'window', days, from, to }
  return { ...values, update_window }
}

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
    const values = { update_window: { ...(value as object), ...filled(hours) } }
    await writeSections(trx, { deps, user, token_kid, after, place, act: 'save', values })
  }
}

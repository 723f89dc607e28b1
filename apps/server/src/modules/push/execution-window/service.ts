import type { ExecutionWindow } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { Refusal } from '../../../refusal.ts'

/** What of a maintenance window stands wherever something refers to it. */
export type Hours = Required<Omit<ExecutionWindow, 'kid'>> & { kid: string }

/** A maintenance window of the account, where there is one. */
export const windowOf = (scope: Kysely<Tables>, kid: string): Promise<Hours | undefined> =>
  scope
    .selectFrom('maintenance_window')
    .select(['kid', 'name', 'days', 'from', 'to'])
    .where('kid', '=', kid)
    .executeTakeFirst()

/** @throws `bad_input` at the field that names it, where the account has no such window */
export async function hoursOf(scope: Kysely<Tables>, kid: string, field: string): Promise<Hours> {
  const found = await windowOf(scope, kid)
  if (!found) throw new Refusal('bad_input', {}, { [field]: { name: 'window_unknown', details: {} } })
  return found
}

/** Conditions as they are stored: a maintenance window with its name and hours as they are now, whatever came with them. */
export async function readWindow<C extends { window?: ExecutionWindow | undefined }>(
  scope: Kysely<Tables>,
  conditions: C,
  field = 'conditions.window',
): Promise<C> {
  const { window } = conditions
  if (window === undefined) return conditions
  const { kid, name: _, ...own } = window
  return { ...conditions, window: kid === undefined ? own : await hoursOf(scope, kid, field) }
}

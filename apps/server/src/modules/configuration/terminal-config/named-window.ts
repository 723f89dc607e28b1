import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { hoursOf, windowOf } from '../../push/execution-window/index.ts'
import type { Hours } from '../../push/execution-window/index.ts'

type Values = Record<string, unknown>
type Given = { mode: string; window_kid: string }
type Kept = Given & { window_days: number[]; window_from: string; window_to: string }

export const withHours = ({ kid, name, days, from, to }: Hours) => ({
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
  ...(given.mode === 'named' ? withHours(await hoursOf(scope, given.window_kid, 'update_window.window_kid')) : of_none),
})

/** Values of an earlier version, in which a maintenance window has the hours of now; of one that is gone they become own hours. */
export async function withWindowOfNow(db: Kysely<Tables>, values: Values): Promise<Values> {
  const kept = values['update_window'] as Kept | null | undefined
  if (kept?.mode !== 'named') return values
  const found = await windowOf(db, kept.window_kid)
  const { window_days: days, window_from: from, window_to: to } = kept
  const update_window = found
    ? { ...kept, ...withHours(found) }
    : { ...kept, ...of_none, mode: 'window', days, from, to }
  return { ...values, update_window }
}

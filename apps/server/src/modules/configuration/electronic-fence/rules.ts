import { fenceAccuracyCodes, fenceAccuracyKeys } from '@mdm/contract'
import type { FenceAccuracyName } from '@mdm/contract'
import type { Ctx } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'

/** The specification's number of an accuracy, and back. */
export const accuracyCode = (name: FenceAccuracyName) => fenceAccuracyCodes[name]
export const accuracyName = (code: number): FenceAccuracyName =>
  fenceAccuracyKeys.find((name) => fenceAccuracyCodes[name] === code)!

/** A user who may not lock or ring devices directly may not do so by a fence. */
export function assertActions(
  { may }: Pick<Ctx, 'may'>,
  { is_locking, alarm_seconds }: { is_locking: boolean; alarm_seconds: number | null },
): void {
  if (is_locking && !may('deviceDetailInfo:lock')) refuse('no_permission')
  if (alarm_seconds !== null && !may('deviceDetailInfo:find')) refuse('no_permission')
}

/** What an edit says. */
export const defined = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>

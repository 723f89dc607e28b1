import { fenceAccuracyCodes, fenceAccuracyKeys, fenceLimits, fenceShapes } from '@mdm/contract'
import type { FenceAccuracyName } from '@mdm/contract'
import type { Ctx } from '../../../http/context.ts'
import { aroundPolygon } from '@mdm/device-link'
import type { Corner } from '@mdm/device-link'
import { Refusal, refuse } from '../../../refusal.ts'

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

export type Area = { points: Corner[] | null; longitude?: number; latitude?: number; radius?: number }
/** A polygon with the circle around it, or no polygon. @throws `bad_input` of a polygon without corners, or of another size than a fence has */
export function areaOf(shape: number | undefined, points: Corner[] | null | undefined): Area {
  if (!points) {
    if (shape === fenceShapes.polygon) throw new Refusal('bad_input', {}, { points: { name: 'required' } })
    return { points: null }
  }
  const { center, radius } = aroundPolygon(points)
  const { min, max } = fenceLimits.radius
  if (radius < min || radius > max) {
    const details = { min, max: max / 1_000 }
    throw new Refusal('bad_input', {}, { points: { name: 'polygon_size', details } })
  }
  return { points, ...center, radius }
}

/** What an edit says. */
export const defined = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>

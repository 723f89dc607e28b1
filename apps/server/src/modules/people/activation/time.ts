import type { Deps } from '../../../deps.ts'
import { clockDoubt } from '../../../lib/clock-watch.ts'

/** The latest time that was known when a code was entered, and how much has run since by what no setting of the clock moves. */
export type KnownTime = { entered_at: number; at: number; elapsed: number }

/**
 * The time that an activation goes by: never before what was known of it, so that a clock that is set back wins nothing,
 * and not by a clock in doubt.
 */
export function activationTime(deps: Deps, noted: { entered_at: Date; latest_at: Date }): Date {
  const { memory, clock } = deps
  const entered_at = noted.entered_at.getTime()
  const elapsed = clock.elapsed()
  const known = memory.activation
  const ran = known?.entered_at === entered_at ? known.at + (elapsed - known.elapsed) : 0
  const floor = Math.max(noted.latest_at.getTime(), ran)
  const at = clockDoubt(deps) ? floor : Math.max(floor, clock.now().getTime())
  memory.activation = { entered_at, at, elapsed }
  return new Date(at)
}

import { deadlineSeconds } from '@mdm/contract'
import type { Deps } from '../../../../deps.ts'

const open_ms = 7 * 86_400_000
/** A device goes by its own clock, and is at it until it notices. */
export const spare_ms = 86_400_000 + deadlineSeconds.executing * 1_000

/** Until then the device begins, by its own clock; what it needs for that lives at least as long. */
export const expiryOf = (
  deps: Deps,
  { open_until, deadline_at }: { open_until: Date | null; deadline_at: Date | null },
): Date => open_until ?? deadline_at ?? new Date(deps.clock.now().getTime() + open_ms)

/** How long from now links live that a device needs for an attempt. */
export const linkSeconds = (deps: Deps, expires_at: Date): number =>
  Math.ceil((expires_at.getTime() + spare_ms - deps.clock.now().getTime()) / 1_000)

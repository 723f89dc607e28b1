import { newKid } from '../../lib/ids.ts'

export type Boot = { id: string; at: number }
/** The one that a device is in, and the one before. */
export type KeptBoots = { boots: Boot[] }

/** By how much the moment of a boot that is worked out from uptimes may differ. */
const tolerance_ms = 2 * 60_000

/**
 * Boots are told apart by the moment at which they began by the server's clock: that of the device jitters and is set.
 * @returns whether the device has started again since it was last here
 */
export function noteUptime(kept: KeptBoots, uptime_ms: number | undefined, now: number): boolean {
  if (uptime_ms === undefined) return false
  const at = now - uptime_ms
  const [current] = kept.boots
  const known = kept.boots.find((boot) => Math.abs(boot.at - at) <= tolerance_ms)
  const boot = { id: known?.id ?? `boot-${newKid()}`, at }
  kept.boots = [boot, ...kept.boots.filter(({ id }) => id !== boot.id)].slice(0, 2)
  return current !== undefined && current.id !== boot.id
}

import { metresBetween } from '@mdm/device-link'
import type { CollectionPolicy } from '@mdm/device-link'
import type { StatePartsOf } from './body/body.ts'

export { metresBetween } from '@mdm/device-link'

const moved = (before: number | undefined, now: number | undefined, by: number): boolean =>
  before === undefined || now === undefined ? before !== now : Math.abs(before - now) >= by

/** What of a state may be told at all. */
export function collected(parts: StatePartsOf, policy: CollectionPolicy): StatePartsOf {
  const { battery, wifi, sims, location, network, ...rest } = parts
  const kept: StatePartsOf = rest
  if (battery && policy.is_battery_on) kept.battery = battery
  if (wifi && policy.is_wifi_on) kept.wifi = wifi
  if (sims && policy.is_mobile_on) kept.sims = sims
  if (location && policy.is_location_on) kept.location = location
  if (network) {
    const { signal, ...without } = network
    const is_told = network.type === 'mobile' ? policy.is_mobile_on : network.type !== 'wifi' || policy.is_wifi_on
    kept.network = is_told && signal !== undefined ? network : without
  }
  return kept
}

/**
 * The parts of `now` that differ enough from what was last reported. Running figures never count as a change: they go
 * with the timed report. `location_age_ms` is the time since a location was last reported.
 */
export function changedParts(
  before: StatePartsOf,
  now: StatePartsOf,
  location_age_ms: number,
  policy: CollectionPolicy,
): StatePartsOf {
  const changed: StatePartsOf = {}
  const { battery, network, wifi, sims, location, foreground_app } = now
  const has_moved = moved(before.battery?.level, battery?.level, policy.battery_percent)
  if (battery && (battery.trigger !== undefined || before.battery?.charging !== battery.charging || has_moved))
    changed.battery = has_moved ? { trigger: 'change', ...battery } : battery
  const signalStep = network?.type === 'mobile' ? policy.mobile_dbm : policy.wifi_dbm
  if (
    network &&
    (before.network?.type !== network.type ||
      before.network.internal_ip !== network.internal_ip ||
      before.network.is_roaming !== network.is_roaming ||
      moved(before.network.signal, network.signal, signalStep))
  )
    changed.network = network
  if (
    wifi &&
    (before.wifi?.ssid !== wifi.ssid ||
      before.wifi?.bssid !== wifi.bssid ||
      moved(before.wifi?.signal, wifi.signal, policy.wifi_dbm))
  )
    changed.wifi = wifi
  if (sims && simsChanged(before.sims ?? [], sims, policy.mobile_dbm)) changed.sims = sims
  if (
    location &&
    (!before.location ||
      location_age_ms >= policy.location_hours * 3_600_000 ||
      metresBetween(before.location, location) >= policy.location_metres)
  )
    changed.location = location
  if (foreground_app !== undefined && foreground_app !== before.foreground_app) changed.foreground_app = foreground_app
  return changed
}

type SimsOf = NonNullable<StatePartsOf['sims']>
const simsChanged = (before: SimsOf, now: SimsOf, step: number): boolean =>
  before.length !== now.length ||
  now.some((sim, at) => {
    const old = before[at]
    return (
      old?.slot !== sim.slot ||
      old.operator !== sim.operator ||
      old.network_type !== sim.network_type ||
      moved(old.signal, sim.signal, step)
    )
  })

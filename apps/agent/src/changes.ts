import type { StatePartsOf } from './body/body.ts'

/** How much has to change before it is worth a report (specification, 9: collection defaults). */
export const thresholds = {
  battery_percent: 5,
  wifi_dbm: 10,
  mobile_dbm: 5,
  location_metres: 30,
  location_ms: 24 * 3_600_000,
  every_ms: 2 * 3_600_000,
} as const

type LocationOf = NonNullable<StatePartsOf['location']>

/** Metres between two places, along the great circle. */
export function metresBetween(a: LocationOf, b: LocationOf): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2
  const h =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude)
  return 2 * 6_371_000 * Math.asin(Math.min(1, Math.sqrt(h)))
}

const moved = (before: number | undefined, now: number | undefined, by: number): boolean =>
  before === undefined || now === undefined ? before !== now : Math.abs(before - now) >= by

/**
 * The parts of `now` that differ enough from what was last reported. Running figures never count as a change: they go
 * with the timed report. `location_age_ms` is the time since a location was last reported.
 */
export function changedParts(before: StatePartsOf, now: StatePartsOf, location_age_ms: number): StatePartsOf {
  const changed: StatePartsOf = {}
  const { battery, network, wifi, sims, location, foreground_app } = now
  if (
    battery &&
    (battery.trigger !== undefined ||
      before.battery?.charging !== battery.charging ||
      moved(before.battery?.level, battery.level, thresholds.battery_percent))
  )
    changed.battery = battery
  const signalStep = network?.type === 'mobile' ? thresholds.mobile_dbm : thresholds.wifi_dbm
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
      moved(before.wifi?.signal, wifi.signal, thresholds.wifi_dbm))
  )
    changed.wifi = wifi
  if (sims && simsChanged(before.sims ?? [], sims)) changed.sims = sims
  if (
    location &&
    (!before.location ||
      location_age_ms >= thresholds.location_ms ||
      metresBetween(before.location, location) >= thresholds.location_metres)
  )
    changed.location = location
  if (foreground_app !== undefined && foreground_app !== before.foreground_app) changed.foreground_app = foreground_app
  return changed
}

type SimsOf = NonNullable<StatePartsOf['sims']>
const simsChanged = (before: SimsOf, now: SimsOf): boolean =>
  before.length !== now.length ||
  now.some((sim, at) => {
    const old = before[at]
    return (
      old?.slot !== sim.slot ||
      old.operator !== sim.operator ||
      old.network_type !== sim.network_type ||
      moved(old.signal, sim.signal, thresholds.mobile_dbm)
    )
  })

import type { NetworkType, StatePartsOf } from '@mdm/agent/body/body.ts'

/** As the browsers that have one give it. */
type BatteryManager = EventTarget & { level: number; charging: boolean }
type Connection = EventTarget & { type?: string; saveData?: boolean }
type Sensing = Navigator & { getBattery?(): Promise<BatteryManager>; connection?: Connection }

const low_share = 0.15
const networks: Record<string, NetworkType> = {
  wifi: 'wifi',
  cellular: 'mobile',
  ethernet: 'ethernet',
  none: 'none',
}

export function batteryOf({ level, charging }: Pick<BatteryManager, 'level' | 'charging'>): StatePartsOf['battery'] {
  const percent = Math.round(level * 100)
  if (charging) return { level: percent, charging: percent >= 100 ? 'full' : 'charging' }
  return { level: percent, charging: level <= low_share ? 'low' : 'discharging' }
}

/** Undefined where the browser does not tell, which is most of them. */
export const networkOf = (is_online: boolean, type: string | undefined): NetworkType | undefined =>
  is_online ? networks[type ?? ''] : 'none'

export function locationOf({ coords, timestamp }: GeolocationPosition): StatePartsOf['location'] {
  const { longitude, latitude, accuracy } = coords
  return { longitude, latitude, accuracy, provider: 'fused', at: new Date(timestamp).toISOString() }
}

export type LocationState = 'off' | 'asked' | 'on' | 'denied' | 'no_tls' | 'absent'

/** What the browser lets a page notice. Everything that changes is told to `on_change`. */
export async function openSenses(on_change: () => void) {
  const from = navigator as Sensing
  const battery = await from.getBattery?.().catch(() => undefined)
  for (const name of ['levelchange', 'chargingchange']) battery?.addEventListener(name, on_change)
  from.connection?.addEventListener?.('change', on_change)
  for (const name of ['online', 'offline']) window.addEventListener(name, on_change)
  let position: GeolocationPosition | undefined
  let watch: number | undefined
  let location: LocationState = !window.isSecureContext ? 'no_tls' : 'geolocation' in navigator ? 'off' : 'absent'

  const network = (): NetworkType | undefined => networkOf(navigator.onLine, from.connection?.type)
  return {
    get location(): LocationState {
      return location
    },
    network,
    battery: () => battery && batteryOf(battery),
    state(): StatePartsOf {
      const type = network()
      const level = battery && batteryOf(battery)
      const at = location === 'on' && position ? locationOf(position) : undefined
      const metered = from.connection?.saveData
      return {
        ...(level && { battery: level }),
        ...(type && { network: { type, ...(metered === true && { is_metered: true }) } }),
        ...(at && { location: at }),
        run: { uptime: performance.now() / 1000 },
      }
    },
    /** Asks whoever holds the device, as the browser does. */
    shareLocation(): void {
      if (location === 'no_tls' || location === 'absent' || watch !== undefined) return
      location = 'asked'
      on_change()
      watch = navigator.geolocation.watchPosition(
        (found) => {
          position = found
          location = 'on'
          on_change()
        },
        (fault) => {
          // One that was not found in time may be found later; a refusal stands.
          if (fault.code !== fault.PERMISSION_DENIED) return
          navigator.geolocation.clearWatch(watch!)
          watch = undefined
          location = 'denied'
          on_change()
        },
        { enableHighAccuracy: true, maximumAge: 60_000 },
      )
    },
    keepLocation(): void {
      if (watch !== undefined) navigator.geolocation.clearWatch(watch)
      watch = undefined
      position = undefined
      if (location === 'on' || location === 'asked') location = 'off'
      on_change()
    },
  }
}
export type Senses = Awaited<ReturnType<typeof openSenses>>

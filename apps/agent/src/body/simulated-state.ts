import type { DeviceEventOf, NetworkType, StatePartsOf } from './body.ts'
import type { Random } from './random.ts'
import { apps, operators, places } from './simulated-models.ts'
import type { models } from './simulated-models.ts'
import type { simulateUsage } from './simulated-usage.ts'

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
const low = 15

/**
 * How a device lives: a battery that empties and is charged, a walk around a place, figures that wander. `speed` makes
 * the battery and the walk that many times faster than life.
 */
export function simulateState(
  random: Random,
  model: (typeof models)[number],
  speed: number,
  start: Date,
  usage: ReturnType<typeof simulateUsage>,
) {
  const home = random.pick(places)
  const is_moving = random.next() < 0.6
  const radius_m = random.between(200, 2500)
  const operator = random.pick(operators)
  const on_mobile = model.has_sim && random.next() < 0.4
  const type = model.battery_mah === undefined ? 'ethernet' : on_mobile ? 'mobile' : 'wifi'
  const ip = `10.${Math.floor(random.between(0, 255))}.${Math.floor(random.between(0, 255))}.${Math.floor(random.between(2, 254))}`
  const bssid = random.hex(10).replace(/(..)/g, '$1:') + random.hex(2)
  let at = start.getTime()
  let level = random.between(20, 100)
  let is_charging = random.next() < 0.2
  let angle = random.between(0, 2 * Math.PI)
  let signal = random.between(-85, -50)
  let cpu = random.between(2, 40)
  let memory = random.between(0.35, 0.8)
  let storage = random.between(0.2, 0.85)
  let app = random.pick(apps)[0] as string
  let trigger: NonNullable<StatePartsOf['battery']>['trigger']
  const events: DeviceEventOf[] = []

  function say(what: NonNullable<typeof trigger>) {
    trigger = what
    events.push({
      type: 'battery',
      at: new Date(at).toISOString(),
      detail: { trigger: what, level: Math.round(level) },
    })
  }

  function battery(hours: number) {
    const before = level
    level = clamp(level + hours * (is_charging ? 40 : -9), 0, 100)
    if (!is_charging && before > low && level <= low) say('outage')
    if (is_charging ? level >= 100 && random.next() < 0.5 : level < low && random.next() < 0.5) {
      is_charging = !is_charging
      say(is_charging ? 'connect' : 'disconnect')
      if (is_charging) say('charge')
    }
  }

  function advance(now: Date) {
    const seconds = clamp((now.getTime() - at) / 1000, 0, 3600) * speed
    at = Math.max(at, now.getTime())
    if (seconds === 0) return
    if (model.battery_mah !== undefined) battery(seconds / 3600)
    usage.live(now, seconds / speed, type, app)
    if (is_moving) angle += ((1.4 * seconds) / radius_m) % (2 * Math.PI)
    signal = clamp(signal + random.between(-3, 3), -98, -45)
    cpu = clamp(cpu + random.between(-12, 12), 1, 99)
    memory = clamp(memory + random.between(-0.02, 0.02), 0.3, 0.95)
    storage = clamp(storage + random.between(-0.001, 0.0012), 0.1, 0.97)
    if (random.next() < 0.03) app = random.pick(apps)[0]
  }

  const charging = () =>
    level >= 99.5 && is_charging ? 'full' : is_charging ? 'charging' : level <= low ? 'low' : 'discharging'
  return {
    events: () => events.splice(0),
    network: type as NetworkType,
    /** Bytes of its storage that are free. */
    room: () => Math.round(model.storage * (1 - storage)),
    read(now: Date, boot_at: Date): StatePartsOf {
      advance(now)
      const dbm = Math.round(signal)
      const parts: StatePartsOf = {
        network: { type, internal_ip: ip, ...(type === 'ethernet' ? {} : { signal: dbm }) },
        run: {
          cpu: Math.round(cpu * 10) / 10,
          memory_total: model.memory,
          memory_used: Math.round(model.memory * memory),
          storage_total: model.storage,
          storage_used: Math.round(model.storage * storage),
          uptime: Math.max(0, Math.round((now.getTime() - boot_at.getTime()) / 1000)),
        },
        location: {
          latitude: Math.round((home.latitude + (radius_m * Math.sin(angle)) / 111_320) * 1e6) / 1e6,
          longitude:
            Math.round(
              (home.longitude + (radius_m * Math.cos(angle)) / (111_320 * Math.cos((home.latitude * Math.PI) / 180))) *
                1e6,
            ) / 1e6,
          accuracy: 12,
          provider: 'gps',
          at: now.toISOString(),
        },
        foreground_app: app,
      }
      if (type === 'wifi') parts.wifi = { ssid: 'Depot', bssid, frequency: 5180, channel: 36, signal: dbm }
      if (model.has_sim)
        parts.sims = [{ slot: 1, operator, network_type: '4G', signal: Math.round(signal / 5) * 5 - 10 }]
      if (model.battery_mah !== undefined)
        parts.battery = {
          level: Math.round(level),
          charging: charging(),
          temperature: Math.round((24 + cpu / 8 + (is_charging ? 4 : 0)) * 10) / 10,
          voltage: Math.round(3500 + level * 8),
          capacity: model.battery_mah,
          health: 'good',
          ...(trigger === undefined ? {} : { trigger }),
        }
      trigger = undefined
      return parts
    },
  }
}

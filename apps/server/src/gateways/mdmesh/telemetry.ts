import type { Up } from '@mdm/device-link'
import { sectionsOf } from './config.ts'
import { dateOf, known, numberOf, partOf, textOf, textsOf, whole, within } from '../shared/values.ts'
import type { Part } from '../shared/values.ts'
import { modelName } from './said.ts'
import type { Said } from './said.ts'

type Parts = Omit<Up['state'], 'seq' | 'device_time'>
type Inventory = Up['hello']['inventory']

export const agent_package = 'com.mdmesh.agent'
export const task_types = ['message', 'app_install', 'app_uninstall', 'lock', 'find', 'restart', 'factory_reset']
const healths: Partial<Record<string, string>> = {
  good: 'good',
  overheat: 'poor',
  dead: 'poor',
  overVoltage: 'poor',
  cold: 'poor',
}
const networks: Partial<Record<string, string>> = { wifi: 'wifi', cellular: 'mobile' }
const providers = ['gps', 'network', 'fused'] as const

const used = (total: number | undefined, free: number | undefined): number | undefined =>
  total !== undefined && free !== undefined && free <= total ? total - free : undefined
/** By the clock of the device; undefined where it said no telemetry. */
export function deviceTimeOf({ dynamic }: Said): Date | undefined {
  const [boot, uptime] = [numberOf(dynamic['lastBootAt']), uptimeOf(dynamic)]
  return boot === undefined || uptime === undefined ? undefined : dateOf(boot + uptime)
}
export const uptimeOf = (dynamic: Said['dynamic']): number | undefined => within(dynamic['uptimeMs'], 0, 1e12)

export function stateOf({ dynamic, hardware }: Said): Parts {
  const text = (name: string, most: number) => textOf(dynamic[name], most)
  const number = (name: string, least: number, most: number) => within(dynamic[name], least, most)
  const level = number('batteryPct', 0, 100)
  const is_plugged = (text('chargingSource', 20) ?? 'none') !== 'none'
  const network = text('networkType', 20)
  const wifiSignal = network === 'wifi' && dynamic['wifiRssi'] !== -127 ? number('wifiRssi', -150, 0) : undefined
  const bssid = text('wifiBssid', 32)
  const operator = text('cellularOperator', 200)
  const [memory, storage] = [whole(hardware['totalRamBytes']), whole(hardware['totalStorageBytes'])]
  const uptime = uptimeOf(dynamic)
  return (known({
    battery:
      level === undefined
        ? undefined
        : known({
            level,
            charging: is_plugged ? (level === 100 ? 'full' : 'charging') : 'discharging',
            temperature: number('batteryTempC', -60, 150),
            voltage: number('batteryVoltageMv', 0, 100_000),
            health: healths[text('batteryHealth', 20) ?? ''] ?? 'unknown',
          }),
    network:
      network &&
      known({
        type: networks[network] ?? 'none',
        internal_ip: text('ipAddress', 64),
        signal: wifiSignal,
        is_roaming: dynamic['roaming'] === true,
      }),
    wifi:
      network !== 'wifi'
        ? undefined
        : known({
            ssid: text('wifiSsid', 64),
            bssid: bssid === '02:00:00:00:00:00' ? undefined : bssid,
            signal: wifiSignal,
          }),
    sims: operator === undefined ? undefined : [{ slot: 1, operator }],
    run: known({
      memory_used: used(memory, whole(dynamic['freeRamBytes'])),
      memory_total: memory,
      storage_used: used(storage, whole(dynamic['freeStorageBytes'])),
      storage_total: storage,
      uptime: uptime === undefined ? undefined : Math.round(uptime / 1000),
    }),
    foreground_app: text('foregroundApp', 200),
    location: locationOf(partOf(dynamic['location'])),
  }) ?? {}) as Parts
}

function locationOf(said: Part): object | undefined {
  const [latitude, longitude] = [within(said['lat'], -90, 90), within(said['lon'], -180, 180)]
  if (latitude === undefined || longitude === undefined) return undefined
  const at = dateOf(numberOf(said['capturedAt']) ?? Number.NaN)?.toISOString()
  const provider = providers.find((each) => each === said['provider']) ?? 'other'
  return known({ latitude, longitude, accuracy: within(said['accuracyM'], 0, 1e6), provider, at })
}

export function inventoryOf({ hardware, imei, policies }: Said): Inventory {
  const [width, height] = [whole(hardware['screenWidthPx']), whole(hardware['screenHeightPx'])]
  const model = textOf(hardware['model'], 64)
  return known({
    model: model === undefined ? undefined : modelName(textOf(hardware['manufacturer'], 32), model),
    os_name: 'Android',
    os_version: textOf(hardware['osRelease'], 64),
    imei,
    resolution: width && height ? `${width}x${height}`.slice(0, 20) : undefined,
    sdk: whole(hardware['sdkInt']) || undefined,
    abis: hardware['abis'] === undefined ? undefined : textsOf(hardware['abis'], 20).slice(0, 20),
    task_types,
    config_sections: sectionsOf(policies),
    package_kinds: ['apk'],
  }) as Inventory
}

/** The apps that a scan has found, of its result's text; undefined where that is none. */
export function packagesOf(detail: string): NonNullable<Inventory['packages']> | undefined {
  let said: Part
  try {
    said = partOf(JSON.parse(detail))
  } catch {
    return undefined
  }
  if (!Array.isArray(said['apps'])) return undefined
  const found = new Map<string, NonNullable<Inventory['packages']>[number]>()
  for (const { pkg, versionName, versionCode, label } of said['apps'].map(partOf)) {
    const [name, version] = [textOf(pkg, 200), textOf(versionName, 100) ?? '']
    const app = known({ version, version_code: whole(versionCode), title: textOf(label, 200) })
    if (name && app) found.set(name, { name, ...app })
  }
  return [...found.values()].slice(0, 2_000)
}

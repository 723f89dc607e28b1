import type { Up } from '@mdm/device-link'
import { sectionsOf } from './config.ts'
import { dateOf, known, listOf, numberOf, partOf, textOf, textsOf, whole, within } from '../shared/values.ts'
import { modelName } from './said.ts'
import type { Said } from './said.ts'

type Parts = Omit<Up['state'], 'seq' | 'device_time'>
type Inventory = Up['hello']['inventory']

export const agent_package = 'com.mdmesh.agent'
export const task_types = ['message', 'app_install', 'app_uninstall', 'lock', 'find', 'restart', 'factory_reset']
const good = new Set(['good'])
const poor = new Set(['overheat', 'dead', 'overVoltage', 'cold'])
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
  const parts: Record<string, unknown> = {}
  const level = within(dynamic['batteryPct'], 0, 100)
  const source = textOf(dynamic['chargingSource'], 20)
  const health = textOf(dynamic['batteryHealth'], 20) ?? ''
  if (level !== undefined)
    parts['battery'] = known({
      level,
      charging: source === undefined || source === 'none' ? 'discharging' : level === 100 ? 'full' : 'charging',
      temperature: within(dynamic['batteryTempC'], -60, 150),
      voltage: within(dynamic['batteryVoltageMv'], 0, 100_000),
      health: good.has(health) ? 'good' : poor.has(health) ? 'poor' : 'unknown',
    })
  const rssi = dynamic['wifiRssi'] === -127 ? undefined : within(dynamic['wifiRssi'], -150, 0)
  const network = textOf(dynamic['networkType'], 20)
  const is_wifi = network === 'wifi'
  if (network !== undefined)
    parts['network'] = known({
      type: is_wifi ? 'wifi' : network === 'cellular' ? 'mobile' : 'none',
      internal_ip: textOf(dynamic['ipAddress'], 64),
      signal: is_wifi ? rssi : undefined,
      is_roaming: dynamic['roaming'] === true,
    })
  const bssid = textOf(dynamic['wifiBssid'], 32)
  if (is_wifi)
    parts['wifi'] = known({
      ssid: textOf(dynamic['wifiSsid'], 64),
      bssid: bssid === '02:00:00:00:00:00' ? undefined : bssid,
      signal: rssi,
    })
  const operator = textOf(dynamic['cellularOperator'], 200)
  if (operator !== undefined) parts['sims'] = [{ slot: 1, operator }]
  const [memory, storage] = [whole(hardware['totalRamBytes']), whole(hardware['totalStorageBytes'])]
  const uptime = uptimeOf(dynamic)
  parts['run'] = known({
    memory_used: used(memory, whole(dynamic['freeRamBytes'])),
    memory_total: memory,
    storage_used: used(storage, whole(dynamic['freeStorageBytes'])),
    storage_total: storage,
    uptime: uptime === undefined ? undefined : Math.round(uptime / 1000),
  })
  parts['foreground_app'] = textOf(dynamic['foregroundApp'], 200)
  parts['location'] = locationOf(dynamic)
  return (known(parts) ?? {}) as Parts
}

function locationOf(dynamic: Said['dynamic']): Parts['location'] {
  const said = partOf(dynamic['location'])
  const [latitude, longitude] = [within(said['lat'], -90, 90), within(said['lon'], -180, 180)]
  if (latitude === undefined || longitude === undefined) return undefined
  const at = dateOf(numberOf(said['capturedAt']) ?? Number.NaN)
  return known({
    latitude,
    longitude,
    accuracy: within(said['accuracyM'], 0, 1e6),
    provider: providers.find((each) => each === said['provider']) ?? 'other',
    at: at?.toISOString(),
  }) as Parts['location']
}

/** `agent_version` is the last that it said. */
export function inventoryOf({ hardware, identity, policies }: Said, agent_version: string | undefined): Inventory {
  const [width, height] = [whole(hardware['screenWidthPx']), whole(hardware['screenHeightPx'])]
  const model = textOf(hardware['model'], 64)
  return known({
    model: model === undefined ? undefined : modelName(textOf(hardware['manufacturer'], 32), model),
    os_name: 'Android',
    os_version: textOf(hardware['osRelease'], 64),
    service_version: agent_version,
    imei: textsOf(identity['imei'], 40)[0],
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
  let said: unknown
  try {
    said = JSON.parse(detail)
  } catch {
    return undefined
  }
  const { apps } = partOf(said)
  if (!Array.isArray(apps)) return undefined
  const found = listOf(apps).flatMap((each) => {
    const app = partOf(each)
    const name = textOf(app['pkg'], 200)
    if (!name) return []
    return [
      known({
        name,
        version: textOf(app['versionName'], 100) ?? '',
        version_code: whole(app['versionCode']),
        title: textOf(app['label'], 200),
      }) as NonNullable<Inventory['packages']>[number],
    ]
  })
  return [...new Map(found.map((app) => [app.name, app])).values()].slice(0, 2_000)
}

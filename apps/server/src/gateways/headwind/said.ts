import type { Down, Up } from '@mdm/device-link'
import { dateOf, known, listOf, numberOf, partOf, textOf, within } from '../shared/values.ts'
import { answerAsked } from '../shared/wanted-config.ts'
import { takeInfo } from '../shared/wanted-verdicts.ts'
import { sectionsOf } from './config.ts'
import { agent_package } from './kept.ts'
import type { Kept, Turn } from './kept.ts'

const listed_max = 1_000
/** The build that anybody can make; it has no kiosk. */
const open_build = 'opensource'

type Info = ReturnType<typeof readInfo>
/** What the agent says of its device. */
export function readInfo(body: unknown) {
  const said = partOf(body)
  const level = within(said['batteryLevel'], 0, 100)
  const charger = textOf(said['batteryCharging'], 10)
  // It says nothing of chargers other than by cable, and an empty text without any.
  const charges = charger !== undefined || said['batteryCharging'] === undefined
  const launcher = textOf(said['launcherType'], 40)
  const cpu = textOf(said['cpu'], 20)
  const rows = (name: string) => listOf(said[name]).slice(0, listed_max).map(partOf)
  return {
    serial: textOf(said['serial'], 60),
    has_kiosk: launcher !== undefined && launcher !== open_build,
    is_in_kiosk: said['kioskMode'] === true,
    may_reset: said['factoryReset'] === true,
    /** Of those that its configuration names. */
    apps: new Map(
      rows('applications').flatMap(({ pkg, version }): [string, string][] => {
        const name = textOf(pkg, 200)
        return name ? [[name, textOf(version, 100) ?? '']] : []
      }),
    ),
    files: new Map(
      rows('files').flatMap(({ path, lastUpdate }): [string, number][] =>
        typeof path === 'string' ? [[path, numberOf(lastUpdate) ?? 0]] : [],
      ),
    ),
    inventory: known({
      model: textOf(said['model'], 64),
      os_version: textOf(said['androidVersion'], 64),
      imei: textOf(said['imei'], 40),
      abis: cpu === undefined ? undefined : [cpu],
    }),
    parts: (known({
      battery:
        level === undefined
          ? undefined
          : { level, charging: charges ? (level === 100 ? 'full' : 'charging') : 'discharging' },
      location: locationOf(partOf(said['location'])),
    }) ?? {}) as Kept['parts'],
  }
}

/** The last that the device knows, of whatever age. */
function locationOf({ lat, lon, ts }: Record<string, unknown>): Up['state']['location'] {
  const [latitude, longitude] = [within(lat, -90, 90), within(lon, -180, 180)]
  if (latitude === undefined || longitude === undefined || (latitude === 0 && longitude === 0)) return undefined
  const at = dateOf(Math.round(numberOf(ts) ?? Number.NaN))?.toISOString()
  return { latitude, longitude, provider: 'other', ...(at && { at }) }
}

const names = ['', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'VERBOSE']
/** Lines of its log, ten at a time. */
export const readLines = (body: unknown): { line: string; text: string }[] =>
  listOf(body)
    .slice(0, 100)
    .flatMap((each) => {
      const { timestamp, logLevel, message } = partOf(each)
      const text = textOf(message, 1_000)?.replaceAll(/\s+/g, ' ')
      const at = dateOf(Math.round(numberOf(timestamp) ?? Number.NaN))?.toISOString() ?? ''
      return text ? [{ text, line: `${at} ${names[Number(logLevel)] ?? ''} ${text}`.trim() }] : []
    })

/** By the code that the agent was enrolled with; what stands beside it is not asked. */
export const tokenOf = (body: unknown): string | undefined => textOf(partOf(body)['configuration'], 300)

export const task_types: Down['task']['type'][] = [
  ...(['app_install', 'app_uninstall', 'restart', 'factory_reset'] as const),
  ...(['file', 'config_file', 'remote_log'] as const),
]
export const inventoryOf = ({ inventory, has_kiosk = false }: Kept): Up['hello']['inventory'] => ({
  ...{ os_name: 'Android', ...inventory, task_types, config_sections: sectionsOf(has_kiosk), package_kinds: ['apk'] },
})

/** How its device is, and with it what has become of what it ought to be. */
export function noteInfo(at: Turn, info: Info): void {
  const { kept } = at
  takeInfo(at, info)
  kept.serial = info.serial ?? kept.serial!
  kept.has_kiosk = info.has_kiosk
  kept.parts = { ...kept.parts, ...info.parts }
  const service_version = textOf(info.apps.get(agent_package), 64)
  kept.inventory = { ...kept.inventory, ...info.inventory, ...(service_version && { service_version }) }
  answerAsked(at)
}

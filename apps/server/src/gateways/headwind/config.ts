import { createHash } from 'node:crypto'
import type { Down } from '@mdm/device-link'
import { publicUrl } from '../../addresses.ts'
import type { Deps } from '../../deps.ts'
import { keyedDigest, seal, unseal } from '../../lib/sealed.ts'
import { numberOf, partOf, textOf, textsOf } from '../shared/values.ts'
import type { Part } from '../shared/values.ts'
import { wantedConfig } from '../shared/wanted-config.ts'
import type { WantedConfig } from '../shared/wanted-config.ts'
import { isRestart } from '../shared/wanted-work.ts'
import type { WantedApp } from '../shared/wanted-work.ts'
import { agent_package } from './kept.ts'
import type { Kept, Turn } from './kept.ts'

/** `settings` are in the words of the agent. */
export type HeadwindConfig = WantedConfig & {
  settings: Part
  kiosk?: { apps: string[]; main: string; exit_sealed?: string }
}

export const sectionsOf = (has_kiosk: boolean): string[] => [
  ...['collection', 'hardware', 'factory_reset', 'time_zone', 'display'],
  ...(has_kiosk ? ['kiosk'] : []),
]

/** Restrictions of Android by the parts of the device that they close. */
const ports = { usb: 'no_usb_file_transfer', bluetooth: 'no_bluetooth', microphone: 'no_unmute_microphone' }

function settingsOf({ collection, hardware, factory_reset, time_zone, display }: Record<string, unknown>): Part {
  const [of_ports, screen] = [partOf(hardware), partOf(display)]
  const restrictions = Object.entries(ports).flatMap(([field, name]) => (of_ports[field] === 'forbidden' ? [name] : []))
  if (partOf(factory_reset)['by_users'] === 'forbidden') restrictions.push('no_factory_reset')
  const [brightness, seconds] = [numberOf(screen['brightness']), numberOf(screen['screen_off_seconds'])]
  const auto = screen['auto_brightness']
  return {
    restrictions: restrictions.join(','),
    ...(partOf(collection)['is_location_on'] === true && { requestUpdates: 'gps' }),
    ...(textOf(partOf(time_zone)['zone_id'], 60) && { timeZone: partOf(time_zone)['zone_id'] }),
    ...((auto === 'on' || auto === 'off' || brightness !== undefined) && { autoBrightness: auto === 'on' }),
    ...(brightness !== undefined && { brightness: Math.round(brightness * 2.55) }),
    ...(seconds !== undefined && { manageTimeout: true, timeout: seconds }),
  }
}

/** Sections that ask for more than the agent can do. */
function partlyOf({ hardware, display }: Record<string, unknown>): string[] {
  const closed = Object.entries(partOf(hardware)).filter(([, said]) => said === 'forbidden')
  const volumes = ['media_volume', 'ring_volume', 'alarm_volume'].map((name) => numberOf(partOf(display)[name]))
  return [
    ...(closed.every(([field]) => field in ports) ? [] : ['hardware']),
    ...(volumes.every((volume) => volume === undefined) ? [] : ['display']),
  ]
}

/** It comes with every visit until it was said to be in force. */
export async function configure(deps: Deps, { kept }: Turn, said: Down['config']): Promise<void> {
  const { version, config } = said
  if (kept.config?.version === version) return
  const kiosk = partOf(config['kiosk'])
  const apps = textsOf(kiosk['apps'], 200)
  const is_on = kiosk['mode'] === 'one_app' || kiosk['mode'] === 'several_apps'
  const password = textOf(kiosk['exit_password'], 64)
  kept.config = {
    ...wantedConfig(said, partlyOf(config)),
    settings: settingsOf(config),
    ...(is_on && {
      kiosk: {
        apps,
        main: kiosk['mode'] === 'one_app' ? (apps[0] ?? agent_package) : agent_package,
        ...(password !== undefined && { exit_sealed: await seal(deps, password) }),
      },
    }),
  }
  kept.is_due = true
}

const app = (name: string, more: object = {}) => ({
  ...{ type: 'app', name, pkg: name, version: '0', code: 0, url: null },
  ...more,
})

/** Of an app whose present version is to go, both: the agent removes the one before it installs the other. */
const wanted = (
  { title: name, version, version_code: code, starts, gone, ...of }: WantedApp,
  origin: string,
): object[] => [
  ...(gone === undefined ? [] : [app(of.package, { version: gone, remove: true })]),
  app(of.package, { name, version, code, url: new URL(of.url, origin).href, runAfterInstall: starts }),
]

/** All that the device ought to be, which is all that the agent knows: it compares and does the rest. */
export async function configFor(deps: Deps, kid: string, kept: Kept): Promise<object> {
  const { open, config } = kept
  const kiosk = config?.kiosk
  const origin = new URL(publicUrl(deps)).origin
  const at_work = open.filter(({ state, confirmed_at }) => state === 'executing' && confirmed_at === undefined)
  // Whoever knows it leaves the kiosk; without one of its own nobody does.
  const exit = kiosk?.exit_sealed ? await unseal(deps, kiosk.exit_sealed) : await keyedDigest(deps, `exit of ${kid}`)
  return {
    pushOptions: 'polling',
    password: createHash('md5').update(exit).digest('hex').toUpperCase(),
    runDefaultLauncher: !kiosk,
    kioskMode: kiosk !== undefined,
    ...(kiosk && { mainApp: kiosk.main, lockStatusBar: true }),
    ...config?.settings,
    ...(at_work.some(({ wifi }) => wifi) && { downloadUpdates: 'wifi' }),
    ...(at_work.some(isRestart) && { reboot: true }),
    ...(at_work.some(({ type }) => type === 'factory_reset') && { factoryReset: true }),
    applications: [
      app(agent_package),
      ...(kiosk?.apps ?? []).map((name) => app(name, { showIcon: true, useKiosk: true })),
      ...at_work.flatMap(({ apps = [] }) => apps.flatMap((each) => wanted(each, origin))),
      // Once more to be told whether it is still there.
      ...at_work.flatMap(({ packages = [] }) => packages.flatMap((name) => [app(name, { remove: true }), app(name)])),
    ],
    applicationSettings: [],
    files: at_work.flatMap(({ files = [] }) =>
      files.map(({ path, url, md5, at }) => ({
        ...{ path, url: new URL(url, origin).href, checksum: md5, lastUpdate: at },
      })),
    ),
    actions: [],
  }
}

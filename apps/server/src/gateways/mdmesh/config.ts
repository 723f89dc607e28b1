import type { ConfigSectionResult, Down } from '@mdm/device-link'
import type { Command, Kept, Outcome } from './kept.ts'
import { partOf, textOf, textsOf } from '../shared/values.ts'

/** What is under way of a configuration: commands by their place, each with the section that it is of. Nothing of it is secret. */
export type ConfigAtWork = {
  version: number
  times: number
  out_at: number
  sections: string[]
  /** Of these the agent can do only a part. */
  partly: string[]
  of: string[]
  done: Record<string, Outcome>
}
type Step = { section: string; command: Command }

/** So long the agent may take before all of it goes out again. */
const unheard_ms = 15 * 60_000
/** Ours to theirs. */
const ports = { usb: 'usbStorage', bluetooth: 'bluetooth', camera: 'camera' } as const

/** Sections that an agent with these policies obeys. */
export const sectionsOf = (policies: readonly string[]): string[] => [
  'collection',
  'kiosk',
  ...(Object.values(ports).some((policy) => policies.includes(policy)) ? ['hardware'] : []),
  ...(policies.includes('factoryReset') ? ['factory_reset'] : []),
]

function stepsOf(config: Record<string, unknown>, policies: readonly string[], has_kiosk: boolean): Step[] {
  const policy = (section: string, name: string, said: unknown): Step[] =>
    policies.includes(name) && (said === 'allowed' || said === 'forbidden')
      ? [{ section, command: { type: 'policy.apply', payload: { policy: name, value: said === 'allowed' } } }]
      : []
  const steps: Step[] = []
  const [hardware, kiosk, collection] = [config['hardware'], config['kiosk'], config['collection']].map(partOf)
  for (const [field, name] of Object.entries(ports)) steps.push(...policy('hardware', name, hardware![field]))
  steps.push(...policy('factory_reset', 'factoryReset', partOf(config['factory_reset'])['by_users']))
  if (collection!['is_location_on'] !== undefined) {
    const mode = collection!['is_location_on'] === true ? 'active' : 'passive'
    steps.push({ section: 'collection', command: { type: 'device.locationMode', payload: { mode } } })
  }
  const mode = kiosk!['mode']
  if (mode === 'one_app' || mode === 'several_apps') {
    const allowedPackages = textsOf(kiosk!['apps'], 200)
    const password = textOf(kiosk!['exit_password'], 64)
    const pinned = mode === 'one_app' ? { mode: 'single', pinPackage: allowedPackages[0] } : { mode: 'launcher' }
    // A gesture without a password would let anybody out.
    const exit = password === undefined ? { exitMode: 'remote' } : { exitMode: 'gesture', password }
    steps.push({ section: 'kiosk', command: { type: 'kiosk.enter', payload: { ...pinned, allowedPackages, ...exit } } })
  } else if (mode === 'off' || has_kiosk) steps.push({ section: 'kiosk', command: { type: 'kiosk.exit' } })
  return steps
}

/** Sections that ask for more of this device than its agent can do. */
function partlyOf({ hardware }: Record<string, unknown>, policies: readonly string[]): string[] {
  const asked = Object.entries(partOf(hardware)).filter(([, said]) => said === 'forbidden')
  const can = (field: string) => field in ports && policies.includes(ports[field as keyof typeof ports])
  return asked.every(([field]) => can(field)) ? [] : ['hardware']
}

type Turn = { now: number; kept: Kept; hand(id: string, command: Command): void }

/** The configuration that the device ought to go by. It comes with every check-in until it was said to be in force. */
export function takeConfig(turn: Turn, { version, config }: Down['config'], policies: readonly string[]): void {
  const { kept, now } = turn
  const before = kept.config?.version === version ? kept.config : undefined
  if (before && now - before.out_at < unheard_ms) return
  const steps = stepsOf(config, policies, kept.has_kiosk === true)
  const times = (before?.times ?? 0) + 1
  steps.forEach(({ command }, place) => turn.hand(`config.${version}.${times}.${place}`, command))
  kept.is_location_on = partOf(config['collection'])['is_location_on'] === true
  const sections = Object.entries(config).flatMap(([section, value]) =>
    value === undefined ? [] : section.slice(0, 40),
  )
  const unknown = sections.filter((section) => !sectionsOf(policies).includes(section))
  const partly = [...partlyOf(config, policies), ...unknown]
  kept.config = { version, times, out_at: now, sections, partly, of: steps.map(({ section }) => section), done: {} }
  if (steps.some(({ command }) => command.type.startsWith('kiosk.')))
    kept.has_kiosk = steps.some(({ command }) => command.type === 'kiosk.enter')
}

/** Whether the result is of a configuration. */
export function takeConfigResult({ kept }: Pick<Turn, 'kept'>, id: string, outcome: Outcome): boolean {
  const [, version, times, place] = /^config\.(\d+)\.(\d+)\.(\d+)$/.exec(id) ?? []
  if (!place) return false
  const { config } = kept
  if (config && config.version === Number(version) && config.times === Number(times) && config.of[Number(place)])
    config.done[place] = outcome
  return true
}

/** What became of each section, once all of it is known. */
export function configAnswer({
  kept,
}: Pick<Turn, 'kept'>): { config_version: number; config_results: ConfigSectionResult[] } | undefined {
  const { config } = kept
  if (!config || Object.keys(config.done).length < config.of.length) return undefined
  const results = config.sections.flatMap((section): ConfigSectionResult[] => {
    if (!/^[a-z][a-z0-9_]{0,39}$/.test(section)) return []
    const outcomes = config.of.flatMap((of, place) => (of === section ? config.done[String(place)]! : []))
    const failed = outcomes.find(({ status }) => status !== 'done')
    if (failed)
      return [
        { section, outcome: 'failed', reason: 'command_failed', message: failed.detail.slice(0, 300) || failed.status },
      ]
    if (!config.partly.includes(section)) return [{ section, outcome: 'applied' }]
    return [{ section, outcome: 'not_supported', reason: outcomes.length > 0 ? 'no_command' : 'unknown_section' }]
  })
  // The agent finds out what it may set when it starts: what it refuses now it may take then.
  kept.is_config_owed = Object.values(config.done).some(({ status }) => status === 'unsupported')
  kept.config_version = config.version
  delete kept.config
  return { config_version: kept.config_version, config_results: results.slice(0, 100) }
}

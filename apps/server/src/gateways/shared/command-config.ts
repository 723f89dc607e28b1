import type { ConfigSectionResult, Down } from '@mdm/device-link'
import type { Command, Outcome, Result } from './command-work.ts'

/** What is under way of a configuration: commands by their place, each with the section that it is of. Nothing of it is secret. */
type ConfigAtWork = {
  version: number
  times: number
  out_at: number
  sections: string[]
  /** Of these the agent can do only a part. */
  partly: string[]
  of: string[]
  done: Record<string, Outcome>
}
export type KeptConfig = {
  config_version?: number
  config?: ConfigAtWork
  /** Some of it waits for the next start of the device. */
  is_config_owed?: boolean
}
export type Step = { section: string; command: Command }
type Turn = { now: number; kept: KeptConfig; hand(id: string, command: Command): void }
/** What of a configuration the agent is told, and of which sections it cannot do all. */
type Plan = { steps: Step[]; partly: string[] }

/** So long the agent may take before all of it goes out again. */
const unheard_ms = 15 * 60_000

/** The configuration that the device ought to go by. It comes with every visit until it was said to be in force. */
export function takeConfig(turn: Turn, { version, config }: Down['config'], plan: () => Plan): void {
  const { kept, now } = turn
  const before = kept.config?.version === version ? kept.config : undefined
  if (before && now - before.out_at < unheard_ms) return
  const { steps, partly } = plan()
  const times = (before?.times ?? 0) + 1
  steps.forEach(({ command }, place) => turn.hand(`config.${version}.${times}.${place}`, command))
  const sections = Object.entries(config)
    .filter(([section, value]) => value !== undefined && /^[a-z][a-z0-9_]{0,39}$/.test(section))
    .map(([section]) => section)
  kept.config = { version, times, out_at: now, sections, partly, of: steps.map(({ section }) => section), done: {} }
}

/** Whether the result is of a configuration. */
export function takeConfigResult({ config }: KeptConfig, { id, status, detail }: Result): boolean {
  const [, version, times, place] = /^config\.(\d+)\.(\d+)\.(\d+)$/.exec(id) ?? []
  if (!place) return false
  if (config && config.version === Number(version) && config.times === Number(times) && config.of[Number(place)])
    config.done[place] = { status, detail: detail.slice(0, 300) }
  return true
}

/** What became of each section, once all of it is known. */
export function configAnswer(kept: KeptConfig) {
  const { config } = kept
  if (!config || Object.keys(config.done).length < config.of.length) return undefined
  const config_results = config.sections.slice(0, 100).map((section): ConfigSectionResult => {
    const outcomes = config.of.flatMap((of, place) => (of === section ? config.done[String(place)]! : []))
    const failed = outcomes.find(({ status }) => status !== 'done')
    if (failed) return { section, outcome: 'failed', reason: 'command_failed', message: failed.detail || failed.status }
    if (!config.partly.includes(section)) return { section, outcome: 'applied' }
    return { section, outcome: 'not_supported', reason: outcomes.length > 0 ? 'no_command' : 'unknown_section' }
  })
  // An agent may find out only when it starts what it may set: what it refuses now it may take then.
  kept.is_config_owed = Object.values(config.done).some(({ status }) => status === 'unsupported')
  kept.config_version = config.version
  delete kept.config
  return { config_version: config.version, config_results }
}

/** The device has started again: what its agent refused is tried once more. */
export function retryConfig(kept: KeptConfig): void {
  if (kept.is_config_owed) kept.config_version = 0
  delete kept.is_config_owed
}

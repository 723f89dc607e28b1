import type { ConfigSectionResult, Down } from '@mdm/device-link'
import { reply } from './visit.ts'
import type { KeptWanted, WantedTurn } from './wanted-work.ts'

/** A configuration of the link as the agent is told it: which of its sections it has, and what came of them. */
export type WantedConfig = {
  version: number
  sections: string[]
  /** Of these the agent can do only a part. */
  partly: string[]
  /** When it was fetched first. */
  out_at?: number
  /** The link knows what became of it. */
  is_told?: boolean
}
/** What has not begun by then does not. */
const begun_ms = 20 * 60_000

export const wantedConfig = ({ version, config }: Down['config'], partly: string[]): WantedConfig => ({
  version,
  sections: Object.keys(config).filter((section) => /^[a-z][a-z0-9_]{0,39}$/.test(section)),
  partly,
})

/**
 * What became of each section, as far as the agent shows it: how its device is after it fetched them. `waits` is one that has not begun
 * though the agent would show it. To be said once its state was.
 */
export function sayConfigured({ kept, now, say }: WantedTurn, obeyed: readonly string[], waits?: string): void {
  const { config } = kept
  if (!config || config.is_told || config.out_at === undefined) return
  if (waits !== undefined && now - config.out_at < begun_ms) return
  const config_results = config.sections.slice(0, 100).map((section): ConfigSectionResult => {
    if (!obeyed.includes(section)) return { section, outcome: 'not_supported', reason: 'unknown_section' }
    if (section === waits) return { section, outcome: 'failed', reason: 'command_failed' }
    if (config.partly.includes(section)) return { section, outcome: 'not_supported', reason: 'no_command' }
    return { section, outcome: 'applied' }
  })
  config.is_told = true
  // After the state that it said with it.
  say('state', {
    seq: now + 1,
    device_time: new Date(now).toISOString(),
    config_version: config.version,
    config_results,
  })
}

/** Whether it is answered once the agent has fetched what there is, and said how its device is. */
export function keepAsked(kept: KeptWanted, { id, method, expires_at }: Down['request']): 'later' | undefined {
  if (method !== 'state_now' && method !== 'location_now') return undefined
  kept.asked = [...kept.asked, { id, method, expires_at }].slice(-20)
  kept.is_due = true
  return 'later'
}

export function answerAsked(at: WantedTurn): void {
  const { asked, parts } = at.kept
  at.kept.asked = []
  for (const { id, method, expires_at } of asked) {
    if (Date.parse(expires_at) <= at.now) continue
    const data = method === 'state_now' ? parts : parts.location
    reply(at, id, data, { code: 'no_position', message: 'The agent has no position' })
  }
}

/** What is due goes out with this answer. */
export function beFetched({ kept, now }: WantedTurn): void {
  kept.is_due = false
  kept.out_at = now
  if (kept.config) kept.config.out_at ??= now
}

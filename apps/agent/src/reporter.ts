import type { ConfigSectionResult } from '@mdm/device-link'
import type { Body, StatePartsOf } from './body/body.ts'
import { changedParts, collected } from './changes.ts'
import type { Clock } from './clock.ts'
import type { DeviceConfig } from './config.ts'
import type { FenceWatch } from './fence.ts'
import type { Outgoing, Source } from './connection.ts'

type ConfigSaid = { config_version?: number; config_results?: readonly ConfigSectionResult[] }

/** Reports of the running state: what changed enough, and everything once in a while. Unsent ones melt into one. */
export function openReporter(options: {
  body: Body
  clock: Clock
  config: DeviceConfig
  fence: FenceWatch
  seq: () => number
  state_every_ms: number | undefined
  on_ready: () => void
}) {
  const { body, clock, config, fence } = options
  let told: StatePartsOf = {}
  let told_all_at = 0
  let location_at = 0
  let pending: (StatePartsOf & ConfigSaid) | undefined

  function note(parts: StatePartsOf, is_all: boolean) {
    const now = clock.now().getTime()
    told = { ...told, ...parts }
    if (parts.location) location_at = now
    if (is_all) told_all_at = now
  }
  const source: Source = {
    take(): Outgoing | undefined {
      const parts = pending
      if (!parts) return undefined
      pending = undefined
      return {
        name: 'state',
        payload: { seq: options.seq(), device_time: clock.now().toISOString(), ...parts },
        acked() {},
        lost() {
          // What was measured since is newer.
          pending = { ...parts, ...pending }
        },
      }
    },
  }
  return {
    source,
    /** Everything, for hello. It says all that waited. */
    async all(): Promise<StatePartsOf> {
      const parts = collected(await body.state(), config.collection)
      const standing = fence.standing()
      // Hello says the version, and not what became of each section.
      pending =
        pending?.config_results && pending.config_version !== undefined
          ? { config_version: pending.config_version, config_results: pending.config_results }
          : undefined
      note(parts, true)
      return standing ? { ...parts, fence: standing } : parts
    },
    /** Says by which configuration the device goes; also when it was told what it knew. */
    confirm() {
      if (config.version === undefined) return
      const { version: config_version, results: config_results } = config
      pending = { ...pending, config_version, ...(config_results && { config_results }) }
      options.on_ready()
    },
    /** Says how the device stands to its fence. */
    tellFence() {
      const standing = fence.standing()
      if (!standing) return
      pending = { ...pending, fence: standing }
      options.on_ready()
    },
    /** Offline only a fence is watched; what it is to be told waits for hello. */
    async sample(is_online: boolean) {
      if (!is_online && !fence.is_watched) return
      const policy = config.collection
      const state = await body.state()
      await fence.look(state.location)
      if (!is_online) return
      const now = collected(state, policy)
      const at = clock.now().getTime()
      const every_ms = options.state_every_ms ?? policy.every_hours * 3_600_000
      const is_due = policy.is_timed_on && at - told_all_at >= every_ms
      const parts = is_due ? now : changedParts(told, now, at - location_at, policy)
      if (Object.keys(parts).length === 0) return
      note(parts, is_due)
      pending = { ...pending, ...parts }
      options.on_ready()
    },
  }
}

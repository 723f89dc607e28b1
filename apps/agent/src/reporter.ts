import type { Body, StatePartsOf } from './body/body.ts'
import { changedParts, thresholds } from './changes.ts'
import type { Clock } from './clock.ts'
import type { Outgoing, Source } from './connection.ts'

/** Reports of the running state: what changed enough, and everything once in a while. Unsent ones melt into one. */
export function openReporter(options: {
  body: Body
  clock: Clock
  seq: () => number
  state_every_ms: number | undefined
  on_ready: () => void
}) {
  const { body, clock } = options
  let told: StatePartsOf = {}
  let told_all_at = 0
  let location_at = 0
  let pending: StatePartsOf | undefined

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
      const parts = await body.state()
      pending = undefined
      note(parts, true)
      return parts
    },
    async sample() {
      const now = await body.state()
      const at = clock.now().getTime()
      const is_due = at - told_all_at >= (options.state_every_ms ?? thresholds.every_ms)
      const parts = is_due ? now : changedParts(told, now, at - location_at)
      if (Object.keys(parts).length === 0) return
      note(parts, is_due)
      pending = { ...pending, ...parts }
      options.on_ready()
    },
  }
}

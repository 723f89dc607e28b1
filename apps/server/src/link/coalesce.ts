import type { LiveEvent } from '@mdm/contract'
import type { Deps } from '../deps.ts'

export const live_window_ms = 1_000
export type Coalescer = {
  /** Said within the last second. */
  recent: Set<string>
  /** The latest of what followed. */
  waiting: Map<string, () => void>
  is_ticking: boolean
}

/** Says the latest of `key` at once, and what follows within a second as one event: a browser needs no more. */
export function publishCoalesced(deps: Deps, key: string, account_kid: string, event: LiveEvent): void {
  const { coalescer } = deps.memory
  const publish = () => deps.live.publish(account_kid, event)
  if (coalescer.recent.has(key)) return void coalescer.waiting.set(key, publish)
  coalescer.recent.add(key)
  publish()
  if (coalescer.is_ticking) return
  coalescer.is_ticking = true
  const tick = () => {
    const due = coalescer.waiting
    coalescer.waiting = new Map()
    coalescer.recent = new Set(due.keys())
    coalescer.is_ticking = due.size > 0
    if (coalescer.is_ticking) deps.clock.after(live_window_ms, tick)
    for (const say of due.values()) say()
  }
  deps.clock.after(live_window_ms, tick)
}

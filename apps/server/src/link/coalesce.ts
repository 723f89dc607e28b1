import type { LiveEvent } from '@mdm/contract'
import type { Deps } from '../deps.ts'

export const live_window_ms = 1_000
type Coalescer = {
  publish(key: string, account_kid: string, event: LiveEvent): void
}

const all = new WeakMap<Deps['live'], Coalescer>()

/** Says the latest of `key` at once, and what follows within a second as one event: a browser needs no more. */
export function publishCoalesced(deps: Deps, key: string, account_kid: string, event: LiveEvent): void {
  let coalescer = all.get(deps.live)
  if (!coalescer) all.set(deps.live, (coalescer = create(deps)))
  coalescer.publish(key, account_kid, event)
}

function create(deps: Deps): Coalescer {
  let recent = new Set<string>()
  let waiting = new Map<string, { account_kid: string; event: LiveEvent }>()
  let is_ticking = false
  const tick = () => {
    const due = waiting
    waiting = new Map()
    recent = new Set(due.keys())
    is_ticking = recent.size > 0
    if (is_ticking) deps.clock.after(live_window_ms, tick)
    for (const { account_kid, event } of due.values()) deps.live.publish(account_kid, event)
  }
  return {
    publish(key, account_kid, event) {
      if (recent.has(key)) {
        waiting.set(key, { account_kid, event })
        return
      }
      recent.add(key)
      deps.live.publish(account_kid, event)
      if (!is_ticking) {
        is_ticking = true
        deps.clock.after(live_window_ms, tick)
      }
    },
  }
}

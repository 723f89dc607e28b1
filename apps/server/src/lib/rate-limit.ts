import type { Deps } from '../deps.ts'
import { refuse } from '../refusal.ts'
import type { Clock } from './clock.ts'

export type Rate = { limit: number; per_ms: number }
export type RateLimiter = {
  /** Takes one of the key's tries. 0 when there was one, else the seconds until there is. */
  take(key: string): number
  /** The seconds until the key has a try, 0 when it has one; takes none. */
  wait(key: string): number
}

/** So many keys are remembered; a flood of more forgets the ones that were quiet longest. */
const maxKeys = 20_000

/** `limit` at once, one more every `per_ms / limit` (GCRA: a key is one instant, when its tries are all there again). */
export function rateLimiter(clock: Pick<Clock, 'elapsed'>, { limit, per_ms }: Rate): RateLimiter {
  const each = per_ms / limit
  const full_at = new Map<string, number>()
  const statusOf = (key: string) => {
    const now = clock.elapsed()
    const at = Math.max(full_at.get(key) ?? now, now)
    return { at, seconds: Math.max(0, Math.ceil((at - now - (per_ms - each)) / 1000)) }
  }
  return {
    wait: (key) => statusOf(key).seconds,
    take(key) {
      const { at, seconds } = statusOf(key)
      if (seconds > 0) return seconds
      full_at.delete(key)
      full_at.set(key, at + each)
      if (full_at.size > maxKeys) full_at.delete(full_at.keys().next().value!)
      return 0
    },
  }
}

/** The limiter of this name of this server; a process can hold several servers (tests). */
export function limiterOf(deps: Deps, name: string, rate: Rate): RateLimiter {
  const { limiters } = deps.memory
  const found = limiters.get(name) ?? rateLimiter(deps.clock, rate)
  limiters.set(name, found)
  return found
}

/** Takes one of the key's tries from the limiter of this name. @throws `too_many_requests` */
export function takeTry(deps: Deps, name: string, rate: Rate, key: string): void {
  const seconds = limiterOf(deps, name, rate).take(key)
  if (seconds > 0) refuse('too_many_requests', { seconds })
}

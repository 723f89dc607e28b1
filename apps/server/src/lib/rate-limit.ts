import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { refuse } from '../refusal.ts'
import type { Clock } from './clock.ts'
import { unlessDiskFull } from './database-errors.ts'

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

/**
 * As `takeTry`, of all servers of one database together: for what protects accounts, and for caps of an hour. One statement, so that
 * a hundred tries at once are a hundred tries. A full disk opens no door: then this server counts for itself.
 * @throws `too_many_requests`
 */
export async function takeSharedTry(deps: Deps, name: string, rate: Rate, key: string): Promise<void> {
  if (deps.database.kind === 'embedded') return takeTry(deps, name, rate, key)
  let seconds: number
  try {
    seconds = await takeShared(deps, name, rate, key)
  } catch (error) {
    unlessDiskFull(error)
    return takeTry(deps, name, rate, key)
  }
  if (seconds > 0) refuse('too_many_requests', { seconds })
}

async function takeShared({ db }: Deps, name: string, { limit, per_ms }: Rate, key: string): Promise<number> {
  const each = per_ms / limit
  const later = (ms: number) => sql`make_interval(secs => ${ms / 1_000})`
  const { rows } = await sql`
    INSERT INTO rate (name, key, full_at) VALUES (${name}, ${key}, now() + ${later(each)})
    ON CONFLICT (name, key) DO UPDATE SET full_at = GREATEST(rate.full_at, now()) + ${later(each)}
      WHERE GREATEST(rate.full_at, now()) + ${later(each)} <= now() + ${later(per_ms)}
    RETURNING full_at`.execute(db)
  if (rows.length > 0) return 0
  const found = await sql<{ seconds: number }>`
    SELECT ceil(extract(epoch FROM full_at - now() - ${later(per_ms - each)}))::int AS seconds
    FROM rate WHERE name = ${name} AND key = ${key}`.execute(db)
  return Math.max(1, found.rows[0]?.seconds ?? 1)
}

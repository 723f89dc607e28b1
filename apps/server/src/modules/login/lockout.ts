import { sql } from 'kysely'
import { unlessDiskFull } from '../../db/errors.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'
import { limiterOf } from '../../lib/rate-limit.ts'

const windowMs = 15 * 60_000
/** Failures within the window that lock a name, or an address, for as long. */
export const failureLimits = { name: 5, address: 50 } as const

/** Who tries: a login name, where one is known, from an address. */
export type Try = { username?: string | undefined; address: string }

/**
 * Counts a try against the name and the address before the secret is looked at, so that a hundred tries at once are a
 * hundred tries. Refused as `login_locked` when either had its share.
 */
export async function reserveTry(deps: Deps, tried: Try): Promise<void> {
  const found = await Promise.all(
    keysOf(tried).map(({ key, limit }) =>
      count(deps, key, limit).catch((error: unknown) => {
        unlessDiskFull(error)
        return countInMemory(deps, key, limit)
      }),
    ),
  )
  const until = Math.max(...found)
  if (until <= 0) return
  const minutes = Math.max(1, Math.ceil((until - deps.clock.now().getTime()) / 60_000))
  refuse('login_locked', { minutes, ...(tried.username === undefined ? {} : { username: tried.username }) })
}

/** A full disk opens no door to guessing. */
function countInMemory(deps: Deps, key: string, limit: number): number {
  const seconds = limiterOf(deps, `tries of ${limit}`, { limit, per_ms: windowMs }).take(key)
  return seconds > 0 ? deps.clock.now().getTime() + seconds * 1_000 : 0
}

/** When the key is locked until, ms since 1970; 0 when this try may go on. */
async function count({ db, clock }: Deps, key: string, limit: number): Promise<number> {
  const now = clock.now()
  const window_start = new Date(now.getTime() - windowMs)
  const locked_until = new Date(now.getTime() + windowMs)
  const is_over = sql<boolean>`COALESCE(login_failure.locked_until <= ${now}, login_failure.first_at <= ${window_start})`
  const { rows } = await sql<{ failures: number; locked_until: Date | null }>`
    INSERT INTO login_failure (key, failures, first_at) VALUES (${key}, 1, ${now})
    ON CONFLICT (key) DO UPDATE SET
      failures = CASE WHEN ${is_over} THEN 1 ELSE LEAST(login_failure.failures + 1, ${limit + 1}) END,
      first_at = CASE WHEN ${is_over} THEN ${now} ELSE login_failure.first_at END,
      locked_until = CASE
        WHEN ${is_over} THEN NULL
        WHEN login_failure.locked_until IS NOT NULL THEN login_failure.locked_until
        WHEN login_failure.failures + 1 >= ${limit} THEN ${locked_until}::timestamptz
      END
    RETURNING failures, locked_until`.execute(db)
  const row = rows[0]!
  return row.failures > limit ? (row.locked_until ?? locked_until).getTime() : 0
}

/** Everything was right: the name starts anew, the address gets its try back. */
export async function clearTry(deps: Deps, { username, address }: Try): Promise<void> {
  if (username !== undefined)
    await deps.db.deleteFrom('login_failure').where('key', '=', nameKey(username)).execute().catch(unlessDiskFull)
  await returnTry(deps, { address })
}

/**
 * So far it was right: name and address get this try back and nothing more. Who knows a password may not by it wipe out
 * the failures of the second factor.
 */
export async function returnTry({ db }: Deps, tried: Try): Promise<void> {
  for (const { key, limit } of keysOf(tried))
    await sql`
      UPDATE login_failure SET failures = failures - 1,
        locked_until = CASE WHEN failures - 1 >= ${limit} THEN locked_until END
      WHERE key = ${key} AND failures > 0`
      .execute(db)
      .catch(unlessDiskFull)
}

function keysOf({ username, address }: Try): { key: string; limit: number }[] {
  const by_address = { key: `address:${address}`, limit: failureLimits.address }
  return username === undefined ? [by_address] : [{ key: nameKey(username), limit: failureLimits.name }, by_address]
}
const nameKey = (username: string): string => `name:${username.toLowerCase()}`

import { sql } from 'kysely'
import { unlessDiskFull } from '../../../lib/database-errors.ts'
import { limiterOf } from '../../../lib/rate-limit.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import type { RequestInfo } from '../../../http/context.ts'
import { browserCookie, cookieLine } from '../../../http/cookies.ts'
import { digest, newSecret } from '../../../lib/ids.ts'
import { networkOf } from '../../../lib/network.ts'
import { publicUrl } from '../../../addresses.ts'

const windowMs = 15 * 60_000
/** Failures within the window that lock a name for as long. */
export const failureLimits = { name: 5 } as const

/** How long a network or a browser stays known from which somebody has signed in. */
export const knownForMs = 90 * 24 * 60 * 60_000

/** Where a call comes from. */
export type Origin = Pick<RequestInfo, 'address' | 'browser_cookie' | 'keepCookie'>
/** Who tries: a login name, where one is known, from somewhere. */
export type Try = { username?: string | undefined; from: Origin }

/**
 * Counts a try against the name and the place before the secret is looked at, so that a hundred tries at once are a
 * hundred tries. Refused as `login_locked` when the name had its share. Strangers lock a name for strangers: whoever comes
 * from a browser or a network from which that person has signed in is counted apart. No place is ever locked, since
 * many people are behind one address: its failures make the puzzle cost more (`failuresFrom`).
 */
export async function reserveTry(deps: Deps, tried: Try): Promise<void> {
  const found = await Promise.all(
    (await keysOf(deps, tried)).map(({ key, limit }) =>
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

/** Tries that nothing is refused for: they make the puzzle cost more (`failuresFrom`). */
const unlimited = 1_000_000

/** A wrong answer to a puzzle. */
export const notePuzzleFailure = async (deps: Deps, from: Origin): Promise<unknown> =>
  count(deps, `puzzle:${await placeOf(deps, from)}`, unlimited)

/** Failures of this place to sign in, and to solve puzzles, within the window. */
export async function failuresFrom(deps: Deps, from: Origin): Promise<number> {
  const { db, clock } = deps
  const place = await placeOf(deps, from)
  const { failures } = await db
    .selectFrom('login_failure')
    .select(sql<number>`COALESCE(sum(failures), 0)::int`.as('failures'))
    .where('key', 'in', [`address:${place}`, `puzzle:${place}`])
    .where('first_at', '>', new Date(clock.now().getTime() - windowMs))
    .executeTakeFirstOrThrow()
  return failures
}

/** Everything was right: the name starts anew, the place gets its try back. */
export async function clearTry(deps: Deps, { username, from }: Try): Promise<void> {
  if (username !== undefined)
    await deps.db
      .deleteFrom('login_failure')
      .where('key', '=', await nameKey(deps, username, from))
      .execute()
      .catch(unlessDiskFull)
  await returnTry(deps, { from })
}

/**
 * So far it was right: name and place get this try back and nothing more. Who knows a password may not by it wipe out
 * the failures of the second factor.
 */
export async function returnTry(deps: Deps, tried: Try): Promise<void> {
  for (const { key, limit } of await keysOf(deps, tried))
    await sql`
      UPDATE login_failure SET failures = failures - 1,
        locked_until = CASE WHEN failures - 1 >= ${limit} THEN locked_until END
      WHERE key = ${key} AND failures > 0`
      .execute(deps.db)
      .catch(unlessDiskFull)
}

/** This network and this browser are known from now on. */
export async function notePlaces(trx: Kysely<Tables>, deps: Deps, user_kid: string, from: Origin): Promise<void> {
  const last_use_at = deps.clock.now()
  const browser = (await isKnown(trx, deps, from)) ? from.browser_cookie! : newSecret()
  await trx
    .insertInto('login_network')
    .values([networkOf(from.address), browserPlace(browser)].map((network) => ({ user_kid, network, last_use_at })))
    .onConflict((conflict) => conflict.columns(['user_kid', 'network']).doUpdateSet({ last_use_at }))
    .execute()
  from.keepCookie?.(cookieLine(browserCookie, browser, knownForMs, publicUrl(deps).startsWith('https://')))
}

/**
 * What a call is counted by: the browser, where somebody has signed in from it, else the network. So those behind one
 * address who have signed in before pay nothing for what others behind it do.
 */
export async function placeOf(deps: Deps, from: Origin): Promise<string> {
  return (await isKnown(deps.db, deps, from)) ? browserPlace(from.browser_cookie!) : networkOf(from.address)
}

/** Where a network stands: no address has a space. The cookie itself is kept nowhere. */
const browserPlace = (cookie: string): string => `browser ${digest(cookie).toString('hex')}`

async function isKnown(db: Kysely<Tables>, { clock }: Deps, { browser_cookie }: Origin): Promise<boolean> {
  if (browser_cookie === undefined) return false
  const found = await db
    .selectFrom('login_network')
    .select('network')
    .where('network', '=', browserPlace(browser_cookie))
    .where('last_use_at', '>', new Date(clock.now().getTime() - knownForMs))
    .executeTakeFirst()
  return found !== undefined
}

async function keysOf(deps: Deps, { username, from }: Try): Promise<{ key: string; limit: number }[]> {
  const by_place = { key: `address:${await placeOf(deps, from)}`, limit: unlimited }
  if (username === undefined) return [by_place]
  return [{ key: await nameKey(deps, username, from), limit: failureLimits.name }, by_place]
}

async function nameKey({ db, clock }: Deps, username: string, { address, browser_cookie }: Origin): Promise<string> {
  const name = username.toLowerCase()
  const places = [networkOf(address), ...(browser_cookie === undefined ? [] : [browserPlace(browser_cookie)])]
  const known = await db
    .selectFrom('login_network as n')
    .innerJoin('user_account as u', 'u.kid', 'n.user_kid')
    .select('n.network')
    .where(sql`lower(u.username)`, '=', name)
    .where('n.network', 'in', places)
    .where('n.last_use_at', '>', new Date(clock.now().getTime() - knownForMs))
    // The browser is nearer to the person.
    .orderBy(sql`n.network LIKE 'browser %'`, 'desc')
    .executeTakeFirst()
  // No login name has a space: nobody is called like this.
  return known ? `name:${name} from ${known.network}` : `name:${name}`
}

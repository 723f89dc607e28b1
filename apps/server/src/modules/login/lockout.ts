import { sql } from 'kysely'
import { unlessDiskFull } from '../../db/errors.ts'
import { limiterOf } from '../../lib/rate-limit.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../refusal.ts'
import { networkOf } from '../../lib/network.ts'

const windowMs = 15 * 60_000
/** Failures within the window that lock a name, or an address, for as long. */
export const failureLimits = { name: 5, address: 50 } as const

/** How long a network stays known from which somebody has signed in. */
export const knownForMs = 90 * 24 * 60 * 60_000

/** Who tries: a login name, where one is known, from an address. */
export type Try = { username?: string | undefined; address: string }

/**
 * Counts a try against the name and the address before the secret is looked at, so that a hundred tries at once are a
 * hundred tries. Refused as `login_locked` when either had its share. Strangers lock a name for strangers: whoever comes
 * from a network from which that person has signed in is counted apart.
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
const uncounted = 1_000_000

/** A wrong answer to a puzzle. */
export const notePuzzleFailure = (deps: Deps, address: string): Promise<unknown> =>
  count(deps, `puzzle:${networkOf(address)}`, uncounted)

/** Failures of this network to sign in, and to solve puzzles, within the window. */
export async function failuresFrom({ db, clock }: Deps, address: string): Promise<number> {
  const network = networkOf(address)
  const { failures } = await db
    .selectFrom('login_failure')
    .select(sql<number>`COALESCE(sum(failures), 0)::int`.as('failures'))
    .where('key', 'in', [`address:${network}`, `puzzle:${network}`])
    .where('first_at', '>', new Date(clock.now().getTime() - windowMs))
    .executeTakeFirstOrThrow()
  return failures
}

/** Everything was right: the name starts anew, the address gets its try back. */
export async function clearTry(deps: Deps, { username, address }: Try): Promise<void> {
  if (username !== undefined)
    await deps.db
      .deleteFrom('login_failure')
      .where('key', '=', await nameKey(deps, username, networkOf(address)))
      .execute()
      .catch(unlessDiskFull)
  await returnTry(deps, { address })
}

/**
 * So far it was right: name and address get this try back and nothing more. Who knows a password may not by it wipe out
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

/** This network is known from now on. */
export async function noteNetwork(trx: Kysely<Tables>, { clock }: Deps, user_kid: string, address: string) {
  const last_use_at = clock.now()
  await trx
    .insertInto('login_network')
    .values({ user_kid, network: networkOf(address), last_use_at })
    .onConflict((conflict) => conflict.columns(['user_kid', 'network']).doUpdateSet({ last_use_at }))
    .execute()
}

async function keysOf(deps: Deps, { username, address }: Try): Promise<{ key: string; limit: number }[]> {
  const network = networkOf(address)
  const by_address = { key: `address:${network}`, limit: failureLimits.address }
  if (username === undefined) return [by_address]
  return [{ key: await nameKey(deps, username, network), limit: failureLimits.name }, by_address]
}

async function nameKey({ db, clock }: Deps, username: string, network: string): Promise<string> {
  const name = username.toLowerCase()
  const known = await db
    .selectFrom('login_network as n')
    .innerJoin('user_account as u', 'u.kid', 'n.user_kid')
    .select('n.network')
    .where(sql`lower(u.username)`, '=', name)
    .where('n.network', '=', network)
    .where('n.last_use_at', '>', new Date(clock.now().getTime() - knownForMs))
    .executeTakeFirst()
  // No login name has a space: nobody is called like this.
  return known ? `name:${name} from ${network}` : `name:${name}`
}

import type { Deps } from '../deps.ts'
import { loadSession } from './session-row.ts'
import type { SessionRow } from './session-row.ts'

/** A stolen or ended token stops working within this time, on every server. */
const keepMs = 1000
const maxEntries = 5000

type Entry = { until: number; row: Promise<SessionRow | undefined> }
export type KnownSessions = Map<string, Entry>

/** The session of a token, read at most once a second however many requests a screen sends at once. */
export async function cachedSession(
  deps: Deps,
  token_hash: Buffer,
  asked_kid: string | null,
): Promise<SessionRow | undefined> {
  const cache = deps.memory.sessions
  const now = deps.clock.elapsed()
  const key = `${token_hash.toString('base64')} ${asked_kid ?? ''}`
  const known = cache.get(key)
  if (known && now < known.until) return known.row
  if (cache.size >= maxEntries) cache.clear()
  const entry: Entry = { until: now + keepMs, row: loadSession(deps, { token_hash }, asked_kid) }
  cache.set(key, entry)
  try {
    const row = await entry.row
    // A token that is worth nothing is not worth remembering: strangers could fill the cache with them.
    if (!row && cache.get(key) === entry) cache.delete(key)
    return row
  } catch (error) {
    if (cache.get(key) === entry) cache.delete(key)
    throw error
  }
}

/** To be called after anything that a session shows has changed: sign-out, roles, entering, a password, a state. */
export const forgetSessions = ({ memory }: Pick<Deps, 'memory'>): void => memory.sessions.clear()

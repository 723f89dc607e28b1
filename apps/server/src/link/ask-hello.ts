import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { limiterOf } from '../lib/rate-limit.ts'
import type { openRequests } from './requests.ts'

/** A device is asked so often at most, whatever it sends; one that does not know the question is not asked without end. */
const once = { limit: 1, per_ms: 60_000 }
const answer_ms = 10_000
/** Hellos that are under way when the server is back have been stored by then. */
const settle_ms = 3_000
/** Who was heard of within it may be connected; whoever was away for longer is asked when it reports something. */
export const recent_ms = 24 * 3_600_000
const piece = 1_000

/**
 * A hello is said once for each connection, and a broker that keeps nothing acknowledges it though no server listens: the
 * device would stand as offline for as long as it is connected. So it is asked for, over the connection that it has.
 */
export function helloAsker(deps: Deps, { request }: Pick<ReturnType<typeof openRequests>, 'request'>) {
  /** Those that were asked within the minute, and are asked once more after it. */
  const later = new Set<string>()

  /** Something came from a device that is said to be offline, or it may have connected while no server listened. */
  function ask(kid: string): void {
    const seconds = limiterOf(deps, 'asked hellos', once).take(kid)
    if (seconds > 0) {
      // What it answered then was of the connection before: a broker can be killed twice within a minute.
      if (later.has(kid)) return
      later.add(kid)
      deps.clock.after(seconds * 1_000, () => void (later.delete(kid) && ask(kid)))
      return
    }
    // Its answer is the hello; one that is gone, or does not know the question, stays as it is.
    request(kid, 'hello', {}, answer_ms).catch(() => {})
  }

  /** Of everybody who may have connected while no server listened: who has said hello since is not asked. */
  async function askAll(since: Date): Promise<void> {
    const recent = new Date(since.getTime() - recent_ms)
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const { rows } = await sql<{ terminal_kid: string }>`
        SELECT terminal_kid FROM terminal_state
        WHERE terminal_kid > ${after}::uuid AND connected_at < ${since}
          AND (is_online OR GREATEST(last_online_at, last_contact_at) > ${recent})
        ORDER BY terminal_kid LIMIT ${piece}
      `.execute(deps.db)
      for (const { terminal_kid } of rows) ask(terminal_kid)
      if (rows.length < piece) return
      after = rows.at(-1)!.terminal_kid
    }
  }

  return {
    ask,
    resumed(): void {
      const since = deps.clock.now()
      deps.clock.after(settle_ms, () =>
        askAll(since).catch((error: unknown) =>
          deps.log.warn({ err: error }, 'devices were not asked for their hello'),
        ),
      )
    },
  }
}

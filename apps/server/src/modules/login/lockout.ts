import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'

const windowMs = 15 * 60_000
/** Failures within the window that lock a name, or an address, for as long. */
export const failureLimits = { name: 5, address: 50 } as const

/**
 * Counts a try against the name and the address before the password is looked at, so that a hundred tries at once are
 * a hundred tries. Refused as `login_locked` when either had its share.
 */
export async function reserveTry(deps: Deps, username: string, address: string): Promise<void> {
  const found = await Promise.all([
    count(deps, nameKey(username), failureLimits.name),
    count(deps, `address:${address}`, failureLimits.address),
  ])
  const until = Math.max(...found)
  if (until > 0)
    refuse('login_locked', { minutes: Math.max(1, Math.ceil((until - deps.clock.now().getTime()) / 60_000)) })
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

/** The password was right: the name starts anew, the address gets its try back. */
export async function clearTry({ db }: Deps, username: string, address: string): Promise<void> {
  await db.deleteFrom('login_failure').where('key', '=', nameKey(username)).execute()
  await sql`
    UPDATE login_failure SET failures = failures - 1,
      locked_until = CASE WHEN failures - 1 >= ${failureLimits.address} THEN locked_until END
    WHERE key = ${`address:${address}`} AND failures > 0`.execute(db)
}

const nameKey = (username: string): string => `name:${username.toLowerCase()}`

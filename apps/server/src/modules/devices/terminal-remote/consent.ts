import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'

const minute_ms = 60_000
/** After the first refusal, and twice as long after each that follows. */
const first_pause_ms = 2 * minute_ms
const longest_pause_ms = 60 * minute_ms
/** A refusal that lies so far back counts no more. */
const forgotten_ms = 24 * 60 * minute_ms

const pauseAfter = (refusals: number): number => Math.min(longest_pause_ms, first_pause_ms * 2 ** (refusals - 1))

/** Whoever has refused is left alone for a while, whoever of the account asks and on whatever server. */
export async function assertMayAsk(trx: Kysely<Tables>, terminal_kid: string, now: Date): Promise<void> {
  const row = await trx
    .selectFrom('remote_refusal')
    .select(['refusals', 'refused_at'])
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirst()
  if (!row) return
  const since_ms = now.getTime() - row.refused_at.getTime()
  const left_ms = pauseAfter(row.refusals) - since_ms
  // A clock that was set back must not make the pause longer.
  if (left_ms > 0 && since_ms >= 0) refuse('remote_asked_lately', { minutes: Math.ceil(left_ms / minute_ms) })
}

export async function noteRefusal({ deps, scope, account_kid }: Actor, terminal_kid: string): Promise<void> {
  const now = deps.clock.now()
  const forgotten = new Date(now.getTime() - forgotten_ms)
  await scope
    .insertInto('remote_refusal')
    .values({ terminal_kid, account_kid, refusals: 1, refused_at: now })
    .onConflict((row) =>
      row.column('terminal_kid').doUpdateSet({
        refusals: sql<number>`CASE WHEN remote_refusal.refused_at < ${forgotten} THEN 1
          ELSE LEAST(remote_refusal.refusals + 1, 20) END`,
        refused_at: now,
      }),
    )
    .execute()
}

/** Who agrees may be asked again at any time. */
export const noteConsent = (scope: Kysely<Tables>, terminal_kid: string) =>
  scope.deleteFrom('remote_refusal').where('terminal_kid', '=', terminal_kid).execute()

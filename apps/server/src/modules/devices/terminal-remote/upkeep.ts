import { sql } from 'kysely'
import type { RemoteEnd } from '@mdm/contract'
import type { Deps } from '../../../deps.ts'
import { endSession, tell } from './ends.ts'

/** A session to which nobody has come back for so long. */
const empty_ms = 120_000
const day_ms = 86_400_000
/** Sessions of one statement; each brings its viewers. */
const piece = 500

/** Ends what no server looks at: viewers whose server is gone or who never came, and sessions that are over or empty. For a timer. */
export async function keepSessions(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  const { rows: gone } = await sql<{ kid: string; account_kid: string; terminal_kid: string }>`
    UPDATE remote_viewer v SET left_at = ${now}
    WHERE v.left_at IS NULL AND (
      v.node_kid IS NOT NULL AND NOT EXISTS (SELECT FROM node n WHERE n.kid = v.node_kid)
      OR v.joined_at IS NULL AND v.ticket_ends_at < ${new Date(now.getTime() - empty_ms)})
    RETURNING v.session_kid AS kid, v.account_kid, v.terminal_kid`.execute(deps.db)
  for (const session of gone) tell(deps, session)
  const since = new Date(now.getTime() - empty_ms)
  const { rows } = await sql<{ kid: string; account_kid: string; terminal_kid: string; reason: RemoteEnd }>`
    SELECT s.kid, s.account_kid, s.terminal_kid, CASE WHEN s.ends_at <= ${now} THEN 'expired' ELSE 'no_viewer' END AS reason
    FROM remote_session s
    WHERE s.ended_at IS NULL AND (s.ends_at <= ${now} OR s.created_at < ${since} AND NOT EXISTS (
      SELECT FROM remote_viewer v WHERE v.session_kid = s.kid AND (v.left_at IS NULL OR v.left_at > ${since})))
    LIMIT 500`.execute(deps.db)
  for (const { reason, ...session } of rows) await endSession(deps, session, reason)
}

/** Drops sessions that ended long ago, with their viewers; one whose recording is still there is what that is found by. */
export async function dropOldSessions(deps: Deps): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - deps.config.remote_history_days * day_ms)
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM remote_session WHERE kid IN (
        SELECT s.kid FROM remote_session s WHERE s.ended_at < ${before}
          AND NOT EXISTS (SELECT FROM remote_recording r WHERE r.session_kid = s.kid)
        ORDER BY s.ended_at LIMIT ${piece})`.execute(deps.db)
    if (numAffectedRows < piece) return
  }
}

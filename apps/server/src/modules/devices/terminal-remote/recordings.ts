import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { oneSession } from './read.ts'
import { defaults } from './settings.ts'

const chunk = 200

async function one(actor: Actor, kid: string) {
  const recording = await actor.scope
    .selectFrom('remote_recording')
    .selectAll()
    .where('kid', '=', kid)
    .executeTakeFirst()
  if (!recording) return refuse('not_found')
  return { ...recording, session: await oneSession(actor, recording.session_kid) }
}

/** Where the file can be fetched for an hour. */
export async function watchRecording(actor: Actor, recording_kid: string) {
  const { kid, format, started_at, session } = await one(actor, recording_kid)
  const at = started_at.toISOString().slice(0, 19).replaceAll(':', '-')
  const name = `${session.sn.replaceAll(':', '-')}-${at}.${format === 'fbs' ? 'fbs' : 'cast'}`
  return { url: actor.deps.signFile(kid, { name }), format, session }
}

export async function deleteRecording(actor: Actor, recording_kid: string) {
  const { kid, session } = await one(actor, recording_kid)
  await actor.scope.deleteFrom('remote_recording').where('kid', '=', kid).execute()
  await actor.deps.objects.delete(kid)
  return session
}

/** Removes recordings that are older than their account keeps them, the oldest of those with too many, and those of accounts that are gone. */
export async function keepRecordings(deps: Deps): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ kid: string }>`
      DELETE FROM remote_recording WHERE kid IN (
        SELECT r.kid FROM (
          SELECT kid, account_kid, started_at,
            sum(bytes) OVER (PARTITION BY account_kid ORDER BY started_at DESC, kid DESC) AS with_newer
          FROM remote_recording
        ) r
        LEFT JOIN account a ON a.kid = r.account_kid
        LEFT JOIN remote_settings s ON s.account_kid = r.account_kid
        WHERE a.kid IS NULL OR r.with_newer > COALESCE(s.recording_bytes, ${defaults.recording_bytes}::bigint)
          OR r.started_at < ${deps.clock.now()}::timestamptz - make_interval(days => COALESCE(s.recording_days, ${defaults.recording_days}::integer))
        LIMIT ${chunk})
      RETURNING kid`.execute(deps.db)
    for (const { kid } of rows) await deps.objects.delete(kid)
    if (rows.length < chunk) return
  }
}

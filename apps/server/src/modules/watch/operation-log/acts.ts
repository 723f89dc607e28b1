import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Track } from '../../../http/context.ts'

export type ActOnAlert = { at: Date; by: string; track: Track }
/** More are not shown: somebody who changes a note in a loop must not make it slow to read. */
const most = 500

/** What people did to an alert, and to the rule that it is of, from when on: the newest first. Read by an index of its own. */
export async function actsOnAlert(
  { deps, account_kid }: Actor,
  { kid, rule_kid, from }: { kid: string; rule_kid: string; from: Date },
): Promise<ActOnAlert[]> {
  const about = (of: string) => sql`tracks @> ${JSON.stringify([{ kid: of }])}::jsonb`
  const { rows } = await sql<{ at: Date; by: string; tracks: Track[] }>`
    SELECT created_at AS at, coalesce(nullif(operator_name, ''), operator_username) AS by, tracks FROM operation_log
    WHERE account_kid = ${account_kid} AND module_code IN ('alert', 'alert_rule') AND created_at >= ${from} AND result = 1
      AND (${about(kid)} OR ${about(rule_kid)})
    ORDER BY created_at DESC, kid DESC LIMIT ${most}`.execute(deps.db)
  return rows.flatMap(({ at, by, tracks }) =>
    tracks.filter((track) => track.kid === kid || track.kid === rule_kid).map((track) => ({ at, by, track })),
  )
}

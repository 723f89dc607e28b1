import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'

/** The tracks `t` of an operation that are about devices now within reach: themselves, pushes to them, their files. */
export const touching = (
  tracks: RawBuilder<unknown>,
  { account_kid, visible_groups }: Pick<Actor, 'account_kid' | 'visible_groups'>,
) => {
  // Kids of other tables need not be UUIDs.
  const kidOf = (table: string) => sql`CASE WHEN t ->> 'table' = ${table} THEN (t ->> 'kid')::uuid END`
  return sql`jsonb_array_elements(${tracks}) AS t
    JOIN LATERAL (
      SELECT ${kidOf('terminal')} AS terminal_kid
      UNION ALL SELECT p.terminal_kid FROM push_task_terminal p WHERE p.push_task_kid = ${kidOf('push_task')}
      UNION ALL SELECT x.terminal_kid FROM device_transfer x WHERE x.kid = ${kidOf('device_transfer')}
      UNION ALL SELECT x.terminal_kid FROM remote_session x WHERE x.kid = ${kidOf('remote_session')}
    ) touched ON true
    JOIN terminal d ON d.kid = touched.terminal_kid AND d.account_kid = ${account_kid}
      AND d.terminal_group_kid = any(${visible_groups}::uuid[])`
}

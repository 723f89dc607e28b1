import { groupValues } from '@mdm/contract'
import { sql } from 'kysely'
import { actorOf } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { kidsMatching } from '../../fleet/terminal-filter/index.ts'
import { markThese, piece } from '../terminal-config/index.ts'

/**
 * Looks at every dynamic group that uses a profile: devices that came to it, or left it, are marked with what that changes, a piece
 * in a transaction. So are those of a use that is gone. Whether there may be more.
 */
async function followMembers(deps: Deps): Promise<boolean> {
  const uses = await deps.db
    .selectFrom('config_profile_use')
    .select(['kid', 'account_kid', 'terminal_dynamic_group_kid', 'created_by_kid', 'created_by'])
    .where('terminal_dynamic_group_kid', 'is not', null)
    .orderBy('kid')
    .execute()
  let is_more = await forget(deps, sql`NOT EXISTS (SELECT FROM config_profile_use u WHERE u.kid = m.profile_use_kid)`)
  for (const { kid, account_kid, terminal_dynamic_group_kid, created_by_kid, created_by } of uses) {
    const issuer = { account_kid, user_kid: created_by_kid, name: created_by, token_kid: null }
    const actor = actorOf(deps, { ...issuer, group_kids: undefined })
    const terminal_dynamic_group = { terminal_dynamic_group_kid: terminal_dynamic_group_kid! }
    const kids = await kidsMatching(actor, { terminal_group_kid: groupValues.all, ...terminal_dynamic_group })
    is_more =
      (await forget(deps, sql`m.profile_use_kid = ${kid} AND NOT m.terminal_kid = ANY(${kids}::uuid[])`)) || is_more
    is_more = (await remember(deps, { kid, account_kid }, kids)) || is_more
  }
  return is_more
}

const forget = (deps: Deps, which: ReturnType<typeof sql>): Promise<boolean> =>
  deps.db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ terminal_kid: string }>`
      DELETE FROM config_profile_member d USING (
        SELECT m.profile_use_kid, m.terminal_kid FROM config_profile_member m WHERE ${which} LIMIT ${piece}
      ) gone WHERE d.profile_use_kid = gone.profile_use_kid AND d.terminal_kid = gone.terminal_kid
      RETURNING d.terminal_kid`.execute(trx)
    return marked(deps, trx, rows)
  })

type Use = { kid: string; account_kid: string }
const remember = (deps: Deps, { kid, account_kid }: Use, kids: readonly string[]): Promise<boolean> =>
  deps.db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ terminal_kid: string }>`
      INSERT INTO config_profile_member (profile_use_kid, terminal_kid, account_kid)
      SELECT ${kid}::uuid, t.kid, t.account_kid FROM terminal t
      WHERE t.account_kid = ${account_kid} AND t.kid = ANY(${[...kids]}::uuid[]) AND NOT EXISTS (
        SELECT FROM config_profile_member m WHERE m.profile_use_kid = ${kid}::uuid AND m.terminal_kid = t.kid)
      ORDER BY t.kid LIMIT ${piece}
      ON CONFLICT DO NOTHING RETURNING terminal_kid`.execute(trx)
    return marked(deps, trx, rows)
  })

async function marked(
  deps: Deps,
  trx: Parameters<typeof markThese>[0],
  rows: readonly { terminal_kid: string }[],
): Promise<boolean> {
  if (rows.length === 0) return false
  const kids = rows.map(({ terminal_kid }) => terminal_kid)
  await markThese(trx, kids)
  deps.link.wake(kids)
  return rows.length === piece
}

export const profileMembers: SharedWork = { name: 'profile_members', every_ms: 60_000, at_once: 1, run: followMembers }

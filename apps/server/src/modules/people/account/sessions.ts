import { constants } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { parseUserAgent } from '../../../lib/user-agent.ts'

/** Where a person is signed in; the present session first, then the one used last. */
export async function listSessions({ deps, session: { kid, user_kid } }: Ctx) {
  const now = deps.clock.now()
  const rows = await deps.db
    .selectFrom('session')
    .select(['kid', 'address', 'user_agent', 'created_at', 'last_use_at', 'expires_at'])
    .where('user_kid', '=', user_kid)
    .where('expires_at', '>', now)
    .where('last_use_at', '>', new Date(now.getTime() - constants.session.idle_hours * 3_600_000))
    .orderBy((eb) => eb('kid', '=', kid), 'desc')
    .orderBy('last_use_at', 'desc')
    .execute()
  return rows.map(({ user_agent, ...row }) => {
    const { os, name, major_version } = parseUserAgent(user_agent)
    return { ...row, is_current: row.kid === kid, os, browser: name && [name, major_version].filter(Boolean).join(' ') }
  })
}

/** Ends one session of this person. Refused as `not_found`. */
export async function endSession({ deps, user }: Actor, kid: string): Promise<void> {
  const { numDeletedRows } = await deps.db
    .deleteFrom('session')
    .where('kid', '=', kid)
    .where('user_kid', '=', user.kid)
    .executeTakeFirst()
  if (numDeletedRows === 0n) refuse('not_found')
  forgetSessions(deps)
}

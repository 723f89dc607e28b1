import type { RemoteEnd } from '@mdm/contract'
import type { TunnelClose } from '@mdm/device-link'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'

type Of = { kid: string; account_kid: string; terminal_kid: string }

/** What the ends of a tunnel are told when its session ends so. */
export const closeOf = (reason: RemoteEnd): TunnelClose => (reason === 'no_viewer' ? 'viewer_gone' : reason)

export const tell = (deps: Deps, { account_kid, terminal_kid, kid }: Of): void =>
  deps.live.publish(account_kid, { type: 'terminal_remote', kid: terminal_kid, session_kid: kid })

/**
 * Ends a session that is open; false when somebody has ended it before. Tunnels of this server end with it, and those of others within
 * half a second, when they look.
 */
export async function endSession(
  deps: Deps,
  session: Of,
  reason: RemoteEnd,
  db: Kysely<Tables> = deps.scope(session.account_kid),
): Promise<boolean> {
  const now = deps.clock.now()
  const ended = await db
    .updateTable('remote_session')
    .set({ ended_at: now, end_reason: reason })
    .where('kid', '=', session.kid)
    .where('ended_at', 'is', null)
    .returning('kid')
    .executeTakeFirst()
  if (!ended) return false
  await db
    .updateTable('remote_viewer')
    .set({ left_at: now })
    .where('session_kid', '=', session.kid)
    .where('left_at', 'is', null)
    .execute()
  for (const held of deps.memory.remote.values())
    if (held.session.kid === session.kid) deps.memory.tunnels.end(held.kid, closeOf(reason))
  tell(deps, session)
  return true
}

import { constants } from '@mdm/contract'
import type { Deps } from '../deps.ts'
import type { LiveClient } from './live-client.ts'
import { accountUsable } from './session-row.ts'

/** Whose session still holds, for the account its stream was opened for: two short statements for all streams. */
export async function stillSignedIn(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  clients: readonly LiveClient[],
): Promise<(client: LiveClient) => boolean> {
  const now = clock.now()
  const idle_since = new Date(now.getTime() - constants.session.idle_hours * 3_600_000)
  const kids = (of: (client: LiveClient) => string) => [...new Set(clients.map(of))]
  const sessions = await db
    .selectFrom('session')
    .innerJoin('user_account', 'user_account.kid', 'session.user_kid')
    .select(['session.kid', 'session.enter_kid'])
    .where(
      'session.kid',
      'in',
      kids((c) => c.session.kid),
    )
    .where('session.expires_at', '>', now)
    .where('session.last_use_at', '>', idle_since)
    .where('user_account.status', '<>', 'invalid')
    .execute()
  const accounts = await db
    .selectFrom('account')
    .select('account.kid')
    .where('account.kid', 'in', [...kids((c) => c.session.account_kid), ...kids((c) => c.session.own_account_kid)])
    .where(accountUsable('account', now))
    .execute()
  const entered = new Map(sessions.map((row) => [row.kid, row.enter_kid]))
  const usable = new Set(accounts.map((row) => row.kid))
  return ({ session }) =>
    entered.has(session.kid) &&
    usable.has(session.account_kid) &&
    usable.has(session.own_account_kid) &&
    // An operator who has left a customer hears no more of it.
    (session.enter_kid === null || entered.get(session.kid) === session.enter_kid)
}

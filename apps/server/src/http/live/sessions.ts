import { constants, narrowed } from '@mdm/contract'
import type { Deps } from '../../deps.ts'
import type { SignedIn } from '../context.ts'
import type { LiveClient } from './client.ts'
import { accountUsable, permissionsHeldBy, isLimited } from '../session-row.ts'

type Reader = Pick<Deps, 'db' | 'clock'>
type Holds = (session: SignedIn) => boolean

/**
 * The streams whose session still holds for their account: three short statements for all of them. A stream that was opened while
 * they ran is not asked about: it has just been admitted. Being limited to groups, or no more, does not end a
 * session: its stream ends, and the next one is watched as its user is then (`groups.ts`).
 */
export async function stillSignedIn<C extends Pick<LiveClient, 'session'>>(
  deps: Reader,
  clients: readonly C[],
): Promise<(client: C) => boolean> {
  const sessions = clients.map((client) => client.session)
  const [ofSessions, ofTokens, ofAccounts] = await Promise.all([
    heldSessions(
      deps,
      sessions.filter((session) => !session.is_api_token),
    ),
    heldTokens(
      deps,
      sessions.filter((session) => session.is_api_token),
    ),
    usableAccounts(deps, sessions),
  ])
  const asked = new Set(clients)
  return (client) => {
    const { session } = client
    if (!asked.has(client)) return true
    return ofAccounts(session) && (session.is_api_token ? ofTokens(session) : ofSessions(session))
  }
}

const unique = (kids: string[]): string[] => [...new Set(kids)]
const nobody: Holds = () => false

async function heldSessions({ db, clock }: Reader, sessions: SignedIn[]): Promise<Holds> {
  if (sessions.length === 0) return nobody
  const now = clock.now()
  const rows = await db
    .selectFrom('session')
    .innerJoin('user_account', 'user_account.kid', 'session.user_kid')
    .select(['session.kid', 'session.enter_kid', isLimited('user_account').as('is_limited')])
    .where('session.kid', 'in', unique(sessions.map(({ kid }) => kid)))
    .where('session.expires_at', '>', now)
    .where('session.last_use_at', '>', new Date(now.getTime() - constants.session.idle_hours * 3_600_000))
    .where('user_account.status', '<>', 'invalid')
    .execute()
  const held = new Map(rows.map((row) => [row.kid, row]))
  return ({ kid, enter_kid, group_kids }) => {
    const row = held.get(kid)
    // An operator who has left a customer hears no more of it.
    return (
      row !== undefined &&
      row.is_limited === (group_kids !== undefined) &&
      (enter_kid ?? row.enter_kid) === row.enter_kid
    )
  }
}

/** A role change does not end an API token: its stream ends, and the next one hears what the token may hear now. */
async function heldTokens({ db, clock }: Reader, sessions: SignedIn[]): Promise<Holds> {
  if (sessions.length === 0) return nobody
  const rows = await db
    .selectFrom('api_token')
    .innerJoin('user_account as u', 'u.kid', 'api_token.user_kid')
    .select([
      'api_token.kid',
      'api_token.permissions',
      permissionsHeldBy('u').as('held'),
      isLimited('u').as('is_limited'),
    ])
    .where('api_token.kid', 'in', unique(sessions.map(({ kid }) => kid)))
    .where('api_token.expires_at', '>', clock.now())
    .where('u.status', '<>', 'invalid')
    .execute()
  const held = new Map(rows.map((row) => [row.kid, row]))
  return ({ kid, permissions, group_kids }) => {
    const row = held.get(kid)
    return (
      row !== undefined &&
      row.is_limited === (group_kids !== undefined) &&
      narrowed(row.permissions, row.held).join() === permissions.join()
    )
  }
}

async function usableAccounts({ db, clock }: Reader, sessions: SignedIn[]): Promise<Holds> {
  if (sessions.length === 0) return nobody
  const kids = unique(sessions.flatMap(({ account_kid, own_account_kid }) => [account_kid, own_account_kid]))
  const rows = await db
    .selectFrom('account')
    .select('account.kid')
    .where('account.kid', 'in', kids)
    .where(accountUsable('account', clock.now()))
    .execute()
  const usable = new Set(rows.map((row) => row.kid))
  return ({ account_kid, own_account_kid }) => usable.has(account_kid) && usable.has(own_account_kid)
}

import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'
import type { RequestInfo, SignedIn } from '../../http/context.ts'
import { forgetSessions } from '../../http/session-cache.ts'
import { accountUsable, removeSession, sessionEnd } from '../../http/session-row.ts'
import { readSession } from '../../http/session.ts'
import { digest, newKid, newSecret } from '../../lib/ids.ts'
import { hashPassword, verifyPassword } from '../../lib/passwords.ts'
import { limiterOf } from '../../lib/rate-limit.ts'
import { clearTry, reserveTry } from './lockout.ts'
import { spendPuzzleToken } from './puzzle.ts'

type Login = In<Contract['login']['calls']['login']>
type From = Pick<RequestInfo, 'address' | 'user_agent'>

/** Signs in. The puzzle token is spent whether or not the password is right. */
export async function signIn(deps: Deps, { username, password, puzzle_token }: Login, from: From) {
  const seconds = limiterOf(deps, 'login', { limit: 60, per_ms: 60_000 }).take(from.address)
  if (seconds > 0) refuse('too_many_requests', { seconds })
  if (!(await spendPuzzleToken(deps, puzzle_token))) refuse('puzzle_expired')
  await reserveTry(deps, username, from.address)
  const user = await findUser(deps, username)
  const { is_right, is_outdated } = await verifyPassword(password, user?.password_hash)
  if (!user || !is_right) return refuse('login_failed')
  await clearTry(deps, username, from.address)
  if (!user.is_usable) return refuse('account_unavailable')
  if (!user.has_role) return refuse('no_role')
  await noteSignIn(deps, user, is_outdated ? await hashPassword(password) : undefined)
  const token = await createSession(deps, user.kid, from)
  return { token, ...(await sessionAnswer(deps, (await readSession(deps, token)) ?? refuse('unauthorized'))) }
}

async function findUser({ db, clock }: Deps, username: string) {
  return db
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(['u.kid', 'u.account_kid', 'u.password_hash'])
    .select((eb) => [
      eb.and([eb('u.status', '!=', 'invalid'), accountUsable('a', clock.now())]).as('is_usable'),
      eb
        .exists(eb.selectFrom('user_role as ur').select('ur.role_kid').whereRef('ur.user_kid', '=', 'u.kid'))
        .as('has_role'),
    ])
    .where(sql`lower(u.username)`, '=', username.toLowerCase())
    .executeTakeFirst()
}

async function noteSignIn(
  { db, clock }: Deps,
  user: { kid: string; account_kid: string },
  password_hash: string | undefined,
): Promise<void> {
  const last_use_at = clock.now()
  const changed: Partial<Pick<Tables['user_account'], 'password_hash'>> = password_hash ? { password_hash } : {}
  await db
    .updateTable('user_account')
    .set({ last_use_at, ...changed })
    .where('kid', '=', user.kid)
    .execute()
  await db.updateTable('account').set({ last_use_at }).where('kid', '=', user.account_kid).execute()
}

/** Makes a session and returns its token, which is kept nowhere. For sign-in, and for tools that act for a person. */
export async function createSession({ db, clock }: Deps, user_kid: string, from: From): Promise<string> {
  const token = newSecret()
  const now = clock.now()
  await db
    .insertInto('session')
    .values({
      kid: newKid(),
      token_hash: digest(token),
      user_kid,
      address: from.address,
      user_agent: from.user_agent.replaceAll('\0', ''),
      created_at: now,
      last_use_at: now,
      expires_at: sessionEnd(now),
    })
    .execute()
  return token
}

/** Everything the console keeps of a session; `session` says for which account. */
export async function sessionAnswer({ db }: Deps, session: SignedIn) {
  const user = await db
    .selectFrom('user_account')
    .select(['language', 'zone_id', 'map_type'])
    .where('kid', '=', session.user_kid)
    .executeTakeFirst()
  const account = await db
    .selectFrom('account')
    .select(['name', 'expire_time'])
    .where('kid', '=', session.account_kid)
    .executeTakeFirst()
  const roles = await db
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_kid', 'role.kid')
    .select(['role.kid', 'role.code', 'role.name'])
    .where('user_role.user_kid', '=', session.user_kid)
    .orderBy('role.code')
    .execute()
  if (!user || !account) return refuse('unauthorized')
  const { kid: _, group_kids: _groups, ...rest } = session
  return {
    ...rest,
    ...user,
    permissions: [...session.permissions],
    roles,
    enter_name: session.enter_kid && account.name,
    expire_time: account.expire_time,
  }
}

export async function signOut(deps: Deps, session: SignedIn): Promise<void> {
  await removeSession(deps, session.kid)
  forgetSessions(deps)
}

/** Ends every session of a user: password, roles or state changed (decisions, Accounts). */
export async function endSessions(deps: Deps, user_kid: string): Promise<void> {
  await deps.db.deleteFrom('session').where('user_kid', '=', user_kid).execute()
  forgetSessions(deps)
}

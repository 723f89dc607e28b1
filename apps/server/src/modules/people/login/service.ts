import { gatewayKinds } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx, RequestInfo } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { nearestEnd, removeSession, sessionEnd } from '../../../http/session-row.ts'
import { digest, newKid, newSecret } from '../../../lib/ids.ts'
import { heldActivation } from '../activation/index.ts'
import type { Origin } from './lockout.ts'

type Db = Kysely<Tables>
export type From = Pick<RequestInfo, 'user_agent'> & Origin

/** Makes a session and returns its token, which is kept nowhere. For tools that act for a person. */
export const createSession = (deps: Deps, user_kid: string, from: From): Promise<string> =>
  insertSession(deps.db, deps, user_kid, from)

export async function insertSession(db: Db, { clock }: Deps, user_kid: string, from: From): Promise<string> {
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
export async function sessionAnswer({ deps, session }: Pick<Ctx, 'deps' | 'session'>) {
  const { db } = deps
  const user = await db
    .selectFrom('user_account')
    .select(['language', 'zone_id', 'map_type'])
    .where('kid', '=', session.user_kid)
    .executeTakeFirst()
  const account = await db
    .selectFrom('account as a')
    .select(['a.name', nearestEnd('a').as('expire_time')])
    .where('a.kid', '=', session.account_kid)
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
    activation: session.account_type === 101 ? await heldActivation(deps) : null,
    gateways: gatewayKinds.filter((kind) => deps.config.gateways[kind]),
  }
}

export async function signOut({ deps, session }: Ctx): Promise<void> {
  await removeSession(deps, session.kid)
  forgetSessions(deps)
}

/**
 * Ends every session of a user, but for `except_kid`, and every sign-in that is half done: password, roles or state
 * changed (decisions, Accounts). Answers how many sessions ended.
 */
export async function endSessions(
  deps: Pick<Deps, 'db' | 'memory'>,
  user_kid: string,
  except_kid?: string,
): Promise<number> {
  await deps.db.deleteFrom('login_step').where('user_kid', '=', user_kid).execute()
  // An invitation is ended by disabling alone: who was given other roles is still expected.
  await deps.db
    .deleteFrom('password_link')
    .where('user_kid', '=', user_kid)
    .where('kind', '=', 'password_reset')
    .execute()
  const { numDeletedRows } = await deps.db
    .deleteFrom('session')
    .where('user_kid', '=', user_kid)
    .$if(except_kid !== undefined, (query) => query.where('kid', '!=', except_kid!))
    .executeTakeFirst()
  forgetSessions(deps)
  return Number(numDeletedRows)
}

export async function endAllSessions(deps: Deps, user_kids: readonly string[]): Promise<void> {
  for (const user_kid of new Set(user_kids)) await endSessions(deps, user_kid)
}

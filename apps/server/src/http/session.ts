import { constants } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { isKid } from '@mdm/device-link'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { clockDoubt } from '../lib/clock-watch.ts'
import { digest } from '../lib/ids.ts'
import { Refusal } from '../refusal.ts'
import type { RequestInfo, SignedIn } from './context.ts'
import { cachedSession } from './session-cache.ts'
import { isOver, loadSession, mayActFor, removeSession, touch } from './session-row.ts'
import type { SessionRow } from './session-row.ts'

/**
 * The caller, from the token, and the account, from `account_kid` of the query where the token may act for it. Undefined
 * without a valid token. Throws the refusals `no_permission` (not an account of
 * this caller, whether or not it exists) and `account_unavailable` (the entered customer expired meanwhile). A public
 * call has no caller, whatever it carries.
 */
export async function authenticate(
  deps: Deps,
  req: FastifyRequest,
  request: RequestInfo,
  call: Call,
): Promise<SignedIn | undefined> {
  if (call.needs === 'public') return undefined
  const token = tokenOf(req)
  if (token === undefined) return undefined
  const asked = call.is_about_session ? undefined : (req.query as { account_kid?: unknown }).account_kid
  return readSession(deps, token, asked, request.address)
}

const apiTokenShape = /^mdm_[0-9a-f]{64}$/
const sessionShape = /^[0-9a-f]{64}$/

/**
 * `Authorization: Bearer …`, else `AccessToken` of the query; undefined when it is not even shaped like a token. An API
 * token lives long: it does not belong into addresses, which are written down in many places.
 */
export function tokenOf(req: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (bearer !== undefined && apiTokenShape.test(bearer)) return bearer
  const token = bearer ?? (req.query as { AccessToken?: unknown } | undefined)?.AccessToken
  return typeof token === 'string' && sessionShape.test(token) ? token : undefined
}

/**
 * As `authenticate`, for what is no call: uploads, downloads, live events. `asked` is `account_kid` as it came,
 * `address` where it came from.
 */
export async function readSession(
  deps: Deps,
  token: string,
  asked?: unknown,
  address?: string,
): Promise<SignedIn | undefined> {
  const is_named = asked !== undefined && asked !== ''
  const asked_kid = typeof asked === 'string' && isKid(asked.toLowerCase()) ? asked.toLowerCase() : null
  const row = await cachedSession(deps, digest(token), asked_kid)
  if (!row) return undefined
  const now = deps.clock.now()
  if (isOver(row, now)) {
    // By a clock that has jumped it may only seem so.
    if (!row.is_api_token && !clockDoubt(deps)) await removeSession(deps, row.kid)
    return undefined
  }
  await touch(deps, row, now, address)
  if (is_named && asked_kid === null) throw new Refusal('no_permission')
  return signedIn(row, asked_kid)
}

/** The session, or API token, of this kid, if it still holds: for what began in it and goes on without its token. */
export async function sessionOf(deps: Deps, kid: string, account_kid: string): Promise<SignedIn | undefined> {
  const row = await loadSession(deps, { kid }, account_kid)
  return row && !isOver(row, deps.clock.now()) ? signedIn(row, account_kid) : undefined
}

/** What a user may do for an account today, for what goes on without a session. Undefined of one that may not sign in. */
export async function personNow(deps: Deps, user_kid: string, account_kid: string): Promise<SignedIn | undefined> {
  const row = await loadSession(deps, { user_kid }, account_kid)
  return row?.is_usable ? signedIn(row, account_kid) : undefined
}

/**
 * Refuses as `password_required` what asks for the password again when it was not typed within the last minutes. Read
 * anew when the cache says no: the password may have been confirmed on another server a moment ago.
 */
export async function assertConfirmed(deps: Deps, session: SignedIn, db: Kysely<Tables> = deps.db): Promise<void> {
  if (session.is_api_token && session.may_destroy) return
  const since = new Date(deps.clock.now().getTime() - constants.password_confirmed_minutes * 60_000)
  if (session.confirmed_at && session.confirmed_at > since) return
  const confirmed = await db
    .selectFrom('session')
    .select('kid')
    .where('kid', '=', session.kid)
    .where('confirmed_at', '>', since)
    .executeTakeFirst()
  if (!confirmed) throw new Refusal('password_required')
}
function signedIn(row: SessionRow, asked_kid: string | null): SignedIn {
  const account = accountFor(row, asked_kid)
  return {
    kid: row.kid,
    user_kid: row.user_kid,
    username: row.username,
    name: row.name,
    account_type: row.user_type,
    own_account_kid: row.own_account_kid,
    account_kid: account.kid,
    account_name: account.name,
    is_tenant: account.type !== 101,
    enter_kid: row.user_type === 101 && account.kid !== row.own_account_kid ? account.kid : null,
    permissions: row.permissions,
    group_kids: row.user_type === 3 ? (row.group_kids ?? undefined) : undefined,
    is_api_token: row.is_api_token,
    may_destroy: row.may_destroy,
    confirmed_at: row.confirmed_at,
  }
}

/** Specification, 6: "the entered customer id if present", else the account's own; `asked_kid` chooses among those. */
function accountFor(row: SessionRow, asked_kid: string | null): Pick<Tables['account'], 'kid' | 'name' | 'type'> {
  const own = { kid: row.own_account_kid, name: row.own_account_name, type: row.own_account_type }
  if (asked_kid === own.kid) return own
  const { target } = row
  if (!target) {
    if (asked_kid !== null) throw new Refusal('no_permission')
    return own
  }
  // An API token has nothing that remembers what it entered: it names the customer in every request.
  const is_there = row.user_type !== 101 || row.is_api_token || target.kid === row.enter_kid
  const may_act = is_there && mayActFor({ ...row, held: row.permissions }, target)
  if (may_act && target.is_usable) return target
  if (asked_kid === null) return own
  throw new Refusal(may_act ? 'account_unavailable' : 'no_permission')
}

import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import type { RequestInfo } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { readSession } from '../../../http/session.ts'
import { assertPassword, hashPassword, verifyPassword } from '../../../lib/passwords.ts'
import { takeSharedTry } from '../../../lib/rate-limit.ts'
import { clearTry, notePlaces, placeOf, reserveTry, returnTry } from './lockout.ts'
import { isBoundTo } from './oidc.ts'
import { passkeyChallenge, verifyPasskey } from './passkeys.ts'
import { endLinks, findLink, takeLink } from './password-links.ts'
import { spendPuzzleToken } from './puzzle/puzzle.ts'
import { insertSession, sessionAnswer } from './service.ts'
import type { From } from './service.ts'
import { createStep, takeStep, tryStep } from './steps.ts'
import { useCode } from './totp.ts'
import { assertMaySignIn, findUser } from './users.ts'
import type { Candidate } from './users.ts'

type Calls = Contract['login']['calls']
type Db = Kysely<Tables>

const secondStepMs = 5 * 60_000
const secondStepTries = 5

/** Signs in, or asks for the second factor. The puzzle token is spent whether or not the password is right. */
export async function signIn(deps: Deps, { username, password, puzzle_token }: In<Calls['login']>, from: From) {
  await limit(deps, from)
  if (!(await spendPuzzleToken(deps, puzzle_token))) refuse('puzzle_expired')
  const tried = { username, from }
  await reserveTry(deps, tried)
  const user = await findUser(deps, { username })
  const { is_right, is_outdated } = await verifyPassword(password, user?.password_hash, deps.password_cost)
  if (!user || !is_right) return refuse('login_failed')
  const needs_code = user.totp_enabled_at !== null
  await (needs_code ? returnTry(deps, tried) : clearTry(deps, tried))
  assertMaySignIn(user)
  const password_hash = is_outdated ? await hashPassword(password, deps.password_cost) : user.password_hash
  const proof = async (trx: Db) => {
    const { numUpdatedRows } = await trx
      .updateTable('user_account')
      .set({ password_hash })
      .where('kid', '=', user.kid)
      .where('password_hash', '=', user.password_hash)
      .executeTakeFirst()
    // The password was changed while this one was compared.
    if (numUpdatedRows === 0n) refuse('login_failed')
  }
  if (!needs_code) return openSession(deps, user, from, proof)
  return askCode(deps, user, proof)
}

/** What was right so far holds only with the code that comes next. */
async function askCode(deps: Deps, user: Candidate, proof: (trx: Db) => Promise<void>) {
  const step = await deps.db.transaction().execute(async (trx) => {
    await proof(trx)
    return createStep(trx, deps, { kind: 'totp', user_kid: user.kid, lives_ms: secondStepMs })
  })
  return { totp_token: step.token, expires_at: step.expires_at }
}

/** What the page shows to whoever follows a link. Refused as `link_expired`. */
export async function readLink(deps: Deps, { link_token }: In<Calls['read_link']>, from: From) {
  await limit(deps, from)
  const { kind, username, name, expires_at } = (await findLink(deps.db, deps, link_token)) ?? refuse('link_expired')
  return { kind, username, name, expires_at }
}

/**
 * The own password, by a link that somebody was sent. Every other session of the person ends; the second factor stays. Signs
 * in, or asks for the second factor.
 */
export async function setPassword(
  deps: Deps,
  { link_token, password }: In<Calls['set_password']>,
  request: From & Pick<RequestInfo, 'identify'>,
) {
  await limit(deps, request)
  const link = (await findLink(deps.db, deps, link_token)) ?? refuse('link_expired')
  const user = (await findUser(deps, { kid: link.user_kid })) ?? refuse('link_expired')
  assertPassword(password, user.username)
  assertMaySignIn(user)
  const password_hash = await hashPassword(password, deps.password_cost)
  const proof = async (trx: Db) => {
    const { numUpdatedRows } = await trx
      .updateTable('user_account')
      .set({ password_hash, updated_at: deps.clock.now() })
      .where('kid', '=', user.kid)
      .where('password_hash', '=', user.password_hash)
      .executeTakeFirst()
    // Used at the same moment, or taken back meanwhile.
    if (numUpdatedRows === 0n || !(await takeLink(trx, link_token))) refuse('link_expired')
    await endLinks(trx, [user.kid])
    await trx.deleteFrom('session').where('user_kid', '=', user.kid).execute()
    await trx.deleteFrom('login_step').where('user_kid', '=', user.kid).execute()
  }
  const { account_kid, account_name, username, name } = link
  const answer =
    user.totp_enabled_at === null
      ? await openSession(deps, user, request, proof)
      : await askCode(deps, user, proof).finally(() => forgetSessions(deps))
  request.identify?.({
    account_kid,
    account_name,
    operator_kid: user.kid,
    operator_name: name,
    operator_username: username,
  })
  // Failures to remember the former password are over.
  await clearTry(deps, { username, from: request })
  return answer
}

/** The second factor. Its tries count per sign-in and per name. */
export async function secondStep(deps: Deps, { totp_token, totp_code }: In<Calls['totp']>, from: From) {
  await limit(deps, from)
  const step = await tryStep(deps, 'totp', totp_token, secondStepTries)
  const user = step?.user_kid && (await findUser(deps, { kid: step.user_kid }))
  if (!user || user.totp_secret === null || user.totp_enabled_at === null) return refuse('totp_expired')
  const tried = { username: user.username, from }
  await reserveTry(deps, tried)
  if (!(await useCode(deps, { ...user, totp_secret: user.totp_secret }, totp_code)))
    return refuse('totp_wrong', { username: user.username })
  await clearTry(deps, tried)
  assertMaySignIn(user)
  return openSession(deps, user, from, async (trx) => {
    if (!(await takeStep(trx, deps, 'totp', totp_token))) refuse('totp_expired', { username: user.username })
  })
}

/** What a browser needs to find a passkey of anybody's. */
export async function beginWithPasskey(deps: Deps, from: From) {
  await limit(deps, from)
  return passkeyChallenge(deps)
}

/** A passkey says who it is, and counts for both factors: the authenticator has verified the person. */
export async function signInWithPasskey(deps: Deps, { answer }: In<Calls['passkey']>, from: From) {
  await limit(deps, from)
  const tried = { from }
  await reserveTry(deps, tried)
  const { user_kid, use } = await verifyPasskey(deps, answer)
  const user = (await findUser(deps, { kid: user_kid })) ?? refuse('passkey_wrong')
  await returnTry(deps, tried)
  assertMaySignIn(user)
  return openSession(deps, user, from, use)
}

/** Back from the OpenID Connect provider, in the browser that was sent there. */
export async function exchange(
  deps: Deps,
  { exchange_token }: In<Calls['exchange']>,
  request: From & Pick<RequestInfo, 'oidc_cookie'>,
) {
  await limit(deps, request)
  const tried = { from: request }
  await reserveTry(deps, tried)
  const step = await takeStep(deps.db, deps, 'oidc_exchange', exchange_token)
  const user = step?.user_kid && (await findUser(deps, { kid: step.user_kid }))
  const is_same_browser = step !== undefined && isBoundTo(step.detail, request.oidc_cookie)
  if (!user || !is_same_browser) return refuse('oidc_expired')
  await returnTry(deps, tried)
  assertMaySignIn(user)
  return openSession(deps, user, request)
}

/**
 * A session for somebody who has proved who they are. One transaction, which holds the user's row: a change of the
 * password or of roles waits for it and then ends this session with the others.
 */
async function openSession(deps: Deps, user: Candidate, from: From, proof?: (trx: Db) => Promise<void>) {
  const last_use_at = deps.clock.now()
  const token = await deps.db.transaction().execute(async (trx) => {
    await proof?.(trx)
    // Nobody of it had signed in before: now somebody has.
    const status = sql<'normal' | 'invalid'>`CASE WHEN status = 'init' THEN 'normal' ELSE status END`
    await trx.updateTable('user_account').set({ last_use_at, status }).where('kid', '=', user.kid).execute()
    await trx.updateTable('account').set({ last_use_at, status }).where('kid', '=', user.account_kid).execute()
    await notePlaces(trx, deps, user.kid, from)
    return insertSession(trx, deps, user.kid, from)
  })
  const session = (await readSession(deps, token)) ?? refuse('unauthorized')
  return { token, ...(await sessionAnswer({ deps, session })) }
}

async function limit(deps: Deps, from: From): Promise<void> {
  await takeSharedTry(deps, 'login', { limit: 60, per_ms: 60_000 }, await placeOf(deps, from))
}

import { createHash } from 'node:crypto'
import type * as OpenidClient from 'openid-client'
import type { Ctx } from '../../../http/context.ts'
import type { Config } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { digest, newSecret, sameBytes } from '../../../lib/ids.ts'
import { publicUrl } from '../../../addresses.ts'
import { createStep, takeStep } from './steps.ts'

type Provider = NonNullable<Config['oidc']>

/** How long somebody may take at the provider, the console to fetch the session then, and a person to confirm a link. */
export const oidcLives = { started_ms: 10 * 60_000, exchange_ms: 60_000, link_ms: 5 * 60_000 } as const
/** For every request to the provider. */
const timeout_s = 10
/** The provider's own description of itself is asked for again after this. */
const discoveredMs = 60 * 60_000

export const oidcPath = '/login/oidc'
export const oidcCallbackPath = `${oidcPath}/callback`

type Asked = {
  redirect: unknown
  /** To link the identity with whoever is signed in, instead of signing in. */ is_link: boolean
}
/** Where the person is sent, and the cookie that only this browser then has. Throws when the provider is down. */
export async function startOidc(deps: Deps, provider: Provider, { redirect, is_link }: Asked) {
  const { client, configuration } = await discovered(deps, provider)
  const cookie = newSecret()
  const { token: state } = await createStep(deps.db, deps, {
    kind: 'oidc_started',
    detail: { binding: bindingOf(cookie), redirect: localPath(redirect), is_link },
    lives_ms: oidcLives.started_ms,
  })
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: publicUrl(deps) + oidcCallbackPath,
    scope: 'openid',
    response_type: 'code',
    state,
    nonce: derived('nonce', cookie, state),
    code_challenge: await client.calculatePKCECodeChallenge(derived('verifier', cookie, state)),
    code_challenge_method: 'S256',
  })
  return { url: url.href, cookie }
}

export type Returned = { redirect?: string | undefined; is_link?: boolean } & (
  { exchange_token: string } | { link_token: string } | { oidc_error: 'oidc_failed' | 'oidc_no_user' }
)

/** The way back from the provider; `path` is what it led to, with its query. Never throws. */
export async function finishOidc(
  deps: Deps,
  provider: Provider,
  path: string,
  cookie: string | undefined,
): Promise<Returned> {
  let redirect: string | undefined
  let is_link = false
  try {
    const current = new URL(publicUrl(deps) + path)
    const state = current.searchParams.get('state') ?? ''
    const step = await takeStep(deps.db, deps, 'oidc_started', state)
    if (!step || cookie === undefined || !isBoundTo(step.detail, cookie)) return { oidc_error: 'oidc_failed' }
    redirect = localPath(step.detail['redirect'])
    is_link = step.detail['is_link'] === true
    const identity = await identityOf(await discovered(deps, provider), current, cookie, state)
    if (is_link) {
      const detail = { binding: bindingOf(cookie), ...identity }
      const { token } = await createStep(deps.db, deps, { kind: 'oidc_link', detail, lives_ms: oidcLives.link_ms })
      return { link_token: token, redirect, is_link }
    }
    const user_kid = await userOf(deps, identity)
    if (user_kid === undefined) return { oidc_error: 'oidc_no_user', redirect }
    const { token } = await createStep(deps.db, deps, {
      kind: 'oidc_exchange',
      user_kid,
      detail: { binding: bindingOf(cookie) },
      lives_ms: oidcLives.exchange_ms,
    })
    return { exchange_token: token, redirect }
  } catch (error) {
    // What the provider said may hold codes and tokens: only what kind of failure it was is written down.
    const { name, code, error: said } = error as { name?: string; code?: string; error?: string }
    deps.log.warn({ name, code, said }, 'sign-in with OpenID Connect failed')
    return { oidc_error: 'oidc_failed', redirect, is_link }
  }
}

type Identity = { issuer: string; subject: string }

async function identityOf(
  { client, configuration }: Discovered,
  current: URL,
  cookie: string,
  state: string,
): Promise<Identity> {
  const tokens = await client.authorizationCodeGrant(configuration, current, {
    expectedState: state,
    expectedNonce: derived('nonce', cookie, state),
    pkceCodeVerifier: derived('verifier', cookie, state),
    idTokenExpected: true,
  })
  const claims = tokens.claims()!
  return { issuer: claims.iss, subject: claims.sub }
}

/** Who has linked this identity. An e-mail address opens nothing: nobody has verified those that are kept here. */
async function userOf({ db, clock }: Deps, { issuer, subject }: Identity): Promise<string | undefined> {
  const linked = await db
    .updateTable('user_identity')
    .set({ last_use_at: clock.now() })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('user_kid')
    .executeTakeFirst()
  return linked?.user_kid
}

/**
 * From now on the identity signs this person in. Refused as `oidc_expired`, also in another browser than the one that
 * was at the provider, and as `oidc_linked` when it is somebody's already, or the person has one.
 */
export async function linkIdentity({ deps, user, request }: Ctx, token: string) {
  const user_kid = user.kid
  const now = deps.clock.now()
  await deps.db.transaction().execute(async (trx) => {
    const step = await takeStep(trx, deps, 'oidc_link', token)
    if (!step || !isBoundTo(step.detail, request.oidc_cookie)) return refuse('oidc_expired')
    const { issuer, subject } = step.detail as Identity
    await trx.selectFrom('user_account').select('kid').where('kid', '=', user_kid).forUpdate().execute()
    const other = await trx
      .selectFrom('user_identity')
      .select('subject')
      .where('user_kid', '=', user_kid)
      .where('issuer', '=', issuer)
      .executeTakeFirst()
    if (other) refuse('oidc_linked')
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('user_identity')
      .values({ issuer, subject, user_kid, created_at: now, last_use_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 0n) refuse('oidc_linked')
  })
}

export const isBoundTo = (detail: Record<string, unknown>, cookie: string | undefined): boolean =>
  cookie !== undefined && sameBytes(Buffer.from(bindingOf(cookie)), Buffer.from(String(detail['binding'])))
const bindingOf = (cookie: string): string => digest(cookie).toString('hex')
/** Nonce and verifier follow from what only the browser keeps, so that the database holds neither. */
const derived = (what: string, cookie: string, state: string): string =>
  createHash('sha256').update(`${what} ${cookie} ${state}`).digest('base64url')

/** A path of this server, or nothing: nobody is to be led elsewhere by a link to our sign-in. */
export function localPath(asked: unknown): string | undefined {
  const local = /^\/(?![/\\])[^\\\p{Cc}]*$/u
  if (typeof asked !== 'string' || asked.length > 2000 || !local.test(asked)) return undefined
  const here = 'http://here.invalid'
  if (!URL.canParse(asked, here)) return undefined
  const { origin, pathname, search, hash } = new URL(asked, here)
  // What dots leave behind may begin with two slashes.
  return origin === here && local.test(pathname) ? pathname + search + hash : undefined
}

type Discovered = { client: typeof OpenidClient; configuration: OpenidClient.Configuration }
export type KnownProvider = { until: number; discovered: Promise<Discovered> }

/** Asked for at the first sign-in, so that a provider that is down keeps no server from starting; failures are not kept. */
function discovered(deps: Deps, provider: Provider): Promise<Discovered> {
  const now = deps.clock.elapsed()
  const { memory } = deps
  if (memory.oidc && now < memory.oidc.until) return memory.oidc.discovered
  const fresh = discover(provider)
  memory.oidc = { until: now + discoveredMs, discovered: fresh }
  fresh.catch(() => delete memory.oidc)
  return fresh
}

async function discover({ issuer, client_id, client_secret }: Provider): Promise<Discovered> {
  // Most servers never need it.
  const client = await import('openid-client')
  const execute = [client.enableNonRepudiationChecks]
  if (issuer.startsWith('http://')) execute.push(client.allowInsecureRequests)
  const authentication = client_secret === undefined ? client.None() : client.ClientSecretBasic(client_secret)
  const options = { execute, timeout: timeout_s }
  return {
    client,
    configuration: await client.discovery(new URL(issuer), client_id, undefined, authentication, options),
  }
}

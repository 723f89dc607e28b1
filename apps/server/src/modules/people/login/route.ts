import { pages } from '@mdm/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { finishOidc, localPath, oidcCallbackPath, oidcLives, oidcPath, startOidc } from './oidc.ts'
import { publicUrl } from '../../../addresses.ts'
import { Refusal } from '../../../refusal.ts'
import { cookieLine, cookieOf, oidcCookie } from '../../../http/cookies.ts'

/** Sign-ins that one address may begin, or come back with, a minute. */
const rateLimit = { max: 60, timeWindow: 60_000 }

/**
 * The two addresses of sign-in with OpenID Connect that a browser opens itself. What the console needs to go on is in
 * the fragment of the address it is led to: no server, log or referrer ever sees it.
 */
export function mountOidc(app: FastifyInstance, deps: Deps): void {
  app.get(oidcPath, { config: { rateLimit } }, async (request, reply) => {
    const { redirect, link } = request.query as { redirect?: unknown; link?: unknown }
    const is_link = link === '1'
    try {
      const { url, cookie } = await startOidc(deps, providerOf(deps), { redirect, is_link })
      return leadTo(reply.header('set-cookie', oidcLine(deps, cookie, oidcLives.started_ms)), url)
    } catch (error) {
      if (error instanceof Refusal) throw error
      deps.log.warn({ err: error }, 'the OpenID Connect provider does not answer')
      return leadTo(reply, consolePage({ oidc_error: 'oidc_failed', redirect: localPath(redirect) }, is_link))
    }
  })
  app.get(oidcCallbackPath, { config: { rateLimit } }, async (request: FastifyRequest, reply) => {
    const cookie = cookieOf(request, oidcCookie)
    const { redirect, is_link, ...found } = await finishOidc(deps, providerOf(deps), request.url, cookie)
    // The exchange asks for the cookie once more; after that it is of no use.
    const lives = 'exchange_token' in found ? oidcLives.exchange_ms : 'link_token' in found ? oidcLives.link_ms : 0
    if (cookie !== undefined) reply.header('set-cookie', oidcLine(deps, cookie, lives))
    return leadTo(reply, consolePage({ ...found, redirect }, is_link))
  })
}

function providerOf({ config }: Deps): NonNullable<Config['oidc']> {
  if (!config.oidc) throw new Refusal('not_found')
  return config.oidc
}

const leadTo = (reply: FastifyReply, url: string): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(url, 303)

/** Where it began: the page to sign in, or the own account when an identity is being linked. */
function consolePage(said: Record<string, string | undefined>, is_link = false): string {
  const given = Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${is_link ? `${pages.accountIndex.path}?part=security` : pages.login.path}#${new URLSearchParams(given)}`
}

const oidcLine = (deps: Deps, value: string, lives_ms: number): string =>
  cookieLine(oidcCookie, value, lives_ms, publicUrl(deps).startsWith('https://'))

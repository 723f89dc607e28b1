import type { FastifyRequest } from 'fastify'

/** Binds a sign-in with OpenID Connect to the browser in which it began. */
export const oidcCookie = 'mdm_oidc'

/** Of the several a header may carry, ours; undefined when it is not shaped like one. */
export function oidcCookieOf(request: FastifyRequest): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${oidcCookie}=`))?.slice(oidcCookie.length + 1)
  return value !== undefined && /^[0-9a-f]{64}$/.test(value) ? value : undefined
}

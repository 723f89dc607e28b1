import type { FastifyRequest } from 'fastify'

/** Binds a sign-in with OpenID Connect to the browser in which it began. */
export const oidcCookie = 'mdm_oidc'
/** Recognises a browser from which a user has signed in before. It gives no access by itself. */
export const browserCookie = 'mdm_browser'

/** Of the several a header may carry, ours; undefined when it is not shaped like one. */
export function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && /^[0-9a-f]{64}$/.test(value) ? value : undefined
}

/** `is_secure`: only over HTTPS. */
export function cookieLine(name: string, value: string, lives_ms: number, is_secure: boolean): string {
  // Lax: the provider of OpenID Connect leads back by a link from its own site.
  const lives = `Path=/; Max-Age=${lives_ms / 1000}; HttpOnly; SameSite=Lax`
  return `${name}=${value}; ${lives}${is_secure ? '; Secure' : ''}`
}

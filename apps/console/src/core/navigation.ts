import { pages } from '@mdm/contract'

/**
 * Navigation for code outside React (a 401 in the client, leaving a customer). The router registers itself here,
 * so that the client does not import the routes, which import every screen.
 */
/** Resolves once the page is there, where the router can tell. */
type Navigate = (to: string, options?: { replace?: boolean; flushSync?: boolean }) => void | Promise<void>
let navigate: Navigate = (to) => globalThis.location.assign(to)

export const registerNavigate = (next: Navigate): void => {
  navigate = next
}
export const navigateTo: Navigate = (to, options) => navigate(to, options)

/** Path, query and hash of where the person is. */
export const here = (): string => location.pathname + location.search + location.hash

/**
 * Where a `redirect` parameter may lead: a path of this very site. `//host`, `/\host`, `javascript:` and full
 * addresses all become home.
 */
export function safePath(wanted: string | null | undefined, home = '/home'): string {
  if (!wanted || !wanted.startsWith('/')) return home
  try {
    const base = 'https://console.invalid'
    const url = new URL(wanted, base)
    if (url.origin !== base || url.pathname.startsWith('//')) return home
    return url.pathname === pages.login.path ? home : url.pathname + url.search + url.hash
  } catch {
    return home
  }
}

export const loginPath = (from: string): string => {
  const back = safePath(from, '/')
  return back === '/' ? pages.login.path : `${pages.login.path}?redirect=${encodeURIComponent(back)}`
}

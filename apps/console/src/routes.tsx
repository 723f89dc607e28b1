import { createBrowserRouter, redirect } from 'react-router'
import type { LoaderFunction, RouteObject } from 'react-router'
import { constants } from '@mdm/contract'
import { detour, homeOf } from './access.ts'
import { loginPath, registerGo, safePath } from './go.ts'
import { loadTexts } from './i18n/i18n.ts'
import type { AnyScreen, Page } from './screen/screen.ts'
import { screens } from './screens.ts'
import { PartMissing } from './part-missing.ts'
import { sessionState } from './session-store.ts'
import { Loading, PageError } from './shell/PageError.tsx'
import { ensureStarted } from './start.ts'

/** Section 9: a part that has not come after 120 s will not come. */
function part<T>(load: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new PartMissing('it did not load in time')), constants.chunk_timeout_ms),
  )
  const loaded = load.catch((cause: unknown) => {
    throw new PartMissing('it did not load', { cause })
  })
  return Promise.race([loaded, late])
}

const lazyPage = (page: Page, texts: AnyScreen['texts']) => async () => {
  const [module] = await part(Promise.all([page(), loadTexts(texts)]))
  return { Component: module.default }
}

/** Every screen is behind this, on every navigation: permissions may have changed since the last one. */
const guard =
  (screen: AnyScreen): LoaderFunction =>
  async ({ request }) => {
    const url = new URL(request.url)
    const session = await ensureStarted()
    if (!session) return redirect(loginPath(url.pathname + url.search))
    const elsewhere = detour(session, screen)
    return elsewhere ? redirect(elsewhere) : null
  }

/** Home is not the same place for everyone. */
const homeGuard: LoaderFunction = async ({ request }) => {
  const session = await ensureStarted()
  return redirect(session ? homeOf(session) : loginPath(new URL(request.url).pathname))
}

/** Section 2: a signed-in person who opens /login goes home (or back, when the address says where). */
const loginGuard: LoaderFunction = ({ request }) =>
  sessionState().token ? redirect(safePath(new URL(request.url).searchParams.get('redirect'))) : null

const route = (screen: AnyScreen): RouteObject => ({
  path: screen.path,
  loader: guard(screen),
  lazy: lazyPage(screen.page, screen.texts),
  handle: screen,
})

/** Screens that share a layout become children of one route, so that it stays mounted between them. */
function routesOf(all: readonly AnyScreen[]): RouteObject[] {
  const layouts = new Map<Page, AnyScreen[]>()
  const routes: RouteObject[] = []
  for (const screen of all) {
    if (!screen.layout) routes.push(route(screen))
    else layouts.set(screen.layout, [...(layouts.get(screen.layout) ?? []), screen])
  }
  for (const [layout, tabs] of layouts) {
    const texts = [...new Set(tabs.flatMap((tab) => tab.texts))]
    routes.push({ lazy: lazyPage(layout, texts), children: tabs.map(route) })
  }
  return routes
}

export function startRouter() {
  const inside = screens.filter((screen) => screen.needs !== 'public')
  const outside = screens.filter((screen) => screen.needs === 'public')
  const not_found = inside.find((screen) => screen.path === '/404') as AnyScreen
  const router = createBrowserRouter([
    {
      ErrorBoundary: PageError,
      HydrateFallback: Loading,
      children: [
        ...outside.map((screen) => ({ ...route(screen), loader: loginGuard })),
        {
          lazy: lazyPage(() => import('./shell/Shell.tsx'), ['shell', 'screens']),
          children: [
            {
              ErrorBoundary: PageError,
              children: [
                ...['/', '/home'].map((path) => ({ path, loader: homeGuard })),
                ...routesOf(inside),
                { ...route(not_found), path: '*' },
              ],
            },
          ],
        },
      ],
    },
  ])
  registerGo((to, options) => void router.navigate(to, options))
  return router
}

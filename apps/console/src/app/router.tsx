import { createBrowserRouter, redirect } from 'react-router'
import type { LoaderFunction, RouteObject } from 'react-router'
import { constants, pageList, pages } from '@mdm/contract'
import type { Page } from '@mdm/contract'
import { redirectFor, homeOf } from '../core/access.ts'
import { loginPath, registerNavigate, safePath } from '../core/navigation.ts'
import { loadTexts } from '../i18n/i18n.ts'
import type { Namespace } from '../i18n/resources.ts'
import { routes } from './routes.ts'
import type { LazyPage } from './routes.ts'
import { PartMissing } from '../core/part-missing.ts'
import { sessionState } from '../core/session-store.ts'
import { loadAntdLocale } from '../shell/antd-locale.ts'
import { Loading, PageError } from '../ui/PageError.tsx'
import { ensureStarted } from '../core/start.ts'

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

const lazyPage =
  (page: LazyPage, texts: readonly Namespace[] = [], more?: () => Promise<unknown>) =>
  async () => {
    const [module] = await part(Promise.all([page(), loadTexts(texts), more?.()]))
    return { Component: module.default }
  }

/** Every page is behind this, on every navigation: permissions may have changed since the last one. */
const guard =
  (page: Page): LoaderFunction =>
  async ({ request }) => {
    const url = new URL(request.url)
    const session = await ensureStarted()
    if (!session) return redirect(loginPath(url.pathname + url.search))
    const elsewhere = redirectFor(session, page)
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

const route = (page: Page): RouteObject => ({
  path: page.path,
  loader: guard(page),
  lazy: lazyPage(routes[page.name].page, routes[page.name].texts),
  handle: page,
})

/** Pages that share a layout become children of one route, so that it stays mounted between them. */
function routesOf(all: readonly Page[]): RouteObject[] {
  const layouts = new Map<LazyPage, Page[]>()
  const objects: RouteObject[] = []
  for (const page of all) {
    const { layout } = routes[page.name]
    if (!layout) objects.push(route(page))
    else layouts.set(layout, [...(layouts.get(layout) ?? []), page])
  }
  for (const [layout, tabs] of layouts) {
    const texts = [...new Set(tabs.flatMap((tab) => routes[tab.name].texts ?? []))]
    objects.push({ lazy: lazyPage(layout, texts), children: tabs.map(route) })
  }
  return objects
}

export function startRouter() {
  const inside = pageList.filter((page) => page.needs !== 'public')
  const outside = pageList.filter((page) => page.needs === 'public')
  const router = createBrowserRouter([
    {
      ErrorBoundary: PageError,
      HydrateFallback: Loading,
      children: [
        // A link is for whoever follows it, signed in as somebody or not.
        ...outside.map((page) => ({ ...route(page), loader: page.name === 'login' ? loginGuard : () => null })),
        {
          lazy: lazyPage(
            () => import('../shell/Shell.tsx'),
            ['shell'],
            () => loadAntdLocale(sessionState().language),
          ),
          children: [
            {
              ErrorBoundary: PageError,
              children: [
                ...['/', '/home'].map((path) => ({ path, loader: homeGuard })),
                ...routesOf(inside),
                { ...route(pages.notFound), path: '*' },
              ],
            },
          ],
        },
      ],
    },
  ])
  registerNavigate((to, options) => router.navigate(to, options))
  return router
}

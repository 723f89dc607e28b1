// @vitest-environment jsdom
import { pageList, pages } from '@mdm/contract'
import type { Page, Session } from '@mdm/contract'
import type { ReactElement } from 'react'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { useMenu } from '../core/start.ts'
import { useSessionStore } from '../core/session-store.ts'
import { startTexts } from '../i18n/i18n.ts'
import { startRouter } from './router.tsx'

type Access = Pick<Session, 'account_type' | 'enter_kid' | 'permissions'>
/** One who holds something, so that the console lets him in, but no page. */
const no_page = ['deviceList:edit']
const visitors = {
  'operator outside': { account_type: 101, enter_kid: null, permissions: ['*'] },
  'operator inside': { account_type: 101, enter_kid: 'customer', permissions: ['*'] },
  'operator outside without a page': { account_type: 101, enter_kid: null, permissions: no_page },
  'operator inside without a page': { account_type: 101, enter_kid: 'customer', permissions: no_page },
  customer: { account_type: 1, enter_kid: null, permissions: ['*'] },
  'sub-account': { account_type: 2, enter_kid: null, permissions: ['*'] },
  viewer: {
    account_type: 3,
    enter_kid: null,
    permissions: [
      'homeIndex',
      'deviceList',
      'deviceDetailInfo',
      'deviceDetailTask',
      'deviceDetailRun',
      'deviceDetailEvent',
      'deviceDetailFsCapture',
      'pushTaskList',
      'fileCloudList',
      'appCenterList',
      'appCenterDetails',
    ],
  },
  'person without a page': { account_type: 3, enter_kid: null, permissions: no_page },
} as const satisfies Record<string, Access>
type Visitor = keyof typeof visitors

const everybody = Object.keys(visitors) as Visitor[]
const acting: Visitor[] = [
  'operator inside',
  'operator inside without a page',
  'customer',
  'sub-account',
  'viewer',
  'person without a page',
]
const administrators: Visitor[] = ['operator inside', 'customer', 'sub-account']
const operators: Visitor[] = ['operator outside', 'operator inside']

/**
 * Who may open what, page by page (specification, section 2). Written by hand: it does not ask the rule that it is the
 * proof of. A new page is written down here as well.
 */
const access: [who: Visitor[], paths: string][] = [
  [everybody, '/404 /redirect/* /account/index'],
  [['operator outside', ...acting], '/home/index'],
  [acting, '/push-task-add /push-task-edit /push-task-detail /configure-level'],
  [['operator outside', ...administrators], '/operation-log-list'],
  [
    [...administrators, 'viewer'],
    `/device-list /device-detail/info /device-detail/task /device-detail/run /device-detail/event
     /device-detail/fs-capture /push-task-list /file-cloud-list /app-center-list /app-center-details`,
  ],
  [
    administrators,
    `/alert-list /alert-rule-list /device-detail/push-message /device-detail/config /device-detail/app
     /device-detail/file-manager /device-detail/location /device-detail/remote /remote-session-list
     /configure-push-list /configure-file-push-list
     /configure-file-push-add /configure-file-push /electronic-fence-list /app-center-add /app-center-edit
     /app-center-add-version /app-center-edit-version /app-center-push /app-required-list /software-report
     /file-cloud-add /file-cloud-edit /file-cloud-push /user-os-push-list /user-os-push /user-os-custom-list
     /user-os-custom-add /user-os-custom-edit /user-os-custom-app /istage-list/istage-config /istage-config-add /istage-config-edit /istage-config-code
     /istage-list/istage-template /sub-account-manage-list
     /user-manage/sub-account-manage-add /user-manage/sub-account-manage-edit /user-account-manage-list
     /user-account-manage-add /user-account-manage-edit /user-role-manage-list /webhook-list`,
  ],
  [
    operators,
    `/external-user-manage-list /mdm-manage/external-user-manage-add /mdm-manage/external-user-manage-edit
     /inside-user-manage-list /mdm-manage/inside-user-manage-add /mdm-manage/inside-user-manage-edit
     /inside-role-manage-list /search-list /platform-config /policy-list /platform-apk-list /platform-apk-add
     /platform-apk-details /platform-apk-edit /platform-apk-add-version /platform-apk-edit-version
     /platform-file-list /platform-file-add /platform-file-edit /ops-istage-template-list /content-report-list /activate-list
     /privatization-generate /privatization-config /server-status /menu-tree-list
     /mdm-manage/menu-tree-add /mdm-manage/menu-tree-edit /os-mdm-api-list /os-mdm-api-add
     /os-mdm-api-edit /operation-task-list /operation-task-detail /ops-webhook-list /ops-operation-log-list /uid-list
     /uid-list/uid-list-add /uid-list/uid-list-edit /os-issue /os-issue/issue-create-os
     /os-issue/issue-create-os-edit /os-issue/upload-os /os-issue/upload-os-edit /os-issue/release-os
     /os-issue/release-os-edit /os-issue/complete-os /os-issue/complete-os-edit /os-issue/os-detail
     /information-list/solution /solution-add /solution-edit /information-list/hardware /hardware-add
     /hardware-edit /information-list/rom-memory /rom-memory-add /rom-memory-edit /information-list/ram-memory
     /ram-memory-add /ram-memory-edit /information-list/screen /screen-add /screen-edit
     /information-list/extended /extended-add /extended-edit /information-list/language /language-add
     /language-edit /information-list/client-code /client-code-add /client-code-edit /oscs-model-manage-list
     /oscs-model-manage-add /oscs-model-manage-edit /oscs-base-manage-list /oscs-base-manage-add
     /oscs-base-manage-edit`,
  ],
]
const openTo = new Map(
  access.flatMap(([who, paths]) => paths.split(/\s+/).map((path) => [path, new Set(who)] as const)),
)
/** For those who have not signed in yet, or hold a link that was sent to them. */
const outside: readonly string[] = [pages.login.path, pages.setPassword.path]
const inside = pageList.filter(({ path }) => !outside.includes(path))

let router: ReturnType<typeof startRouter>
beforeAll(async () => {
  // Some parts ask for the look of the system while they are loaded, which jsdom knows nothing of.
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
  await startTexts()
  router = startRouter()
})
afterAll(() => {
  router.dispose()
  vi.unstubAllGlobals()
})

/** Signs in as this visitor, or as nobody, as `ensureStarted` finds it on the second screen. */
function be(who: Access | null): void {
  const token = who && 'token'
  const session = who && ({ ...who, account_kid: 'account', user_kid: 'user' } as unknown as Session)
  useSessionStore.setState({ token, session, account_kid: session?.account_kid ?? null, language: 'en' })
  useMenu.setState({ nodes: [], of: `${token} account` })
}

/** Which page stands at which path after one has gone to this address. */
async function go(path: string): Promise<{ page: Page['name'] | undefined; at: string }> {
  await router.navigate(path)
  const { matches, location, errors } = router.state
  expect(errors).toBeNull()
  const shown = matches.at(-1)?.route
  // It was loaded, and it is a component.
  expect((shown?.element as ReactElement | undefined)?.type, path).toBeTypeOf('function')
  return { page: (shown?.handle as Page | undefined)?.name, at: location.pathname + location.search }
}
const addressOf = ({ path }: Page): string => path.replace('*', 'device-list')

describe('the router', () => {
  test('the table says of every page who may open it, once', () => {
    const written = access.flatMap(([, paths]) => paths.split(/\s+/))
    expect(written.toSorted()).toEqual(inside.map(({ path }) => path).toSorted())
  })

  test.each(everybody)('%s opens the pages meant for them; all others end at /404', async (visitor) => {
    be(visitors[visitor])
    const seen: Record<string, unknown> = {}
    const meant: Record<string, unknown> = {}
    for (const page of inside) {
      const address = addressOf(page)
      seen[page.path] = await go(address)
      meant[page.path] = openTo.get(page.path)?.has(visitor)
        ? { page: page.name, at: address }
        : { page: 'notFound', at: pages.notFound.path }
    }
    expect(seen).toEqual(meant)
  })

  test('no page opens without a session; the sign-in page remembers which one it was', async () => {
    be(null)
    for (const page of inside) {
      const address = `${addressOf(page)}?kid=1`
      const at = `/login?redirect=${encodeURIComponent(address)}`
      expect(await go(address)).toEqual({ page: 'login', at })
    }
  })

  test('a link by which a password is set opens for everybody, whoever is signed in', async () => {
    for (const who of [null, visitors.customer, visitors['person without a page']]) {
      be(who)
      expect(await go('/set-password')).toEqual({ page: 'setPassword', at: '/set-password' })
    }
  })

  test('an unknown address shows the page that says so, where it is', async () => {
    be(visitors.customer)
    expect(await go('/no/such/page')).toEqual({ page: 'notFound', at: '/no/such/page' })
  })

  test('home is not the same place for everyone, and the sign-in page leads there', async () => {
    const homes: Partial<Record<Visitor, Page>> = {
      'operator outside': pages.externalUserManageList,
      'operator outside without a page': pages.notFound,
      'operator inside': pages.homeIndex,
      customer: pages.homeIndex,
      viewer: pages.homeIndex,
      'person without a page': pages.homeIndex,
    }
    for (const [visitor, { name, path }] of Object.entries(homes)) {
      be(visitors[visitor as Visitor])
      for (const address of ['/', '/home', '/login']) expect(await go(address)).toEqual({ page: name, at: path })
    }
  })
})

import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { contract, holds, informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import type { Caller } from '@mdm/testbed/caller.ts'
import { draftOf, groupOf } from '@mdm/testbed/sweeps/shared/information.ts'
import { osZip } from '@mdm/testbed/os-zip.ts'
import { realApk } from '@mdm/testbed/apks.ts'
import { until } from '@mdm/testbed/until.ts'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { signedIn } from './calls.ts'
import { accountOf, demo, screenRows } from './demo-server.ts'
import type { ScreenRow } from './demo-server.ts'
import { chooseInUserMenu, enterCustomer } from './pages.ts'
import { expectAccessible } from './accessible.ts'
import { expectStill, watchShifts } from './shifts.ts'
import { expect, test } from './test.ts'

// The longest file of all: each worker takes of it what it has time for.
test.describe.configure({ mode: 'parallel' })

const customer = 'Sunrise Parcel'
/** Screens that hold several: each part of them is looked at. */
const parts: Record<string, string[]> = {
  '/account/index': ['?part=security', '?part=sessions', '?part=tokens', '?part=preferences'],
}
/** What `redirect/*` does is a test of its own; the sign-in page is visited by a visitor. */
const screens = screenRows()
  .filter(({ path }) => path !== '/redirect/*' && path !== '/login')
  .flatMap((screen) => [screen, ...(parts[screen.path] ?? []).map((part) => ({ ...screen, path: screen.path + part }))])

/** Twenty rows say no more about a list than five. */
const shortList = (path: string): string => (path.endsWith('-list') ? '?page_size=5' : '')

/** A row of every information list and a UID of them, once for all walks. */
async function osPages(operator: Caller): Promise<Record<string, string>> {
  const parts = {} as Record<UidKid, string>
  const kids: Record<string, string> = {}
  for (const key of informationKeys) {
    const { name, path } = informationLists[key]
    const draft = draftOf(key, 100, 'Screens')
    const [row = await operator[groupOf(key)].insert(draft)] = (
      await operator[groupOf(key)].paging({ text: draft.name })
    ).items
    kids[`/${path}-edit`] = parts[kidOf(name)] = row.kid
  }
  const [uid] = (await operator.opsUid.paging({ text: 'Screens' })).items
  const made = { type: 'standard' as const, ...parts, reserve_code: 'SC', display_name: 'Screens' }
  const { kid: uid_kid } = uid ?? (await operator.opsUid.insert(made))
  kids['/uid-list/uid-list-edit'] = uid_kid
  const draft = { uid_kid, os_version: '9.00.100', version_code: 1, ver: 1 }
  const [version = await operator.opsOsVersion.insert(draft)] = (await operator.opsOsVersion.paging({ uid_kid })).items
  for (const step of ['upload-os', 'release-os', 'complete-os']) kids[`/os-issue/${step}`] = version.kid
  for (const step of ['issue-create-os', 'upload-os', 'release-os', 'complete-os'])
    kids[`/os-issue/${step}-edit`] = version.kid
  kids['/os-issue/os-detail'] = version.kid
  const uid_code = (await operator.opsUid.get({ kid: uid_kid })).code
  const zip = async (name: string) => uploadFile(operator, name, await osZip())
  const [
    model = await operator.opsOscsModel.insert({
      code: 'SCREENS',
      uid_kid,
      sum_upload_kid: await zip('screens_sum.zip'),
    }),
  ] = (await operator.opsOscsModel.paging({ text: 'SCREENS' })).items
  const [
    base = await operator.opsOscsBase.insert({
      model_kid: model.kid,
      base_os_version: 'screens_9.00.1',
      version_code: 1,
      os_upload_kid: await zip(`screens_${uid_code}.zip`),
      config_upload_kid: await zip('screens_config.zip'),
    }),
  ] = (await operator.opsOscsBase.paging({ text: 'screens' })).items
  kids['/oscs-model-manage-edit'] = model.kid
  kids['/oscs-base-manage-edit'] = base.kid
  const sunrise = signedIn('sunrise')
  await until('the packages to be checked', async () =>
    (await sunrise.osCustom.list_base({})).some(({ kid }) => kid === base.kid),
  )
  const [custom = await sunrise.osCustom.insert({ name: 'Screens', base_kid: base.kid })] = (
    await sunrise.osCustom.paging({ text: 'Screens' })
  ).items
  if ((await sunrise.osCustom.list_build({ kid: custom.kid })).length === 0)
    await sunrise.osCustom.recustomise({ kid: custom.kid })
  // A page that refetches while it is looked at is another one each time.
  await until('the build to be over', async () =>
    (await sunrise.osCustom.list_build({ kid: custom.kid })).every(({ state }) => state === 'completed'),
  )
  kids['/user-os-custom-edit'] = custom.kid
  kids['/user-os-custom-app'] = custom.kid
  return kids
}

/** Addresses as links lead to them: with the device or the row that the screen is about. */
async function addresses(): Promise<(screen: Pick<ScreenRow, 'path'>) => string> {
  const [sunrise, operator] = [signedIn('sunrise'), signedIn('operator')]
  const first = async (rows: Promise<{ items: { kid: string }[] }>) => (await rows).items[0]!.kid
  const device = await first(sunrise.terminal.paging({ page_size: 1, sort: 'sn' }))
  const message = { type: 'message' as const, payload: { title: 'Screens', text: 'Screens' }, terminal_kids: [device] }
  const [pushed = await sunrise.pushTask.insert(message)] = (await sunrise.pushTask.paging({ text: 'Screens' })).items
  const kids: Record<string, string> = {
    '/push-task-detail': pushed.kid,
    '/configure-level': 'account',
    ...(await osPages(operator)),
    ...(await apps(sunrise.appCenter, 'app-center')),
    ...(await apps(operator.opsPlatformApk, 'platform-apk')),
    ...(await files(sunrise, 'file-cloud')),
    ...(await files(operator, 'platform-file')),
    '/user-manage/sub-account-manage-edit': await first(sunrise.subAccount.paging({})),
    '/user-account-manage-edit': await first(sunrise.userAccount.paging({ text: 'sunrise.viewer' })),
    '/mdm-manage/external-user-manage-edit': accountOf('sunrise').account_kid,
    '/mdm-manage/inside-user-manage-edit': await first(operator.opsInsideUser.paging({})),
    '/mdm-manage/menu-tree-edit': (await operator.opsMenuTree.list({})).find(({ type }) => type === 'page')!.kid,
  }
  return ({ path }) => {
    const kid = path.startsWith('/device-detail/') ? device : kids[path]
    return kid ? `${path}?kid=${kid}` : path + shortList(path)
  }
}

/** A folder of each side, for the page that edits one. */
async function files(caller: Caller, path: string): Promise<Record<string, string>> {
  const calls = path === 'file-cloud' ? caller.fileCloud : caller.opsPlatformFile
  return { [`/${path}-edit`]: (await calls.make_path({ names: ['Screens'] })).kid }
}

/** An app with a version of each side, for the pages of one. */
async function apps(calls: Caller['appCenter'], path: string): Promise<Record<string, string>> {
  const caller = path === 'app-center' ? signedIn('sunrise') : signedIn('operator')
  // Another walk may have put the same package there.
  const [present] = (await calls.paging({ text: 'io.appium.settings' })).items
  const upload = async () => uploadFile(caller, 'screens.apk', await readFile(realApk))
  const app = present ?? (await calls.insert({ upload_kid: await upload(), name: 'Screens' }))
  const version = (await calls.paging_version({ app_kid: app.kid })).items[0]!
  return {
    [`/${path}-details`]: app.kid,
    [`/${path}-edit`]: app.kid,
    [`/${path}-add-version`]: app.kid,
    [`/${path}-edit-version`]: version.kid,
  }
}

type Session = Awaited<ReturnType<Caller['login']['session']>>
/**
 * Section 2: what a person may open. An operator outside every customer has few of the customer's screens, a customer
 * none of the provider's, though its administrator holds `*`.
 */
function mayOpen({ path, needs, end_type }: ScreenRow, { permissions, account_type, enter_kid }: Session): boolean {
  const is_operator = account_type === 101
  const is_outside = is_operator && enter_kid === null
  if (end_type === 2 && !is_operator && needs !== 'signed_in') return false
  if (is_outside && end_type === 1 && path !== '/operation-log-list' && path !== '/home/index') return false
  return needs === 'signed_in' || path === '/home/index' || holds(permissions as never, needs as never)
}

/** As by a link inside the console, without loading it anew: what may be opened is decided in the same place. */
const follow = (page: Page, address: string) =>
  page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate', { state: {} }))
  }, address)

/** The same for a screen that opens: until it is the one that stands in the tab. */
async function arrive(page: Page, address: string): Promise<void> {
  await follow(page, address)
  const tab = page.locator('.tag-views [aria-current=page]')
  await expect(tab).toHaveAttribute('href', address)
}

/** Nothing is still on its way. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await expect(page.locator('main :is(.ant-skeleton-active, [aria-busy=true], .skeleton, .arriving)')).toHaveCount(0)
  await expect(page.locator('.progress[data-on]')).toHaveCount(0)
}

/** All rules by day; by night only colours are others. */
async function accessible(page: Page, shade: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: shade })
  await expect(page.locator('html')).toHaveAttribute('data-shade', shade)
  const where = `${page.url()}, ${shade}`
  await expectAccessible(page, { where, ...(shade === 'dark' && { rules: ['color-contrast'] }) })
}

const namespaces = ['common', 'shell', 'devices', 'device', 'push', ...Object.keys(contract)]
/** Keys of catalogues that no text was found for. */
async function noKeys(page: Page): Promise<void> {
  const text = await page.locator('body').innerText()
  const keys = text.match(
    new RegExp(`\\b(${namespaces.join('|')}|[a-z]+(-[a-z]+)+)(/[a-z]+)?:[a-z_]+(\\.[a-z_]+)*\\b`, 'g'),
  )
  expect.soft(keys, `keys on ${page.url()}`).toBeNull()
}

const sides = { 'customer’s': 1, 'provider’s': 2 } as const
type Side = keyof typeof sides
const screensOf = (side: Side) => screens.filter(({ end_type }) => end_type === sides[side])

type Visitor = {
  title: string
  username: string
  inside?: boolean
  /** Opens every screen of this side, each by its own address; accessibility is checked here, once for each screen. */
  all_of?: Side
}
const shades = ['light', 'dark'] as const
const visitors: Visitor[] = [
  { title: 'an operator outside every customer', username: 'operator', all_of: 'provider’s' },
  { title: 'an operator inside a customer', username: 'operator', inside: true, all_of: 'customer’s' },
  { title: 'a customer', username: 'sunrise' },
  { title: 'a viewer', username: 'sunrise.viewer' },
]

for (const { title, username, inside, all_of } of visitors)
  for (const side of Object.keys(sides) as Side[])
    test(`every screen of the ${side} side as ${title}`, async ({ open }) => {
      test.setTimeout(60_000 + screensOf(side).length * 15_000)
      const page = await open(username)
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await watchShifts(page)
      const addressOf = await addresses()
      if (inside) await enterCustomer(page, customer)
      const account_kid = inside ? accountOf('sunrise').account_kid : undefined
      const session = await signedIn(username, account_kid).login.session({})
      await page.goto('/account/index')
      await settled(page)
      const heading = page.getByRole('heading', { level: 1 })
      for (const screen of screensOf(side))
        await test.step(screen.path, async () => {
          const is_open = mayOpen(screen, session) && screen.path !== '/404'
          const address = addressOf(screen)
          const opens_all = all_of === side
          if (!is_open) {
            // So that there is no screen whose accessibility nobody checks.
            if (opens_all) expect.soft(screen.path).toBe('/404')
            await follow(page, address)
            await expect.soft(page).toHaveURL('/404')
            await expect.soft(heading).toHaveText('There is no such page')
            return
          }
          await (opens_all ? page.goto(address) : arrive(page, address))
          await settled(page)
          await expect.soft(page).toHaveURL(address)
          await expect.soft(heading).not.toHaveText(/^$|There is no such page/)
          await expect.soft(page.getByRole('main').getByRole('alert')).toHaveCount(0)
          await noKeys(page)
          if (!opens_all) return
          await expectStill(page)
          for (const shade of shades) await accessible(page, shade)
        })
    })

test('home is not the same place for everyone', async ({ open }) => {
  for (const [username, home] of [
    ['operator', '/external-user-manage-list'],
    ['sunrise', '/home/index'],
    ['sunrise.viewer', '/home/index'],
  ] as const) {
    const page = await open(username)
    for (const address of ['/', '/home']) {
      await page.goto(address)
      await expect(page).toHaveURL(home)
    }
  }
})

/** English is what the walks above read. */
const languages = [
  ['vi-VN', 'Language', 'Tiếng Việt'],
  ['zh-CN', 'Ngôn ngữ', '简体中文'],
] as const

for (const side of Object.keys(sides) as Side[])
  test(`every screen of the ${side} side speaks Vietnamese and Chinese`, async ({ open }) => {
    test.setTimeout(300_000)
    const page = await open('operator')
    const addressOf = await addresses()
    await enterCustomer(page, customer)
    await page.goto('/account/index')
    await settled(page)
    const here = page.locator('nav.breadcrumb [aria-current=page]')
    const seen = new Map<string, Set<string>>()
    for (const [lang, menu, item] of languages) {
      await chooseInUserMenu(page, menu, item)
      for (const screen of screensOf(side))
        await test.step(`${screen.path} ${lang}`, async () => {
          // No tab is kept of the page that is not there.
          const address = addressOf(screen)
          await (address === '/404' ? page.goto(address) : arrive(page, address))
          await settled(page)
          await expect(page.locator('html')).toHaveAttribute('lang', lang)
          await noKeys(page)
          const texts = seen.get(screen.path) ?? new Set()
          // Times and counts differ in any language.
          const shown = `${await here.innerText()}: ${await page.getByRole('main').innerText()}`.replaceAll(/\d+/g, '')
          seen.set(screen.path, texts.add(shown))
        })
    }
    // The choice is the person's, on every computer; the next test reads English again.
    await signedIn('operator').account.save_preferences({ language: 'en' })
    for (const [path, texts] of seen) expect.soft(texts.size, `languages of ${path}`).toBe(languages.length)
  })

test('the sign-in page is accessible, light and dark', async ({ open }) => {
  const page = await open()
  await page.goto('/login')
  await expect(page.getByRole('slider')).toBeVisible()
  for (const shade of shades) await accessible(page, shade)
})

test('what a viewer may not do is absent', async ({ open }) => {
  const addressOf = await addresses()
  const device = (path: string) => addressOf({ path })
  const forbidden: [address: string, buttons: RegExp[]][] = [
    ['/device-list', [/Register device$/, /New group$/, /^Actions for the group/]],
    [device('/device-detail/info'), [/^Find$/, /^Lock$/, /^Restart$/, /^Rename$/]],
    [device('/device-detail/fs-capture'), [/Take screenshot$/]],
    ['/file-cloud-list', [/Upload files$/, /File pushes$/]],
  ]
  for (const [username, is_there] of [
    ['sunrise', true],
    ['sunrise.viewer', false],
  ] as const) {
    const page = await open(username)
    for (const [address, buttons] of forbidden) {
      await page.goto(address)
      await settled(page)
      for (const name of buttons) {
        // Some show only under the pointer or the focus.
        const button = page.getByRole('button', { name, includeHidden: true }).first()
        await expect.soft(button, `${String(name)} for ${username}`).toBeAttached({ attached: is_there })
      }
    }
    // Who can do nothing with rows is not asked to select them.
    for (const address of ['/file-cloud-list', '/device-list']) {
      await page.goto(address)
      await settled(page)
      await expect(page.locator('main .ant-table tbody tr[data-row-key]')).not.toHaveCount(0)
      const boxes = page.getByRole('checkbox', { name: /^Select / })
      await (is_there ? expect.soft(boxes).not.toHaveCount(0) : expect.soft(boxes).toHaveCount(0))
    }
    await page
      .getByRole('table')
      .getByRole('button', { name: /^Actions for/ })
      .last()
      .click()
    const items = page.getByRole('menuitem')
    if (is_there) await expect(items.filter({ hasText: 'Deregister device' })).toBeVisible()
    else await expect(items).toHaveText(['Open'])
  }
})

test('unknown and forbidden addresses end at a page that says so; the helper /redirect stays on the site', async ({
  open,
  complaints,
}) => {
  const page = await open('sunrise.viewer')
  const heading = page.getByRole('heading', { level: 1 })
  await page.goto('/no/such/page')
  await expect(heading).toHaveText('There is no such page')
  await page.getByRole('link', { name: 'Back to home' }).click()
  await expect(page).toHaveURL('/home/index')
  await page.goto('/operation-log-list')
  await expect(page).toHaveURL('/404')
  complaints.forgive(/400 \(Bad Request\) .*\/get\?/)
  for (const [cut, list] of [
    ['/device-detail/info?kid=01a2', 'Device list'],
    ['/push-task-detail?kid=%22', 'Push tasks'],
    ['/app-center-details', 'App center'],
  ] as const) {
    await page.goto(cut)
    const way_back = `!This link is incomplete or was changed.Back to “${list}”`
    await expect(page.getByRole('main').getByRole('alert')).toHaveText(way_back)
  }
  await page.goto('/redirect/device-list?is_online=true')
  await expect(page).toHaveURL('/device-list?is_online=true')
  for (const elsewhere of ['//evil.example/', '/https://evil.example/', '/\\evil.example']) {
    await page.goto(`/redirect${elsewhere}`)
    await expect(heading).toHaveCount(1)
    expect(new URL(page.url()).origin).toBe(demo().url)
  }
})

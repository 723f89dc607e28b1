import type { Page } from '@playwright/test'
import { contract, informationKeys, informationLists } from '@mdm/contract'
import { signedIn } from './calls.ts'
import { demo, screenRows } from './demo-server.ts'
import type { ScreenRow } from './demo-server.ts'
import { arrive, chooseInUserMenu, enterCustomer, settled } from './pages.ts'
import { expectAccessible, expectAccessibleDayAndNight } from './accessible.ts'
import { addresses, firstDevice } from './screen-addresses.ts'
import { expectStill, watchShifts } from './shifts.ts'
import { expect, test } from './test.ts'

// Who may open which page, and where home is for whom, is proved by `app/router.test.ts` of the console; which calls are
// open to whom by `sweeps/roles.test.ts`; the translations by `i18n/catalogues.test.ts`; the colours by `core/theme.test.ts`.
// Here each page is looked at once, by one who sees it: a customer’s by the customer, the provider’s by the operator.

// Each worker takes of the file what it has time for.
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

/**
 * What has the same components as another page, which is loaded by its address: links lead to these, which takes a third of
 * the time. Of the lists that a UID is made of one is loaded, of an app center and a file cloud an account's, and of a step of an
 * OS version that of a new one.
 */
const repeated = new Set([
  ...informationKeys
    .filter((key) => key !== 'hardware')
    .map((key) => informationLists[key].path)
    .flatMap((path) => [`/information-list/${path}`, `/${path}-add`, `/${path}-edit`]),
  ...['list', 'add', 'details', 'edit', 'add-version', 'edit-version'].map((page) => `/platform-apk-${page}`),
  ...['list', 'add', 'edit'].map((page) => `/platform-file-${page}`),
  ...['upload', 'release', 'complete'].map((step) => `/os-issue/${step}-os-edit`),
])

/** One of each shape of page, and of each part that colours or words are special to. */
const shapes = {
  overview: ['/home/index', '/software-report'],
  list: ['/device-list', '/push-task-list', '/external-user-manage-list', '/information-list/hardware'],
  tree: ['/menu-tree-list', '/user-role-manage-list'],
  form: ['/mdm-manage/external-user-manage-add', '/user-account-manage-edit', '/hardware-add'],
  detail: ['/device-detail/info', '/device-detail/run', '/push-task-detail', '/app-center-details'],
  wizard: ['/push-task-add', '/os-issue/release-os'],
  map: ['/electronic-fence-list', '/device-detail/location'],
  settings: ['/configure-level', '/account/index?part=preferences'],
}
/** Looked at in every language. */
const translated = Object.values(shapes).flat()
/** Looked at by night too; which pairs of colours can be read is proved for all of them elsewhere. */
const by_night = new Set(translated.filter((path) => !['/software-report', '/hardware-add'].includes(path)))

const namespaces = ['common', 'shell', 'devices', 'device', 'push', ...Object.keys(contract)]
const key_shape = new RegExp(`\\b(${namespaces.join('|')}|[a-z]+(-[a-z]+)+)(/[a-z]+)?:[a-z_]+(\\.[a-z_]+)*\\b`, 'g')
/**
 * The page has its title and one heading, nothing failed on it, and no key of a catalogue stands for a text that was not found.
 * The page must be settled: all of it is read at once. Returns the names of its icons.
 */
async function expectWhole(page: Page, address: string): Promise<string[]> {
  const { at, headings, ...seen } = await page.evaluate(() => {
    const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)]
    const shown = (it: HTMLElement) =>
      it.checkVisibility({ visibilityProperty: true }) && !it.closest('[aria-hidden=true]')
    return {
      at: location.pathname + location.search,
      title: document.title,
      headings: all('h1, [role=heading][aria-level="1"]')
        .filter(shown)
        .map((it) => it.innerText),
      alerts: all('main [role=alert]')
        .filter(shown)
        .map((it) => it.innerText),
      text: document.body.innerText,
      // antd draws the arrow of a select by itself.
      icons: all('.anticon[role=img]')
        .filter((it) => shown(it) && !it.closest('.ant-select'))
        .map((it) => it.getAttribute('aria-label') ?? ''),
    }
  })
  expect.soft(at).toBe(address)
  expect.soft(headings, `headings of ${at}`).toHaveLength(1)
  if (address === '/404') expect.soft(headings).toEqual(['There is no such page'])
  else expect.soft(headings[0]).not.toMatch(/^$|There is no such page/)
  expect.soft(seen.title, `title of ${at}`).toMatch(/\S/)
  expect.soft(seen.alerts, `what failed on ${at}`).toEqual([])
  expect.soft(seen.text.match(key_shape), `keys on ${at}`).toBeNull()
  return seen.icons
}

/** Pages whose icons are all the console’s own: none of them is read out by its file name. */
const own_icons = new Set([
  '/home/index',
  '/device-list',
  '/file-cloud-list',
  '/user-account-manage-list',
  '/operation-log-list',
])

/** What stands around every page is looked at once for each who has another one. */
const with_frame = ['/home/index', '/external-user-manage-list']

/** By day, and where colours are special by night too. */
async function accessible(page: Page, path: string): Promise<void> {
  const look = { with_frame: with_frame.includes(path), with_names: true }
  await (by_night.has(path) ? expectAccessibleDayAndNight(page, look) : expectAccessible(page, look))
}

const sides = {
  'customer’s': { end_type: 1, username: 'sunrise' },
  'provider’s': { end_type: 2, username: 'operator' },
} as const
for (const [side, { end_type, username }] of Object.entries(sides)) {
  const shown = screens.filter((screen) => screen.end_type === end_type)
  test(`every page of the ${side} side is whole, still and accessible`, async ({ open }) => {
    test.setTimeout(60_000 + shown.length * 15_000)
    const page = await open(username)
    await watchShifts(page)
    const addressOf = await addresses()
    for (const screen of shown)
      await test.step(screen.path, async () => {
        const address = addressOf(screen)
        const is_cold = !repeated.has(screen.path)
        if (is_cold) {
          await page.goto(address)
          await settled(page)
        } else await arrive(page, address)
        const icons = await expectWhole(page, address)
        // A name of its own is meant to be read.
        const file_names = icons.filter((name) => /^[a-z-]+$/.test(name))
        if (own_icons.has(screen.path)) expect.soft(file_names, 'icons that are read out').toEqual([])
        await accessible(page, screen.path)
        if (is_cold) await expectStill(page)
      })
  })
}

/** Pages of the customer's side whose content depends on who asks: nothing that they ask for is refused. */
const others: { title: string; username: string; opens: (screen: ScreenRow, permissions: string[]) => boolean }[] = [
  {
    title: 'a viewer',
    username: 'sunrise.viewer',
    opens: ({ end_type, needs }, permissions) =>
      end_type === 1 && (needs === 'signed_in' || permissions.includes(needs)),
  },
  {
    title: 'an operator outside every customer',
    username: 'operator',
    opens: ({ path }) => path === '/home/index' || path === '/operation-log-list',
  },
]
for (const { title, username, opens } of others)
  test(`the customer’s pages that ${title} may open are whole`, async ({ open }) => {
    const page = await open(username)
    const addressOf = await addresses()
    const { permissions } = await signedIn(username).login.session({})
    const opened = screens.filter((screen) => opens(screen, permissions))
    expect(opened.length).toBeGreaterThan(1)
    for (const screen of opened)
      await test.step(screen.path, async () => {
        const address = addressOf(screen)
        await arrive(page, address)
        await expectWhole(page, address)
      })
  })

/** In this order, each chosen in the words of the one before; the first is chosen already. */
const languages = [['en-GB'], ['vi-VN', 'Language', 'Tiếng Việt'], ['zh-CN', 'Ngôn ngữ', '简体中文']] as const

test('for an operator in a customer, a page of each shape is whole, in English and in another language', async ({
  open,
}) => {
  const page = await open('operator')
  const addressOf = await addresses()
  await enterCustomer(page, customer)
  const seen = new Map<string, Set<string>>()
  for (const [at, [lang, menu, item]] of languages.entries()) {
    if (menu) await chooseInUserMenu(page, menu, item)
    // The pages of a shape stand side by side: each shape is read in all of them.
    for (const path of translated.filter((_, place) => at === 0 || place % 2 === at - 1))
      await test.step(`${path} ${lang}`, async () => {
        const address = addressOf({ path })
        await arrive(page, address)
        await expect(page.locator('html')).toHaveAttribute('lang', lang)
        await expectWhole(page, address)
        // The frame says here for whom one acts.
        if (at === 0 && path === '/home/index') await accessible(page, path)
        // Times and counts differ in any language.
        const shown = (await page.getByRole('main').innerText()).replaceAll(/\d+/g, '')
        seen.set(path, (seen.get(path) ?? new Set()).add(shown))
      })
  }
  // The choice is the person's, on every computer; the next test reads English again.
  await signedIn('operator').account.save_preferences({ language: 'en' })
  for (const [path, texts] of seen) expect.soft(texts.size, `languages of ${path}`).toBe(2)
})

test('the sign-in page is accessible, light and dark', async ({ open }) => {
  const page = await open()
  await page.goto('/login')
  await expect(page.getByRole('slider')).toBeVisible()
  await expectAccessibleDayAndNight(page)
})

test('what a viewer may not do is absent', async ({ open }) => {
  // The file cloud has something in it then, also where this test is a worker’s first.
  await addresses()
  const kid = await firstDevice()
  const device = (path: string) => `${path}?kid=${kid}`
  const forbidden: [address: string, buttons: RegExp[]][] = [
    [device('/device-detail/info'), [/^Find$/, /^Lost mode$/, /Actions$/, /^Rename$/, /Edit note$/]],
    [device('/device-detail/fs-capture'), [/Take screenshot$/]],
    ['/file-cloud-list', [/Upload files$/, /File pushes$/]],
    ['/device-list', [/Register device$/, /New group$/, /^Actions for the group/]],
  ]
  for (const [username, is_there] of [
    ['sunrise', true],
    ['sunrise.viewer', false],
  ] as const) {
    const page = await open(username)
    for (const [address, buttons] of forbidden) {
      await arrive(page, address)
      for (const name of buttons) {
        // Some show only under the pointer or the focus.
        const button = page.getByRole('button', { name, includeHidden: true }).first()
        await expect.soft(button, `${String(name)} for ${username}`).toBeAttached({ attached: is_there })
      }
      if (!address.endsWith('-list')) continue
      // Who can do nothing with rows is not asked to select them.
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
  for (const [visitor, forbidden] of [
    [page, '/operation-log-list'],
    [await open('sunrise'), '/external-user-manage-list'],
    [await open('operator'), '/device-list'],
  ] as const) {
    await visitor.goto(forbidden)
    await expect(visitor).toHaveURL('/404')
    await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('There is no such page')
  }
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

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { contract, holds } from '@mdm/contract'
import { caller } from '@mdm/testbed/caller.ts'
import type { Caller } from '@mdm/testbed/caller.ts'
import { accountOf, demo, screenRows } from './demo-server.ts'
import type { ScreenRow } from './demo-server.ts'
import { chooseInUserMenu, enterCustomer } from './pages.ts'
import { expect, test } from './test.ts'

const customer = 'Sunrise Parcel'
/** What `redirect/*` does is a test of its own; the sign-in page is visited by a visitor. */
const screens = screenRows().filter(({ path }) => path !== '/redirect/*' && path !== '/login')

const signedIn = (username: string, account_kid?: string): Caller =>
  caller(demo().url, { token: accountOf(username).token, ...(account_kid && { account_kid }) })

/** Twenty rows say no more about a list than five. */
const few = (path: string): string => (path.endsWith('-list') ? '?page_size=5' : '')

/** Addresses as links lead to them: with the device or the row that the screen is about. */
async function addresses(): Promise<(screen: ScreenRow) => string> {
  const { items } = await signedIn('sunrise').terminal.paging({ page_size: 1, sort: 'sn' })
  const operator = signedIn('operator')
  const text = 'SCRNS'
  const known = (await operator.opsClientCode.paging({ text })).items[0]
  const { kid } = known ?? (await operator.opsClientCode.insert({ code: text, name: 'Screens', remark: '' }))
  return ({ path }) =>
    path +
    (path.startsWith('/device-detail/')
      ? `?kid=${items[0]!.kid}`
      : path === '/client-code-edit'
        ? `?kid=${kid}`
        : few(path))
}

/** Section 2: what a person may open. An operator outside every customer has few of the customer's screens. */
function mayOpen({ path, needs, end_type }: ScreenRow, permissions: readonly string[], is_outside: boolean): boolean {
  if (is_outside && end_type === 1 && path !== '/operation-log-list') return false
  return needs === 'signed_in' || path === '/home/index' || holds(permissions as never, needs as never)
}

/** Nothing is still on its way. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await expect(page.locator('main .ant-skeleton-active, main [aria-busy=true], main .skeleton-rows')).toHaveCount(0)
  await expect(page.locator('.progress[data-on]')).toHaveCount(0)
}

/** All rules by day; by night only colours are others. */
async function accessible(page: Page, shade: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: shade })
  await expect(page.locator('html')).toHaveAttribute('data-shade', shade)
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (shade === 'dark' ? axe.withRules(['color-contrast']) : axe).analyze()
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((n) => `${n.html} ${n.any[0]?.message ?? ''}`).join(' | ')}`,
  )
  expect.soft(found, `accessibility of ${page.url()}, ${shade}`).toEqual([])
}

const namespaces = ['common', 'shell', 'screens', 'devices', 'pickers', 'push', ...Object.keys(contract)]
/** Keys of catalogues that no text was found for. */
async function noKeys(page: Page): Promise<void> {
  const text = await page.locator('body').innerText()
  const keys = text.match(new RegExp(`\\b(${namespaces.join('|')}|[a-z]+(-[a-z]+)+):[a-z_]+(\\.[a-z_]+)*\\b`, 'g'))
  expect.soft(keys, `keys on ${page.url()}`).toBeNull()
}

type Person = { title: string; username: string; inside?: boolean; shades: ('light' | 'dark')[] }
const people: Person[] = [
  { title: 'an operator outside every customer', username: 'operator', shades: ['light', 'dark'] },
  { title: 'an operator inside a customer', username: 'operator', inside: true, shades: ['light', 'dark'] },
  { title: 'a customer', username: 'sunrise', shades: ['light'] },
  { title: 'a viewer', username: 'sunrise.viewer', shades: ['light'] },
]

for (const { title, username, inside, shades } of people)
  test(`every screen as ${title}`, async ({ open }) => {
    test.setTimeout(120_000)
    const page = await open(username)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const addressOf = await addresses()
    if (inside) await enterCustomer(page, customer)
    const account_kid = inside ? accountOf('sunrise').account_kid : undefined
    const { permissions } = await signedIn(username, account_kid).login.session({})
    for (const screen of screens)
      await test.step(screen.path, async () => {
        const is_outside = username === 'operator' && !inside
        await page.goto(addressOf(screen))
        await settled(page)
        const heading = page.getByRole('heading', { level: 1 })
        if (is_outside && screen.path === '/home/index') await expect.soft(page).toHaveURL('/external-user-manage-list')
        else if (!mayOpen(screen, permissions, is_outside) || screen.path === '/404') {
          await expect.soft(page).toHaveURL('/404')
          await expect.soft(heading).toHaveText('There is no such page')
          return
        } else await expect.soft(page).toHaveURL(addressOf(screen))
        await expect.soft(heading).not.toHaveText(/^$|There is no such page/)
        await expect.soft(page.getByRole('main').getByRole('alert')).toHaveCount(0)
        for (const shade of shades) await accessible(page, shade)
      })
  })

test('every screen speaks three languages', async ({ open }) => {
  test.setTimeout(120_000)
  const page = await open('operator')
  const addressOf = await addresses()
  await enterCustomer(page, customer)
  const here = page.locator('nav.breadcrumb [aria-current=page]')
  const seen = new Map<string, Set<string>>()
  const languages = [
    ['en-GB', undefined],
    ['vi-VN', ['Language', 'Tiếng Việt']],
    ['zh-CN', ['Ngôn ngữ', '简体中文']],
  ] as const
  for (const [lang, choice] of languages) {
    if (choice) await chooseInUserMenu(page, choice[0], choice[1])
    for (const screen of screens) {
      await page.goto(addressOf(screen))
      await settled(page)
      await expect(page.locator('html')).toHaveAttribute('lang', lang)
      await noKeys(page)
      const words = seen.get(screen.path) ?? new Set()
      // Times and counts differ in any language.
      const shown = `${await here.innerText()}: ${await page.getByRole('main').innerText()}`.replaceAll(/\d+/g, '')
      seen.set(screen.path, words.add(shown))
    }
  }
  // The choice is the person's, on every computer; the next test reads English again.
  await signedIn('operator').account.save_preferences({ language: 'en' })
  for (const [path, words] of seen) expect.soft(words.size, `languages of ${path}`).toBe(languages.length)
})

test('the sign-in page is accessible, light and dark', async ({ open }) => {
  const page = await open()
  await page.goto('/login')
  await expect(page.getByRole('slider')).toBeVisible()
  for (const shade of ['light', 'dark'] as const) await accessible(page, shade)
})

test('what a viewer may not do is absent', async ({ open }) => {
  const addressOf = await addresses()
  const device = (path: string) => addressOf({ path } as ScreenRow)
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
    await page.goto('/device-list')
    await page
      .getByRole('button', { name: /^Actions for/ })
      .last()
      .click()
    const items = page.getByRole('menuitem')
    if (is_there) await expect(items.filter({ hasText: 'Cancel' })).toBeVisible()
    else await expect(items).toHaveText(['Open'])
  }
})

test('unknown and forbidden addresses end at a page that says so; the helper /redirect stays on the site', async ({
  open,
}) => {
  const page = await open('sunrise.viewer')
  const heading = page.getByRole('heading', { level: 1 })
  await page.goto('/no/such/page')
  await expect(heading).toHaveText('There is no such page')
  await page.getByRole('link', { name: 'Back to home' }).click()
  await expect(page).toHaveURL('/home/index')
  await page.goto('/operation-log-list')
  await expect(page).toHaveURL('/404')
  await page.goto('/redirect/device-list?is_online=true')
  await expect(page).toHaveURL('/device-list?is_online=true')
  for (const elsewhere of ['//evil.example/', '/https://evil.example/', '/\\evil.example']) {
    await page.goto(`/redirect${elsewhere}`)
    await expect(heading).toHaveCount(1)
    expect(new URL(page.url()).origin).toBe(demo().url)
  }
})

import type { Page } from '@playwright/test'
import { newToken, signedIn } from './calls.ts'
import { accountOf } from './demo-server.ts'
import { signInByHand } from './pages.ts'
import { provider_name } from './provider-people.ts'
import { slide } from './puzzle.ts'
import { expect, test } from './test.ts'

const refused = /the server responded with a status of 422 .*\/api\/login\//
/** An icon and fonts that the provider's pages want and do not get. */
const provider_page = /favicon\.ico|fonts\.googleapis\.com/
const note = 'fieldset p[role=status]'

test('an operator signs in by sliding the piece into its hole, and arrives among the customers', async ({ open }) => {
  const page = await open()
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await signInByHand(page, accountOf('operator'))
  await expect(page).toHaveURL(/\/external-user-manage-list$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Customers')
  await expect(page.getByRole('button', { name: 'Account menu of Olga Operator' })).toBeVisible()
})

test('a customer who asked for a page is sent to sign in, back to it, and after logging out back again', async ({
  open,
}) => {
  const page = await open()
  const asked = '/device-list?is_online=true&page_size=50'
  await page.goto(asked)
  await expect(page).toHaveURL(`/login?redirect=${encodeURIComponent(asked)}`)
  await signInByHand(page, accountOf('sunrise'))
  await expect(page).toHaveURL(asked)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Devices')

  await page.getByRole('button', { name: /^Account menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page).toHaveURL(`/login?redirect=${encodeURIComponent(asked)}`)
  await page.goto('/home/index')
  await expect(page).toHaveURL(/\/login/)
})

test('a signed-in person has no use for the sign-in page, and nothing in its address leads off the site', async ({
  open,
}) => {
  const page = await open('sunrise')
  await page.goto('/login?redirect=%2Ffile-cloud-list')
  await expect(page).toHaveURL('/file-cloud-list')
  // Every way to write such an address is tried in `core/navigation.test.ts`.
  for (const elsewhere of ['//evil.example/', 'javascript:alert(1)']) {
    await page.goto(`/login?redirect=${encodeURIComponent(elsewhere)}`)
    await expect(page).toHaveURL('/home/index')
  }
})

test('a wrong password is told, keeps what was typed and asks for a new puzzle', async ({ open, complaints }) => {
  const page = await open()
  await page.goto('/login')
  await signInByHand(page, { username: 'operator', password: 'wrong-password' })
  await expect(page.getByRole('alert')).toHaveText('The login name or the password is wrong.')
  await expect(page.getByLabel('Login name')).toHaveValue('operator')
  await expect(page.getByRole('slider')).toHaveAttribute('aria-valuenow', '0')
  await expect(page).toHaveURL('/login')
  complaints.forgive(refused)
})

test('a piece beside its hole, and one that was thrown, are refused with the reason and another picture', async ({
  open,
  complaints,
}) => {
  const page = await open()
  await page.goto('/login')
  const picture = page.getByRole('img', { name: 'Picture with a gap' })
  const first = await picture.getAttribute('src')
  await slide(page, { missed_by: -14 })
  await expect(page.locator(note)).toHaveText('The piece is not in its place. Please try again.')
  await expect(picture).not.toHaveAttribute('src', first ?? '')
  const second = await picture.getAttribute('src')
  // The page's clock stands still: a busy machine throws no slower than another.
  await page.evaluate(() => {
    const at = performance.now()
    performance.now = () => at
  })
  await slide(page, { ms: 0 })
  await expect(page.locator(note)).toHaveText('That was too fast. Please try again.')
  await expect(picture).not.toHaveAttribute('src', second ?? '')
  await expect(page.getByRole('slider')).toHaveAttribute('aria-valuenow', '0')
  complaints.forgive(refused)
})

test('the puzzle can be solved with the keyboard alone', async ({ open }) => {
  const page = await open()
  await page.goto('/login')
  await slide(page, { by: 'keys' })
  await expect(page.getByRole('status').filter({ hasText: 'Done' })).toBeVisible()
})

test('the sign-in form is not sent while something is missing', async ({ open }) => {
  const page = await open()
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Enter your login name.')).toBeVisible()
  await expect(page.getByText('Enter your password.')).toBeVisible()
  await expect(page.locator(note)).toHaveText('Slide the piece into its place.')
  await expect(page.getByLabel('Login name')).toBeFocused()
})

test('the language is chosen before signing in and remembered', async ({ open }) => {
  const page = await open()
  await page.goto('/login')
  const heading = page.getByRole('heading', { level: 1 })
  for (const [value, lang, title] of [
    ['vi', 'vi-VN', 'Đăng nhập'],
    ['zh-cn', 'zh-CN', '登录'],
  ] as const) {
    await page.getByRole('combobox').selectOption(value)
    await expect(heading).toHaveText(title)
    await expect(page.locator('html')).toHaveAttribute('lang', lang)
    await page.reload()
    await expect(heading).toHaveText(title)
    await expect(page.locator('html')).toHaveAttribute('lang', lang)
  }
})

/** The provider's own pages, which are none of ours. */
async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: `Sign in with ${provider_name}` }).click()
  await fillInAtProvider(page, name)
}
async function fillInAtProvider(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('somebody signs in at the organisation, and lands where they wanted to go', async ({ open, complaints }) => {
  const { name } = accountOf('lantern.manager')
  const page = await open()
  await page.goto('/login?redirect=%2Faccount%2Findex%3Fpart%3Dsecurity')
  await signInByHand(page, accountOf('lantern.manager'))
  const identity = page.getByRole('region', { name: provider_name })
  await identity.getByRole('link', { name: 'Link' }).click()
  await fillInAtProvider(page, 'linh')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password').fill(accountOf('lantern.manager').password)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(identity).toContainText('You can sign in here')
  await page.getByRole('button', { name: /^Account menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page).toHaveURL(/\/login/)
  await page.goto('/device-list?sort=sn')
  await page.getByRole('link', { name: `Sign in with ${provider_name}` }).click()
  await expect(page).toHaveURL('/device-list?sort=sn')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Devices')
  await expect(page.getByRole('button', { name: `Account menu of ${name}` })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Devices')
  await page.goto('/account/index?part=security')
  await expect(page.getByRole('region', { name: provider_name })).toContainText('Linked')
  // Asked for the password first, which the dialog then is for.
  complaints.forgive(/403.*account\/oidc_link/)
  complaints.forgive(provider_page)
})

test('whom the organisation knows but nobody here does is told so', async ({ open, complaints }) => {
  const page = await open()
  await page.goto('/login')
  await signInAtProvider(page, 'nobody')
  await expect(page.getByRole('alert')).toContainText('no account here is linked with it')
  await expect(page).toHaveURL('/login')
  complaints.forgive(provider_page)
})

test.describe('while answers are slow', () => {
  // The console's own code comes at once: what is signed out of is there sooner than what it reads.
  test.use({ slowest_ms: 400, slow_addresses: '*/api/*' })

  /** What polls, counts devices or is told of changes, of either side. */
  const busy_pages: Record<string, string[]> = {
    sunrise: [
      '/home/index',
      '/device-list',
      '/device-list?view=map',
      '/push-task-list',
      '/push-task-add',
      '/alert-list',
      '/electronic-fence-list',
      '/software-report',
      '/file-cloud-list',
      '/webhook-list',
      '/operation-log-list',
      '/account/index?part=sessions',
      ...['info', 'task', 'config', 'run', 'event', 'location'].map((part) => `/device-detail/${part}`),
    ],
    operator: ['/external-user-manage-list', '/home/index'],
  }

  test('who signs out of a page that is still being read leaves no refusal behind', async ({ open }) => {
    test.setTimeout(60_000 + Object.values(busy_pages).flat().length * 15_000)
    const device = (await signedIn('sunrise').terminal.paging({ page_size: 1, sort: 'sn' })).items[0]!.kid
    const page = await open()
    await page.goto('/login')
    const visits = Object.entries(busy_pages).flatMap(([username, paths]) => paths.map((path) => ({ username, path })))
    let next: Promise<string> | undefined
    for (const [at, { username, path }] of visits.entries())
      await test.step(`${username} ${path}`, async () => {
        const token = await (next ?? newToken(username))
        // Somebody who slides takes his time: the next one signs in meanwhile.
        const following = visits[at + 1]
        next = following && newToken(following.username)
        await page.evaluate((value) => localStorage.setItem('mdm.token', value), token)
        await page.goto(path.startsWith('/device-detail/') ? `${path}?kid=${device}` : path)
        await page.getByRole('button', { name: /^Account menu of/ }).click()
        const told = page.waitForResponse(/\/api\/login\/logout\?/)
        await page.getByRole('menuitem', { name: 'Log out' }).click()
        expect((await told).status()).toBe(200)
        await expect(page).toHaveURL(/\/login\?redirect=/)
        // Whatever was on its way is there as well by now.
        await expect(page.getByRole('slider')).toBeVisible()
      })
  })
})

import type { Page } from '@playwright/test'
import { addPerson, signedIn } from './calls.ts'
import { rowOf, signInByHand } from './pages.ts'
import { scan } from './qr.ts'
import { codeOf } from './totp.ts'
import { chromium } from '@playwright/test'
import { accountOf, demo } from './demo-server.ts'
import { expect, test } from './test.ts'

const refused = /the server responded with a status of 4(01|03|22) /

async function signIn(page: Page, who: { username: string; password: string }): Promise<void> {
  await page.goto('/login')
  await signInByHand(page, who)
}
const isHome = (page: Page): Promise<void> =>
  expect(page.getByRole('heading', { level: 1 })).toHaveText('Blue Lantern Shops')
async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page).toHaveURL(/\/login/)
}

test('two-factor sign-in: set up with the code on the screen, then a code of the app, or a recovery code once', async ({
  open,
  complaints,
}) => {
  const person = await addPerson(signedIn('lantern'), 'lantern.totp')
  const page = await open()
  await signIn(page, person)
  await isHome(page)
  const { secret, recovery } = await setUp(page, person)
  complaints.forgive(refused)

  await test.step('a code of the app', async () => {
    await signOut(page)
    await signIn(page, person)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two-factor sign-in')
    const field = page.getByLabel('Code of your authenticator app')
    await expect(field).toBeFocused()
    await field.fill(codeOf(secret, -20))
    await expect(page.getByRole('alert')).toHaveText('The code is wrong or was already used.')
    complaints.forgive(refused)
    // The code of the set-up is used up: the app's next one counts already. Six digits need no button.
    await field.fill(codeOf(secret, 1))
    await isHome(page)
  })
  await test.step('a recovery code, once', async () => {
    for (const is_first of [true, false]) {
      await signOut(page)
      await signIn(page, person)
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code').fill(recovery[0]!)
      await page.getByRole('button', { name: 'Sign in' }).click()
      if (is_first) await isHome(page)
    }
    await expect(page.getByRole('alert')).toHaveText('The code is wrong or was already used.')
    complaints.forgive(refused)
    await page.getByLabel('Recovery code').fill(recovery[1]!)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await isHome(page)
    await page.goto('/account/index?part=security')
    await expect(page.getByText('8 recovery codes left.')).toBeVisible()
  })
})

async function setUp(page: Page, person: { username: string; password: string }) {
  await chooseAccount(page)
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Set up two-factor sign-in' }).click()
  const again = page.getByRole('dialog', { name: 'Confirm with your password' })
  await again.getByLabel(`Password of ${person.username}`).fill('Wrong-2026!')
  await again.getByRole('button', { name: 'Confirm' }).click()
  await expect(again.getByRole('alert')).toContainText('The password is wrong.')
  await again.getByLabel(`Password of ${person.username}`).fill(person.password)
  await again.getByRole('button', { name: 'Confirm' }).click()
  await expect(again).toHaveCount(0)

  const dialog = page.getByRole('dialog', { name: 'Set up two-factor sign-in' })
  const scanned = new URL((await scan(dialog.getByLabel('QR code with the secret for the authenticator app'))).text)
  expect([scanned.protocol, scanned.host]).toEqual(['otpauth:', 'totp'])
  const secret = scanned.searchParams.get('secret') ?? ''
  await expect(dialog).toContainText(secret)
  await dialog.getByLabel('Enter the six digits that the app then shows.').fill(codeOf(secret))
  await dialog.getByRole('button', { name: 'Switch on' }).click()

  const codes = page.getByRole('dialog', { name: 'Keep your recovery codes' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  const recovery = await codes.getByRole('listitem').allInnerTexts()
  const downloading = page.waitForEvent('download')
  await codes.getByRole('button', { name: 'Download' }).click()
  expect((await downloading).suggestedFilename()).toBe(`mdm-recovery-${person.username}.txt`)
  await codes.getByRole('button', { name: 'I have kept them' }).click()
  await expect(page.getByText('10 recovery codes left.')).toBeVisible()
  return { secret, recovery }
}

/** From the menu at the upper right. */
async function chooseAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Account info' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account')
}

test('a session that is ended elsewhere is over at its next step', async ({ open, complaints }) => {
  const person = await addPerson(signedIn('lantern'), 'lantern.twice')
  const left = await open()
  await signIn(left, person)
  await isHome(left)
  const here = await open()
  await signIn(here, person)
  await isHome(here)
  await here.goto('/account/index?part=sessions')
  await expect(rowOf(here, 'This session')).toHaveCount(1)
  await expect(rowOf(here, 'Chrom')).toHaveCount(2)
  await here.getByRole('button', { name: /^End the session of/ }).click()
  await expect(here.getByText('Session ended')).toBeVisible()
  await expect(rowOf(here, 'Chrom')).toHaveCount(1)

  // By address: what the page asks by itself may have led to signing in before anybody touches it.
  await left.goto('/device-list')
  await expect(left).toHaveURL('/login?redirect=%2Fdevice-list')
  complaints.forgive(refused)
  await here.reload()
  await expect(rowOf(here, 'This session')).toHaveCount(1)
})

// Unset is the zone of the machine, which a machine may not have either.
for (const TZ of ['Mars/Olympus', '', undefined])
  test(`a browser in the zone "${TZ ?? 'of its machine'}" shows its pages, times of UTC where it knows none, and says so`, async ({
    complained,
  }, { project }) => {
    const { launchOptions } = project.use
    // The zone is the process's: the tests' own browser runs in one that it knows.
    const browser = await chromium.launch({ ...launchOptions, env: { ...process.env, TZ } })
    try {
      // Not the zone of the tests, which every page is given by default.
      const page = await browser.newPage({ timezoneId: undefined })
      page.on('pageerror', (error) => complained.push(`page: ${error.stack ?? error.message}`))
      await page.addInitScript((token) => localStorage.setItem('mdm.token', token), accountOf('lantern').token)
      for (const path of ['/device-list', '/operation-log-list']) {
        await page.goto(demo().url + path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
      }
      await page.goto(`${demo().url}/account/index?part=preferences`)
      const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
      if (TZ !== undefined) expect(zone).toBe('Etc/Unknown')
      const is_unknown = zone === 'Etc/Unknown'
      await expect(page.getByText(/^As the browser \(.+\)$/)).toBeVisible()
      await expect(page.getByText('This browser does not say its time zone.')).toHaveCount(is_unknown ? 1 : 0)
      if (is_unknown) await expect(page.getByText('As the browser (UTC)')).toBeVisible()
    } finally {
      await browser.close()
    }
  })

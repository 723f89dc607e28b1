import type { Page } from '@playwright/test'
import { daysFromNow, hashed, password, signedIn } from './calls.ts'
import { enterCustomer, mainMenu, rowOf, signInByHand } from './pages.ts'
import { expect, test } from './test.ts'

const refused = /the server responded with a status of 4(01|03|22) /
const unavailable = 'The account is expired or invalid and cannot be accessed.'

/** A customer of its own that ends in so many days, and how to move its end. */
async function endingCustomer(username: string, name: string, days: number) {
  const call = signedIn('operator')
  const { kid } = await call.opsAccount.insert({
    name,
    username,
    password: hashed(password),
    terminal_max: 5,
    expire_time: daysFromNow(days),
  })
  return {
    name,
    username,
    password,
    endsIn: (left: number) => call.opsAccount.renew({ kid, expire_time: daysFromNow(left) }),
  }
}

const banner = (page: Page) => page.getByRole('status').filter({ hasText: /^The account expire/ })
/** What the banner says, its tone, and that its colour is one of warning or of danger. */
async function reads(page: Page, text: string, tone: 'orange' | 'red'): Promise<void> {
  await expect(banner(page)).toHaveText(text)
  await expect(banner(page)).toHaveAttribute('data-tone', tone)
}

test('the end of an account is told from 30 days before in orange, from 3 days in red, and shuts it', async ({
  open,
  complaints,
}) => {
  const customer = await endingCustomer('ebbtide', 'Ebb Tide', 31.5)
  const page = await open()
  await page.goto('/login')
  await signInByHand(page, customer)
  await expect(page).toHaveURL('/home/index')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(customer.name)
  await expect(banner(page)).toHaveCount(0)
  for (const [days, text, tone] of [
    [29.5, 'The account expires in 30 days.', 'orange'],
    [3.5, 'The account expires in 4 days.', 'orange'],
    [2.5, 'The account expires in 3 days.', 'red'],
    [0.5, 'The account expires in 1 day.', 'red'],
  ] as const) {
    await customer.endsIn(days)
    await page.reload()
    await reads(page, text, tone)
  }

  await customer.endsIn(-1)
  await page.reload()
  await expect(page).toHaveURL(/^[^?]+\/login\?redirect=/)
  await signInByHand(page, customer)
  await expect(page.getByRole('alert').filter({ hasText: unavailable })).toBeVisible()
  await expect(page).toHaveURL(/\/login\?redirect=/)
  complaints.forgive(refused)
})

test('an operator cannot enter what has expired, and is led out of it when that happens inside', async ({
  open,
  complaints,
}) => {
  const customer = await endingCustomer('lowwater', 'Low Water', 20.5)
  const page = await open('operator')
  await enterCustomer(page, customer.name)
  await reads(page, 'The account expires in 21 days.', 'orange')
  await customer.endsIn(-1)
  // What the page asks by itself may lead out before anything is clicked.
  const next = mainMenu(page).getByRole('link', { name: 'Device list' })
  await next.click({ timeout: 2_000 }).catch(() => undefined)
  await expect(page).toHaveURL('/external-user-manage-list')
  await expect(page.getByText('Acting as')).toHaveCount(0)
  await expect(page.getByText(unavailable)).toBeVisible()
  complaints.forgive(refused)

  await page.goto('/external-user-manage-list?text=Low')
  const row = rowOf(page, customer.name)
  await expect(row).toContainText('Expired 1 day ago')
  const enter = row.getByRole('button', { name: `Enter ${customer.name}` })
  await expect(enter).toBeDisabled()
  await expect(enter).toHaveAccessibleDescription('The account, or the one above it, has expired.')

  await customer.endsIn(10.5)
  await page.reload()
  await expect(row).toContainText('11 days left')
  await enterCustomer(page, customer.name)
  await reads(page, 'The account expires in 11 days.', 'orange')
})

import type { Page } from '@playwright/test'
import { addPerson, signedIn } from './calls.ts'
import { demo } from './demo-server.ts'
import { choose, signInByHand } from './pages.ts'
import { expect, test } from './test.ts'

/** Passkeys are of a name: the demo's own address has one. */
const named = (path: string) => {
  const url = new URL(path, demo().url)
  url.hostname = 'localhost'
  return url.href
}

/** An authenticator of the browser's own, which says yes to everything. */
async function virtualAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

test('a passkey is added with a name, signs in without one, stands for the password, and is removed', async ({
  open,
  complaints,
}) => {
  // The password is asked for: the browser writes that down.
  complaints.forgive(/the server responded with a status of 403 .*\/api\/account\/passkey_/)
  const person = await addPerson(signedIn('lantern'), 'lantern.passkey')
  const page = await open()
  await virtualAuthenticator(page)
  await page.goto(named('/login'))
  await signInByHand(page, person)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Blue Lantern Shops')

  await test.step('add', async () => {
    await page.goto(named('/account/index?part=security'))
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Test laptop')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Password of lantern.passkey').fill(person.password)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Test laptop' })).toContainText('not used yet')
  })
  await test.step('sign in without a name', async () => {
    await page.getByRole('button', { name: /^Account menu of/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Test laptop' })).toContainText('used')
  })
  await test.step('remove, with the passkey instead of the password', async () => {
    await page.getByRole('button', { name: 'Remove Test laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page.getByText('Passkey Test laptop removed')).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: 'Test laptop' })).toHaveCount(0)
  })
})

test('a person who is invited sets the own password by the link that is shown once', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/user-account-manage-add')
  await page.getByLabel('Name', { exact: true }).fill('Hoa Trần')
  await page.getByLabel('Login name').fill('sunrise.invited')
  await expect(page.getByLabel('The person sets the password (invitation)')).toBeChecked()
  await choose(page, page.getByLabel('Roles'), 'Viewer')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add user account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Link to set the password' })
  const link = (await dialog.getByRole('code').textContent())!
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'sunrise.invited' })).toContainText('Invited')

  const theirs = await open()
  const path = new URL(link)
  await theirs.goto(path.pathname + path.hash)
  await expect(theirs.getByRole('heading', { level: 1 })).toHaveText('Set your password')
  // It is taken out of the address once it has been read.
  await expect.poll(() => new URL(theirs.url()).hash).toBe('')
  await theirs.getByLabel('New password').fill('Mine-2026!')
  await theirs.getByLabel('Confirm password').fill('Mine-2026!')
  await theirs.getByRole('button', { name: 'Set password and sign in' }).click()
  await expect(theirs.getByRole('button', { name: /^Account menu of Hoa Trần/ })).toBeVisible()
})

import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { foreignApk, realApk } from '@mdm/testbed/apks.ts'
import { tempFolder } from './agent-process.ts'
import { accountOf, demo } from './demo-server.ts'
import { choose, confirmPassword, mainMenu, rowOf } from './pages.ts'
import { expect, test } from './test.ts'

const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })
const dialog = (page: Page) => page.getByRole('dialog')
const main = (page: Page) => page.getByRole('main')

async function choosePackage(page: Page, path: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose package' }).first().click()
  await (await choosing).setFiles(path)
}

test('an app from upload to listed, rolled back, delisted and deleted', async ({ open, complaints }) => {
  await using folder = await tempFolder()
  const page = await open('sunrise')
  await page.goto('/home/index')

  await test.step('a category is made', async () => {
    await mainMenu(page).getByRole('link', { name: 'App center' }).click()
    await expect(page.getByRole('meter', { name: 'Space used' })).toBeVisible()
    await page.getByRole('button', { name: 'Categories' }).click()
    await dialog(page).getByRole('button', { name: 'Add category', exact: true }).click()
    await dialog(page).last().getByLabel('Name').fill('Tools')
    await dialog(page).last().getByRole('button', { name: 'Add category' }).click()
    await page.getByRole('button', { name: 'Add category in Tools' }).click()
    await dialog(page).last().getByLabel('Name').fill('Testing')
    await dialog(page).last().getByRole('button', { name: 'Add category' }).click()
    await expect(dialog(page).getByText('Testing')).toBeVisible()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
  })
  await test.step('the package says what it is, and the rest is typed', async () => {
    await page.getByRole('button', { name: 'Add app' }).first().click()
    await expect(page.getByRole('button', { name: 'Choose package' }).first()).toBeVisible()
    await page.getByRole('button', { name: 'Add app' }).click()
    await expect(page.getByText('Choose a package.').or(page.getByText('Required.')).first()).toBeVisible()
    await choosePackage(page, realApk)
    await expect(main(page)).toContainText('io.appium.settings')
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Appium Settings')
    await expect(main(page)).toContainText('87b0f6e2cd527fcd35c3af6ad2bdd6ced3830cef')
    await page.getByLabel('Developer').fill('Appium')
    await choose(page, page.getByLabel('Category'), 'Tools / Testing')
    await page.getByLabel('Introduction').fill('Changes settings of a device for tests.')
    await page.getByRole('button', { name: 'Add app' }).click()
    await expect(said(page, 'App added')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Appium Settings')
    await expect(main(page)).toContainText('8.0.10 (192)')
  })
  await test.step('it is listed, and a listed app cannot be deleted', async () => {
    await page.getByRole('button', { name: 'List', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'List app' }).click()
    await expect(said(page, 'Appium Settings listed')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled()
  })
  await test.step('its permissions are decided for all devices, and who does not meet it is named', async () => {
    const part = page.getByRole('region', { name: 'Permissions', exact: true })
    await expect(part).toContainText('Not configured')
    await part.getByRole('button', { name: 'Change permissions' }).click()
    const location = dialog(page).getByRole('radiogroup', { name: 'Precise location' })
    await location.getByText('Deny', { exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Save configuration' }).click()
    // Many devices inherit it: the question says how many.
    const question = page.getByRole('dialog', { name: /^This changes \d+ devices/ })
    await question.getByRole('button', { name: 'Save configuration' }).click()
    await confirmPassword(page, 'sunrise')
    complaints.forgive(/403.*terminal_config/)
    await expect(said(page, 'Configuration saved')).toBeVisible()
    await expect(rowOf(page, 'Precise location')).toContainText('Deny')
    await expect(part.getByText(/do(es)? not meet this|All devices meet this/)).toBeVisible()
    await part.getByText('Device', { exact: true }).click()
    await expect(page).toHaveURL(/level=device/)
    await page.reload()
    await expect(part.getByRole('combobox', { name: 'Choose a device' })).toBeVisible()
  })
  await test.step('a version by another key is added only when that is meant', async () => {
    const path = join(folder.path, 'other.apk')
    await writeFile(path, await foreignApk(300, '9.0.00'))
    await page.getByRole('button', { name: 'Add version' }).click()
    await choosePackage(page, path)
    await expect(page.getByText('signed by another key')).toBeVisible()
    await page.getByRole('button', { name: 'Add version' }).click()
    await expect(page.getByText('than the versions that are there')).toBeVisible()
    complaints.forgive(/409 \(Conflict\).*insert_version/)
    await page.getByLabel('Add it all the same').check()
    await page.getByRole('button', { name: 'Add version' }).click()
    await expect(said(page, 'Version added')).toBeVisible()
    await expect(rowOf(page, '9.0.00')).toContainText('Newest')
  })
  await test.step('the older one is offered again', async () => {
    await rowOf(page, '8.0.10')
      .getByRole('button', { name: /actions/i })
      .click()
    await page.getByRole('menuitem', { name: 'Offer as newest' }).click()
    await dialog(page).getByRole('button', { name: 'Offer version' }).click()
    await expect(rowOf(page, '8.0.10')).toContainText('Newest')
  })
  await test.step('delisted, it can be deleted', async () => {
    // The event may come before the reply, and then the page asks once more before it is left.
    complaints.forgive(/404 \(Not Found\).*app_center\/(get|installed|paging_version)/)
    await page.getByRole('button', { name: 'Delist', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Delist app' }).click()
    await expect(said(page, 'Appium Settings delisted')).toBeVisible()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page).toHaveURL(/dialog=delete/)
    await page.reload()
    await dialog(page).getByRole('textbox').fill('DELETE')
    await dialog(page).getByRole('button', { name: 'Delete app' }).click()
    await expect(page).toHaveURL(/app-center-list$/)
    await expect(rowOf(page, 'Appium Settings')).toHaveCount(0)
  })
})

test('an app of the provider is read by customers and changed by none, and its devices are found', async ({ open }) => {
  const page = await open('operator')
  await page.goto('/platform-apk-add')
  await choosePackage(page, realApk)
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Appium Settings')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Platform settings')
  await page.getByLabel('List at once').click()
  await page.getByRole('button', { name: 'Add app' }).click()
  await expect(said(page, 'App added')).toBeVisible()
  const customer = await open('sunrise')
  await customer.goto('/app-center-list')
  await expect(rowOf(customer, 'Platform settings')).toContainText('Inherited')
  await customer.getByRole('link', { name: 'Platform settings', exact: true }).click()
  await expect(customer.getByRole('button', { name: 'Edit', exact: true })).toBeDisabled()
  await expect(main(customer)).toContainText('No device has reported this app.')
})

test('a package of which another browser has sent a part goes on from there', async ({ open }) => {
  await using folder = await tempFolder()
  const path = join(folder.path, 'settings.apk')
  const bytes = await readFile(realApk)
  await writeFile(path, bytes)
  await utimes(path, 1_700_000_000, 1_700_000_000)
  const coded = (text: string) => Buffer.from(text).toString('base64')
  const fingerprint = coded(`${bytes.length}-1700000000000-settings.apk`)
  const headers = { authorization: `Bearer ${accountOf('sunrise').token}`, 'tus-resumable': '1.0.0' }
  const begun = await fetch(`${demo().url}/upload`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${coded('settings.apk')},area ${coded('app_center')},fingerprint ${fingerprint}`,
    },
  })
  const part = 1_000_000
  await fetch(new URL(begun.headers.get('location')!, demo().url), {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: bytes.subarray(0, part),
  })

  const page = await open('sunrise')
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const offset = request.headers()['upload-offset']
    if (pathname.startsWith('/upload')) sent.push([request.method(), offset].filter(Boolean).join(' '))
  })
  await page.goto('/app-center-add')
  await choosePackage(page, path)
  await expect(main(page)).toContainText('io.appium.settings')
  expect(sent).toEqual(['HEAD', `PATCH ${part}`])
})

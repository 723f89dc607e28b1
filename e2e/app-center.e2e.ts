import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { foreignApk, realApk } from '@mdm/testbed/apks.ts'
import { tempFolder } from './agent-process.ts'
import { choose, mainMenu, rowOf } from './pages.ts'
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
  test.setTimeout(120_000)
  await using folder = await tempFolder()
  const page = await open('sunrise')
  await page.goto('/home/index')

  await test.step('a category is made', async () => {
    await mainMenu(page).getByRole('link', { name: 'App center' }).click()
    await page.getByRole('button', { name: 'Categories' }).click()
    await dialog(page).getByRole('button', { name: 'Add category', exact: true }).click()
    await dialog(page).last().getByLabel('Name').fill('Tools')
    await dialog(page).last().getByRole('button', { name: 'Create category' }).click()
    await page.getByRole('button', { name: 'Add category in Tools' }).click()
    await dialog(page).last().getByLabel('Name').fill('Testing')
    await dialog(page).last().getByRole('button', { name: 'Create category' }).click()
    await expect(dialog(page).getByText('Testing')).toBeVisible()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
  })
  await test.step('the package says what it is, and the rest is typed', async () => {
    await page.getByRole('button', { name: 'Add app' }).first().click()
    await expect(page.getByRole('button', { name: 'Choose package' }).first()).toBeVisible()
    await page.getByRole('button', { name: 'Add app' }).click()
    await expect(page.getByText('Choose a package.').or(page.getByText('Required.')).first()).toBeVisible()
    await choosePackage(page, realApk)
    await expect(main(page)).toContainText('io.appium.settings', { timeout: 30_000 })
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Appium Settings')
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
  await test.step('a version by another key is added only when that is meant', async () => {
    const path = join(folder.path, 'other.apk')
    await writeFile(path, await foreignApk(300, '9.0.00'))
    await page.getByRole('button', { name: 'Add version' }).click()
    await choosePackage(page, path)
    await expect(page.getByText('signed by another key')).toBeVisible({ timeout: 30_000 })
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
    await dialog(page).getByRole('textbox').fill('DELETE')
    await dialog(page).getByRole('button', { name: 'Delete app' }).click()
    await expect(page).toHaveURL(/app-center-list/)
    await expect(rowOf(page, 'Appium Settings')).toHaveCount(0)
  })
})

test('an app of the provider is read by customers and changed by none, and its devices are found', async ({ open }) => {
  test.setTimeout(120_000)
  const page = await open('operator')
  await page.goto('/platform-apk-add')
  await choosePackage(page, realApk)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Appium Settings', { timeout: 30_000 })
  await page.getByLabel('Name', { exact: true }).fill('Platform settings')
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

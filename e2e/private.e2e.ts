import { readFile } from 'node:fs/promises'
import { expect, test } from './test.ts'

test('an activation is issued, shown with its code, confirmed by nobody else, renewed and eliminated', async ({
  open,
  complaints,
}) => {
  complaints.forgive(/status of 422/)
  const page = await open('operator')
  await page.goto('/activate-list')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Activations')
  await page.getByRole('button', { name: 'Issue activation code' }).first().click()
  await expect(page).toHaveURL('/privatization-generate')
  await expect(page.getByLabel('Customers')).toHaveValue('2')
  await page.getByLabel('Customer', { exact: true }).fill('Harbour Line')
  await page.getByLabel('No limit').check()
  const macs = page.getByLabel('MAC addresses')
  await macs.fill('not-a-mac')
  await macs.press('Enter')
  await page.getByRole('button', { name: 'Issue activation code' }).click()
  await expect(page.getByText('Six pairs of hexadecimal digits')).toBeVisible()
  await page.locator('.ant-select-selection-item-remove').click()
  await macs.fill('00-1a-2b-3c-4d-5e')
  await macs.press('Enter')
  await page.getByRole('button', { name: 'Issue activation code' }).click()

  const drawer = page.getByRole('dialog', { name: 'Harbour Line' })
  await expect(drawer.getByText('Activating', { exact: true })).toBeVisible()
  await expect(drawer.getByText('00:1A:2B:3C:4D:5E')).toBeVisible()
  const code = (await drawer.getByRole('region', { name: 'Activation code' }).textContent()) ?? ''
  expect(code).toMatch(/^MDM1\.[\w-]+\.[\w-]{86}$/)
  const downloading = page.waitForEvent('download')
  await drawer.getByRole('button', { name: 'Download file' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('Harbour Line.activation.txt')
  expect((await readFile(await file.path(), 'utf8')).trim()).toBe(code)
  await drawer.getByRole('button', { name: 'Close' }).click()

  const row = page.getByRole('row', { name: /Harbour Line/ })
  await expect(row).toContainText('No limit')
  const action = async (name: string) => {
    await row
      .getByRole('button', { name: /Harbour Line/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name }).click()
  }
  await action('Enter receipt')
  await page.getByRole('textbox', { name: 'Receipt' }).fill('1-00000-00000-00000')
  await page.getByRole('button', { name: 'Enter receipt' }).click()
  await expect(page.getByText('This is not a receipt of this activation')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()

  await action('Renew')
  await page.getByRole('button', { name: 'Issue new code' }).click()
  await expect(page.getByRole('dialog', { name: 'Renew Harbour Line' })).toHaveCount(0)
  await action('Eliminate')
  await page.getByRole('button', { name: 'Eliminate activation' }).click()
  await expect(row).toContainText('Eliminated')
})

test('a server that needs no activation says so', async ({ open }) => {
  const page = await open('operator')
  await page.goto('/activate-list?view=server')
  await expect(page.getByText('This server needs no activation.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Enter activation code' })).toHaveCount(0)
})

test('the files of a private deployment are written for an address, pasted whole or not', async ({ open }) => {
  const page = await open('operator')
  await page.goto('/privatization-config')
  const properties = page.getByRole('region', { name: 'mdm.properties' })
  await expect(page.getByRole('button', { name: 'Download mdm.properties' })).toBeDisabled()
  await page.getByLabel('Name or IP address').fill('mdm.example.com')
  await expect(properties).toContainText('host=https://mdm.example.com:10102')
  await page.getByText('http', { exact: true }).click()
  await expect(properties).toContainText('host=http://mdm.example.com:10101')
  await page.getByLabel('Name or IP address').fill('https://10.1.2.3:8443')
  await expect(page.getByLabel('Port')).toHaveValue('8443')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download url.json' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('url.json')
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toEqual({ base_url: 'https://10.1.2.3:8443' })
})

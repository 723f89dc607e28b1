import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { osZip } from '@mdm/testbed/os-zip.ts'
import { addParts } from '@mdm/testbed/sweeps/shared/information.ts'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { tempFolder } from './agent-process.ts'
import { signedIn } from './calls.ts'
import { choose, rowOf } from './pages.ts'
import { expectAccessible } from './accessible.ts'
import { expect, test } from './test.ts'

const main = (page: Page) => page.getByRole('main')
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

test('the provider adds a model and a base version, a customer has an OS built on it and releases it', async ({
  open,
}) => {
  await using folder = await tempFolder()
  const operator = signedIn('operator')
  const parts = await addParts(operator, 70)
  const made = { type: 'standard' as const, ...parts, reserve_code: 'W2', display_name: 'Walk of custom OS' }
  const uid = await operator.opsUid.insert(made)
  const files = { sum: 'walk_sum.zip', os: `walk_${uid.code}_full.zip`, config: 'walk_config.zip' }
  for (const name of Object.values(files)) await writeFile(join(folder.path, name), await osZip())
  const send = (page: Page, label: string, name: string) =>
    page.getByLabel(label, { exact: true }).and(page.locator('input[type=file]')).setInputFiles(join(folder.path, name))
  const office = await open('operator')

  await test.step('a model code with its platform package', async () => {
    await office.goto('/oscs-model-manage-list')
    await office.getByRole('button', { name: 'Add model code' }).first().click()
    await office.getByLabel('Model code', { exact: true }).fill('WALK')
    await choose(office, office.getByLabel('UID', { exact: true }), `${uid.code} · Walk of custom OS`)
    // The browser's own field stands back behind the button.
    await expect(office.locator('input[type=file]')).toBeHidden()
    await send(office, 'Platform package', files.sum)
    await expect(main(office)).toContainText(files.sum)
    await expect(office.locator('.ant-btn-loading')).toHaveCount(0)
    await office.getByRole('button', { name: 'Add model code' }).click()
    await expect(rowOf(office, 'WALK')).toContainText('Ready')
    await expectAccessible(office)
  })
  await test.step('a base version with its packages', async () => {
    await office.goto('/oscs-base-manage-add')
    await choose(office, office.getByLabel('Model code', { exact: true }), `WALK · ${uid.code}`)
    await office.getByLabel('Base OS version', { exact: true }).fill('walk-9')
    await office.getByLabel('Version code', { exact: true }).fill('9')
    await send(office, 'OS package', files.os)
    await send(office, 'Configuration package', files.config)
    await expect(main(office)).toContainText(files.config)
    await expect(office.locator('.ant-btn-loading')).toHaveCount(0)
    await office.getByRole('button', { name: 'Add base OS version' }).click()
    await expect(main(office)).toContainText('Write it as project_version')
    await office.getByLabel('Base OS version', { exact: true }).fill('walk_9.00.1')
    await office.getByRole('button', { name: 'Add base OS version' }).click()
    await expect(rowOf(office, 'walk_9.00.1').getByText('Ready')).toHaveCount(2)
    await expectAccessible(office)
  })

  const sunrise = signedIn('sunrise')
  const upload_kid = await uploadFile(sunrise, 'prices.csv', Buffer.from('a;1'))
  await sunrise.fileCloud.insert({ upload_kid, name: 'walk-prices.csv' })
  const page = await open('sunrise')
  await test.step('a custom OS with a file', async () => {
    await page.goto('/user-os-custom-list')
    await page.getByRole('button', { name: 'Add custom OS' }).first().click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Walk shop')
    await choose(page, page.getByLabel('Base version', { exact: true }), 'walk_9.00.1 · WALK')
    await page.getByRole('combobox', { name: 'Files' }).fill('walk-prices')
    await page.getByTitle(/walk-prices\.csv/).click()
    await page.getByLabel('Folder of walk-prices.csv on the device').fill('/data/prices')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add custom OS' }).click()
    await expect(rowOf(page, 'Walk shop')).toContainText('Enabled')
    await expectAccessible(page)
  })
  await test.step('it is built, step by step, and its contents can be looked at', async () => {
    await rowOf(page, 'Walk shop').getByRole('link', { name: 'Walk shop' }).click()
    await expect(heading(page)).toHaveText('Walk shop')
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    await expect(rowOf(page, '9.00.1_CD01')).toContainText('Completed', { timeout: 60_000 })
    await expect(page.getByRole('region', { name: 'Progress' })).toContainText('Starting launcher')
    await expect(page.getByRole('region', { name: 'Other contents' })).toContainText('/data/prices')
    await expect(page.getByRole('region', { name: 'Log' })).toContainText('Registered as OS version 9.00.1_CD01')
    await expect(page.getByRole('button', { name: 'Customize again' })).toBeVisible()
    await expectAccessible(page)
  })
  await test.step('it is released, and the provider cannot change it', async () => {
    const row = rowOf(page, '9.00.1_CD01')
    await row.getByRole('button', { name: /actions for/i }).click()
    await page.getByRole('menuitem', { name: 'Release' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
    await expect(row).toContainText('Released')
    await office.goto('/os-issue')
    await expect(rowOf(office, '9.00.1_CD01')).toContainText('Released')
  })
})

import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { osZip } from '@mdm/testbed/os-zip.ts'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { addParts } from '@mdm/testbed/sweeps/shared/information.ts'
import { tempFolder } from './agent-process.ts'
import { signedIn } from './calls.ts'
import { choose, rowOf } from './pages.ts'
import { expectAccessible } from './accessible.ts'
import { expect, test } from './test.ts'

const main = (page: Page) => page.getByRole('main')
const dialog = (page: Page) => page.getByRole('dialog')
const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

test('a version goes through its four steps, is launched, pushed from the other side and taken offline', async ({
  open,
  complaints,
}) => {
  await using folder = await tempFolder()
  const operator = signedIn('operator')
  const parts = await addParts(operator, 60)
  const uid = await operator.opsUid.insert({
    type: 'standard',
    ...parts,
    reserve_code: 'W1',
    display_name: 'Walk of versions',
  })
  const [wrong, right] = [join(folder.path, 'other.zip'), join(folder.path, `m_${uid.code}_full.zip`)]
  for (const path of [wrong, right]) await writeFile(path, await osZip())
  const page = await open('operator')

  await test.step('create: rules are said at the fields', async () => {
    await page.goto('/os-issue')
    await page.getByRole('button', { name: 'Create OS version' }).first().click()
    await choose(page, page.getByLabel('UID', { exact: true }), `${uid.code} · Walk of versions`)
    await page.getByLabel('OS version', { exact: true }).fill('9.00')
    await page.getByLabel('Version code').fill('4')
    await page.getByLabel('VER', { exact: true }).fill('0')
    await page.getByRole('button', { name: 'Save and next' }).click()
    await expect(main(page)).toContainText('3 or 4 numbers separated by dots')
    await page.getByLabel('OS version', { exact: true }).fill('9.00.200')
    await page.getByLabel('VER', { exact: true }).fill('40')
    await page.getByRole('button', { name: 'Save and next' }).click()
    await expect(heading(page)).toHaveText('Upload OS packages')
  })
  await test.step('upload: the name has to have the UID, the package is checked', async () => {
    await expect(main(page)).toContainText('Add at least one package.')
    const send = async (path: string) => {
      const button = page.getByRole('button', { name: 'Choose file' })
      await expect(button).not.toHaveClass(/loading/)
      const choosing = page.waitForEvent('filechooser')
      await button.click()
      await (await choosing).setFiles(path)
    }
    complaints.forgive(/insert_package/)
    await send(wrong)
    await expect(main(page)).toContainText(`has the UID ${uid.code} in it`)
    await send(right)
    await expect(rowOf(page, 'Full package')).toContainText('Ready')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save and next' }).click()
    await expect(heading(page)).toHaveText('Choose recipients')
  })
  await test.step('who gets it, and a step back that asks', async () => {
    // Nobody is chosen by itself, and a pre-release is for a few.
    await page.getByRole('radio', { name: 'Full release' }).click()
    await page.getByRole('radio', { name: 'All customers' }).click()
    await page.getByRole('button', { name: 'Save and next' }).click()
    await expect(heading(page)).toHaveText('Release OS version')
    await expect(main(page)).toContainText('All customers')
    await page.getByRole('button', { name: 'Previous step' }).click()
    await expect(heading(page)).toHaveText('Choose recipients')
    await page.getByRole('button', { name: 'Previous step' }).click()
    await dialog(page).getByRole('button', { name: 'Stay' }).click()
    await expect(heading(page)).toHaveText('Choose recipients')
    await page.getByRole('button', { name: 'Save and next' }).click()
  })
  await test.step('release', async () => {
    await page.getByRole('button', { name: 'Release', exact: true }).click()
    await expect(said(page, 'OS version released')).toBeVisible()
    await expect(heading(page)).toHaveText('9.00.200 (VER 40)')
    await expect(main(page)).toContainText('Released')
    await expect(main(page)).toContainText('Who runs it now')
    await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled()
    await expectAccessible(page)
  })
  await test.step('a customer can choose it', async () => {
    const sunrise = await open('sunrise')
    await sunrise.goto('/user-os-push-list')
    await sunrise.getByRole('link', { name: 'Installed versions' }).click()
    await expect(main(sunrise)).toContainText('UID')
    await sunrise.getByRole('button', { name: 'Push OS' }).click()
    await sunrise.getByRole('radio', { name: '9.00.200 (VER 40)' }).click()
    await sunrise.getByRole('button', { name: 'Next' }).click()
    await expect(main(sunrise)).toContainText('Devices')
    await expectAccessible(sunrise)
  })
  await test.step('offline asks who is pushing it, then it can be deleted', async () => {
    await page.getByRole('button', { name: 'Take offline' }).click()
    await expect(dialog(page)).toContainText('Nobody is pushing it.')
    await dialog(page).getByRole('button', { name: 'Take offline' }).click()
    await expect(said(page, 'OS version is offline')).toBeVisible()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    // What was still on its way for the page of what is gone.
    complaints.forgive(/404 \(Not Found\).*os_version\/(get|running|list_history)/)
    await dialog(page).getByRole('textbox').fill('DELETE')
    await dialog(page).getByRole('button', { name: 'Delete version' }).click()
    await expect(heading(page)).toHaveText('OS versions')
  })
})

test('differences are made from an older version, also for one that is out, and offered', async ({ open }) => {
  const operator = signedIn('operator')
  const versions = operator.opsOsVersion
  const parts = await addParts(operator, 61)
  const uid = await operator.opsUid.insert({
    type: 'standard',
    ...parts,
    reserve_code: 'W2',
    display_name: 'Differences',
  })
  const image = randomBytes(300_000)
  const released: string[] = []
  for (const ver of [1, 2]) {
    const { kid } = await versions.insert({ uid_kid: uid.kid, os_version: `9.00.${ver}`, version_code: ver, ver })
    const zip = await osZip(`version ${ver}`, [['DOWNLOAD/vendor.img', image]])
    const upload_kid = await uploadFile(operator, `m_${uid.code}_${ver}.zip`, zip)
    await versions.insert_package({ os_version_kid: kid, upload_kid })
    await expect.poll(async () => (await versions.get({ kid })).packages[0]!.state, { timeout: 60_000 }).toBe('ready')
    await versions.save_audience({ kid, mode: 'launched', is_for_all: true, accounts: [] })
    await versions.release({ kid })
    released.push(kid)
  }
  const page = await open('operator')
  await page.goto(`/os-issue/os-detail?kid=${released[1]}`)
  await page.getByRole('button', { name: 'Packages', exact: true }).click()
  await expect(heading(page)).toHaveText('Edit OS packages')
  await choose(page, page.getByLabel('Make difference packages from'), /^9\.00\.1 \(VER 1\) · /)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Make difference packages', exact: true }).click()
  const made = rowOf(page, 'Difference from 9.00.1 (VER 1)')
  await expect(made).toContainText('made by the server')
  await expect(made).toContainText('Ready', { timeout: 60_000 })
  await expect(made).toContainText('% of the full package')
  await expect(main(page)).toContainText('1 added package is ready')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Offer to devices' }).click()
  await dialog(page).getByRole('button', { name: 'Offer to devices' }).click()
  await expect(said(page, 'Packages are offered')).toBeVisible()
  await expect(main(page)).not.toContainText('added package is ready')
})

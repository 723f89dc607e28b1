import { informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import { realApk } from '@mdm/testbed/apks.ts'
import { draftOf, groupOf } from '@mdm/testbed/sweeps/shared/information.ts'
import { signedIn } from './calls.ts'
import { mainMenu, rowOf } from './pages.ts'
import { expect, test } from './test.ts'

async function addUid(): Promise<string> {
  const operator = signedIn('operator')
  const parts = {} as Record<UidKid, string>
  for (const key of informationKeys)
    parts[kidOf(informationLists[key].name)] = (await operator[groupOf(key)].insert(draftOf(key, 61, 'Calls'))).kid
  const draft = { type: 'standard' as const, ...parts, reserve_code: 'AP', display_name: 'Calls' }
  return (await operator.opsUid.insert(draft)).code
}

test('an app is authorised from its APK and a file of methods, copied, changed and taken off again', async ({
  open,
  complaints,
}) => {
  const uid = await addUid()
  const page = await open('operator')
  await page.goto('/home/index')
  await mainMenu(page).getByRole('link', { name: 'API authorization' }).click()
  await page.getByRole('button', { name: 'Add API authorization' }).first().click()

  await page.getByLabel('APK to read').setInputFiles(realApk)
  await expect(page.getByRole('textbox', { name: 'App package' })).toHaveValue('io.appium.settings')
  await expect(page.getByRole('textbox', { name: 'Certificate SHA-1' })).toHaveValue(/^[0-9a-f]{40}$/)
  await page.getByRole('combobox', { name: 'UIDs' }).fill(uid)
  await page.getByTitle(`${uid} · Calls`).click()
  const text = 'Method,Note\ncom.acme.Printer.print,x\nno method\ncom.acme.Printer.print\ncom.acme.Scanner.start\n'
  await page
    .getByLabel('File of methods')
    .setInputFiles({ name: 'methods.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await expect(page.getByText('2 methods read.')).toBeVisible()
  await expect(page.getByText('1 line is not a class.method and was left out:')).toBeVisible()
  await expect(page.getByText('Line 3:')).toBeVisible()
  await page.getByRole('button', { name: 'Add API authorization' }).click()
  const row = rowOf(page, 'io.appium.settings')
  await expect(row).toContainText(uid)

  // The server refuses it as it should.
  complaints.forgive(/status of 422 .*os_mdm_api\/insert/)
  // A copy is a form like it; the same app again is refused there.
  await row.getByRole('button', { name: 'Actions for io.appium.settings' }).click()
  await page.getByRole('menuitem', { name: 'Copy' }).click()
  await expect(page.getByRole('textbox', { name: 'Methods' })).toHaveValue(
    'com.acme.Printer.print\ncom.acme.Scanner.start',
  )
  await page.getByRole('button', { name: 'Add API authorization' }).click()
  await expect(page.getByText('This app with this certificate is authorized already.')).toBeVisible()
  await page.getByRole('textbox', { name: 'App package' }).fill('com.acme.till')
  await page.getByRole('textbox', { name: 'Methods' }).fill('no method')
  await page.getByRole('button', { name: 'Add API authorization' }).click()
  await expect(page.getByText('Not a class.method: no method')).toBeVisible()
  await page.getByRole('textbox', { name: 'Methods' }).fill('com.acme.Printer.print')
  await page.getByRole('button', { name: 'Add API authorization' }).click()
  await expect(rowOf(page, 'com.acme.till')).toBeVisible()

  await page.getByRole('link', { name: 'com.acme.till' }).click()
  await page.getByRole('textbox', { name: 'Remark' }).fill('Tills of the north')
  await page.getByRole('button', { name: 'Save authorization' }).click()
  await expect(rowOf(page, 'com.acme.till')).toContainText('Tills of the north')

  await rowOf(page, 'com.acme.till').getByRole('button', { name: 'Actions for com.acme.till' }).click()
  await page.getByRole('menuitem', { name: 'Show refused calls' }).click()
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.goBack()
  await rowOf(page, 'com.acme.till').getByRole('button', { name: 'Actions for com.acme.till' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete authorization' }).click()
  await expect(page.getByText('Deleted the authorization of com.acme.till')).toBeVisible()
  await expect(rowOf(page, 'com.acme.till')).toBeHidden()
})

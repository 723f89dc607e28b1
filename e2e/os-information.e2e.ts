import type { Page } from '@playwright/test'
import { writeXlsx } from 'hucre/xlsx'
import { contract, informationKeys, informationLists } from '@mdm/contract'
import { draftOf, groupOf } from '@mdm/testbed/sweeps/shared/information.ts'
import { signedIn } from './calls.ts'
import { choose, mainMenu, rowOf, tableRows } from './pages.ts'
import { expectAccessible } from './accessible.ts'
import { expect, test } from './test.ts'

const drawer = (page: Page) => page.locator('.form-drawer')

test('a code is added, refused in the wrong format, and rows come from a sheet', async ({ open }) => {
  const page = await open('operator')
  await page.goto('/information-list/screen')
  await page.getByRole('button', { name: 'Add screen' }).first().click()
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill('Q')
  await page.getByLabel('Name').fill('Five inch')
  await page.getByLabel('Supplier').fill('Glassworks')
  await page.getByLabel('BOM code').fill('B-77')
  await page.getByRole('button', { name: 'Add screen' }).click()
  await expect(page.getByText('Exactly 2 letters or digits.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill('Q5')
  await page.getByRole('button', { name: 'Add screen' }).click()
  await expect(rowOf(page, 'Q5')).toContainText('Glassworks')

  await page.getByRole('button', { name: 'Import' }).click()
  const rows = [
    ['Code', 'Name', 'Supplier', 'BOM code'],
    ['Q6', 'Six inch', 'Glassworks', 'B-78'],
    ['q5', 'Five again', 'Glassworks', 'B-79'],
    ['Q77', 'Seven inch', null, 'B-80'],
  ]
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  const buffer = Buffer.from(await writeXlsx({ sheets: [{ name: 'Screens', rows }] }))
  await drawer(page).locator('input[type=file]').setInputFiles({ name: 'screens.xlsx', mimeType, buffer })
  await expect(drawer(page).getByText('1 row can be imported')).toBeVisible()
  await expect(rowOf(drawer(page), 'Five again')).toContainText('This code already exists.')
  await expect(rowOf(drawer(page), 'Q77')).toContainText('Supplier: Required.')
  await expectAccessible(page)
  await drawer(page).getByRole('button', { name: 'Import 1 row' }).click()
  await expect(drawer(page)).toHaveCount(0)
  await expect(rowOf(page, 'Q6')).toContainText('Six inch')
  expect((await tableRows(page)).map((row) => row['Code'])).not.toContain('Q77')

  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Languages' }).click()
  await expect(page.getByRole('button', { name: 'Add language' }).first()).toBeVisible()
  // The lists are one entry of the menu, which is unfolded while one of them is open.
  const entry = mainMenu(page).getByRole('link', { name: 'Languages' })
  await expect(entry).toBeVisible()
  await mainMenu(page).getByRole('link', { name: 'UIDs' }).click()
  await expect(entry).toBeHidden()
  await mainMenu(page).getByText('OS information').click()
  await expect(entry).toBeVisible()
})

test('a UID grows part by part, is taken apart again, and what it is made of stays', async ({ open }) => {
  const operator = signedIn('operator')
  const codes: string[] = []
  for (const key of informationKeys) {
    const draft = draftOf(key, 30, `Walk ${informationLists[key].name}`)
    codes.push(draft.code)
    await operator[groupOf(key)].insert(draft)
  }
  const page = await open('operator')
  await page.goto('/home/index')
  await mainMenu(page).getByRole('link', { name: 'UIDs' }).click()
  await page.getByRole('button', { name: 'Add UID' }).first().click()
  const parts = page.getByRole('list', { name: 'Parts of the UID' })
  await expect(page.getByText('0 of 20 characters')).toBeVisible()
  for (const key of informationKeys) {
    const { one, name } = informationLists[key]
    const label = one.en.charAt(0).toUpperCase() + one.en.slice(1)
    const field = page.getByLabel(label, { exact: true })
    await choose(page, field, new RegExp(`Walk ${name}$`))
    await expect(parts.getByText(`Walk ${name}`)).toBeVisible()
  }
  await expect(page.getByText('18 of 20 characters')).toBeVisible()
  await page.getByLabel('Reserve code').fill('W1')
  const uid = `${codes.join('')}W1`
  await expect(page.getByText('This UID is free')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: uid })).toBeVisible()
  await page.getByLabel('Display name').fill('Walk one')
  await page.getByText('Custom OS', { exact: true }).click()
  await page.getByRole('button', { name: 'Add UID' }).click()
  await expect(page.getByText('A custom OS needs it.').first()).toBeVisible()
  await page.getByText('Standard OS', { exact: true }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add UID' }).click()
  await expect(rowOf(page, uid)).toContainText('Walk one')

  await page.getByRole('button', { name: 'Explain a UID' }).click()
  await drawer(page).getByLabel('Paste or type a UID').fill(` ${uid.toLowerCase()} `)
  await expect(drawer(page).getByText('Walk screen')).toBeVisible()
  await expect(drawer(page).getByText('Walk one')).toBeVisible()
  await drawer(page).getByLabel('Paste or type a UID').fill('NM1')
  await expect(drawer(page).getByText('A UID has 20 letters and digits; this has 3 characters.')).toBeVisible()
  await page.keyboard.press('Escape')

  // Pasted anywhere: 'Jump to' takes it apart as well, from whichever page.
  await page.goto('/os-issue')
  await expect(page.getByRole('heading', { name: 'OS versions', level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Jump to' }).getByRole('combobox').fill(` ${uid.toLowerCase()}`)
  await page.getByRole('option', { name: new RegExp(uid) }).click()
  await expect(drawer(page).getByLabel('Paste or type a UID')).toHaveValue(uid)
  await expect(drawer(page).getByText('Walk screen')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/uid=/)

  // Pasted into the builder it fills in every part, to make another one from.
  await page.goto('/uid-list/uid-list-add')
  const paste = (text: string) =>
    page.getByLabel('Reserve code').evaluate((field, pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', pasted)
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  // Of two, the last: also where the answer to the first comes later.
  let release = () => {}
  const answered = new Promise<void>((resolve) => (release = resolve))
  const explained = `**/${contract.opsUid.calls.explain.path}*`
  await page.route(explained, (route) => answered.then(() => route.fallback()), { times: 1 })
  await paste(`${codes.join('')}X9`)
  await paste(uid.toLowerCase())
  // As the UID that is there writes it, though it was pasted in small letters.
  await expect(page.getByLabel('Reserve code')).toHaveValue('W1')
  const late = page.waitForResponse(explained)
  release()
  await (await late).finished()
  await expect(parts.getByText('Walk screen')).toBeVisible()
  await expect(page.getByText('This UID already exists')).toBeVisible()
  await page.getByLabel('Reserve code').fill('W2')
  await expect(page.getByText('This UID is free')).toBeVisible()

  // What a UID is made of can be edited, but not deleted, and leads to the UIDs that use it.
  await page.goto('/information-list/screen?text=Walk')
  await expect(page.getByRole('button', { name: `Delete ${codes[4]}` })).toBeDisabled()
  const refused = await operator.try_(contract.opsScreen.calls.delete, {
    kid: (await operator.opsScreen.paging({ text: 'Walk' })).items[0]!.kid,
  })
  expect(refused.result).toBe(44031)
  await page.getByRole('link', { name: /UIDs that use/ }).click()
  await expect(page).toHaveURL(/part_kid=/)
  await expect(rowOf(page, uid)).toBeVisible()
})

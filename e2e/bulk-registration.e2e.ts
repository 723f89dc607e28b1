import { readFile } from 'node:fs/promises'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import type { Locator, Page } from '@playwright/test'
import { announce } from './announce.ts'
import { signedIn } from './calls.ts'
import { choose as chooseOption, columnOf, rowOf } from './pages.ts'
import { expectAccessible } from './accessible.ts'
import { expect, test } from './test.ts'

const drawer = (page: Page) => page.locator('.form-drawer')
type Cells = (string | number | null)[]

async function choose(page: Page, name: string, rows: Cells[], others: string[] = []): Promise<void> {
  const sheets = [{ name: 'Sheet', rows }, ...others.map((other) => ({ name: other, rows: [['x']] }))]
  const buffer = Buffer.from(await writeXlsx({ sheets }))
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  await drawer(page).locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
}
/** The rows of the workbook that the button saves, as a person reads them. */
async function saved(page: Page, button: Locator): Promise<Record<string, unknown>[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  expect(download.suggestedFilename()).toMatch(/\.xlsx$/)
  const [sheet] = (await readXlsx(await readFile(await download.path()))).sheets
  const [titles = [], ...rows] = sheet!.rows
  return rows.map((row) => Object.fromEntries(titles.map((title, at) => [String(title), row[at]])))
}

test('a customer registers devices from a sheet, mends a row of it, and reads what came of each', async ({
  open,
  complaints,
}) => {
  const sns = ['E2E-SHEET-1', 'E2E-SHEET-2', 'E2E-SHEET-3']
  const code = await announce('E2E-SHEET-4')
  const codes = await Promise.all(sns.map(announce))
  const page = await open('lantern')
  await page.goto('/device-list')
  await page.getByRole('button', { name: 'Register from a spreadsheet' }).click()
  const [template] = await Promise.all([
    page.waitForEvent('download'),
    drawer(page).getByRole('button', { name: 'Download template' }).click(),
  ])
  const titles = (await readXlsx(await readFile(await template.path()))).sheets[0]!.rows[0] as string[]
  expect(titles).toEqual(['SN', 'Work order', 'Verification code', 'Alias', 'Group'])

  const rows: Cells[] = [
    titles,
    ...sns.map((sn, n) => [sn, 'WO-1', codes[n]!, `Sheet ${n}`, n === 2 ? 'E2E Dock/Gate 1' : null]),
    ['E2E-NEVER-SEEN', 'WO-1', 'AAAAAA', null, null],
    [sns[0]!, 'WO-1', codes[0]!, null, null],
    ['E2E-SHEET-5', null, 'AAAAAA', '50%', null],
  ]
  await choose(page, 'devices.xlsx', rows, ['Sheet2', 'Notes'])
  await expect(drawer(page).getByText('2 rows can be registered')).toBeVisible()
  await expect(drawer(page).getByText(/^4 rows have problems/)).toBeVisible()
  await expect(drawer(page).getByText('Only Sheet was read; also there: Sheet2, Notes')).toBeVisible()
  expect(await columnOf(drawer(page), 'Row')).toEqual(['4', '5', '6', '7'])
  await expect(rowOf(drawer(page), 'Work order is missing.')).toHaveCount(1)
  await expect(rowOf(drawer(page), 'This SN is already in row 2.')).toHaveCount(1)
  await expectAccessible(page, { within: '.form-drawer' })

  await test.step('groups that are missing are created when that is asked for', async () => {
    await expect(rowOf(drawer(page), 'There is no group E2E Dock/Gate 1.')).toHaveCount(1)
    await drawer(page).getByLabel('Create the group that does not exist: E2E Dock/Gate 1').check()
    await expect(drawer(page).getByText('3 rows can be registered')).toBeVisible()
  })
  await test.step('a refused row is mended where it stands', async () => {
    const cell = (column: string) => drawer(page).getByLabel(`${column}, row 7`)
    await cell('SN').fill('e2e-sheet-4')
    await cell('Work order').fill('WO-1')
    await cell('Verification code').fill(code)
    await cell('Alias').fill('Mended')
    await expect(drawer(page).getByRole('button', { name: 'Register 3 devices' })).toBeDisabled()
    await drawer(page).getByRole('button', { name: 'Check 1 changed row' }).click()
    await expect(drawer(page).getByText('4 rows can be registered')).toBeVisible()
  })
  await drawer(page).getByText('All rows', { exact: true }).click()
  expect(await columnOf(drawer(page), 'SN')).toHaveLength(6)
  await drawer(page).getByRole('button', { name: 'Register 4 devices' }).click()

  await expect(drawer(page).getByText('6 of 6 rows, 4 registered, 0 already there, 2 refused')).toBeVisible()
  await expect(rowOf(drawer(page), 'E2E-SHEET-3')).toContainText('Registered')
  await drawer(page).getByText('Refused: 2', { exact: true }).click()
  await expect.poll(() => columnOf(drawer(page), 'Row')).toEqual(['5', '6'])
  await expect(rowOf(drawer(page), 'E2E-NEVER-SEEN')).toContainText('Refused')
  await expectAccessible(page, { within: '.form-drawer' })
  const all = await saved(page, drawer(page).getByRole('button', { name: 'Download result' }).first())
  expect(all.map((row) => [row['SN'], row['Result'], row['Result code']])).toEqual([
    ...sns.map((sn) => [sn, 'Registered', 1]),
    ['E2E-NEVER-SEEN', 'Refused', 40020],
    ['E2E-SHEET-1', 'Refused', 42054],
    ['E2E-SHEET-4', 'Registered', 1],
  ])
  const failed = await saved(page, drawer(page).getByRole('button', { name: 'Failed rows only' }).first())
  expect(failed.map((row) => row['Row'])).toEqual([5, 6])
  await drawer(page).getByRole('button', { name: 'Back' }).click()

  await choose(page, 'not-a-sheet.xlsx', [['SN', 'Alias']])
  await expect(
    drawer(page).getByText('The spreadsheet has no column for: Work order, Verification code.'),
  ).toBeVisible()
  complaints.forgive(/422.*preview_batch/)
  await drawer(page).getByRole('button', { name: 'Show rows' }).first().click()
  await drawer(page).getByRole('link', { name: 'Show these 4 devices' }).click()
  await expect(page).toHaveURL(/device-list\?terminal_batch_kid=[\w-]{36}$/)
  await expect(drawer(page)).toHaveCount(0)
  await expect(page.getByRole('row', { name: /E2E-SHEET-/ })).toHaveCount(4)
  await expect(page.getByRole('button', { name: /^Spreadsheet: .+ by / })).toBeVisible()
  await expect(rowOf(page, 'E2E-SHEET-3')).toContainText('Gate 1')
  await page.goto('/device-list?text=E2E-SHEET')
  await expect(page.getByRole('row', { name: /E2E-SHEET-/ })).toHaveCount(4)

  // One of them is broken for good.
  await rowOf(page, 'E2E-SHEET-3').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Scrap device' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('DELETE')
  await dialog.getByRole('button', { name: 'Scrap device' }).click()
  await expect(page.getByText('Device scrapped')).toBeVisible()
  await expect(page.getByRole('row', { name: /E2E-SHEET-/ })).toHaveCount(3)

  const ops = await open('operator')
  await ops.goto('/search-list?view=scrapped&text=E2E-SHEET')
  await expect(rowOf(ops, 'E2E-SHEET-3')).toContainText('Blue Lantern Shops')
  await ops.getByRole('button', { name: 'Undo scrapping of E2E-SHEET-3' }).click()
  await ops.getByRole('dialog').getByRole('button', { name: 'Undo for 1 device' }).click()
  await expect(ops.getByText('1 SN can be registered again')).toBeVisible()
  await expect(rowOf(ops, 'E2E-SHEET-3')).toHaveCount(0)
})

for (const width of [1024, 1440])
  test(`a sheet of long values stays readable, and Register in reach: ${width} px wide`, async ({ open }) => {
    const page = await open('lantern')
    await page.setViewportSize({ width, height: 720 })
    await page.goto('/device-list')
    await page.getByRole('button', { name: 'Register from a spreadsheet' }).click()
    const titles = ['SN', 'Work order', 'Verification code', 'Alias', 'Group']
    const long = (n: number) => [
      `LONG-${n}-`.padEnd(36, '0'),
      'W'.repeat(60),
      'AAAAAA',
      'A long alias without any end '.repeat(9),
    ]
    const rows = Array.from({ length: 60 }, (_, n) => long(n))
    await choose(page, 'long.xlsx', [titles, ...rows])
    const register = drawer(page).getByRole('button', { name: /^Register/ })
    await expect(drawer(page).getByText(/rows have problems/)).toBeVisible()
    const heads = await drawer(page).getByRole('columnheader').allInnerTexts()
    expect(heads.map((head) => head.trim()).slice(0, 2)).toEqual(['Row', 'Problem'])
    await expect(register).toBeInViewport({ ratio: 1 })
    const beyond = await drawer(page).evaluate((it) =>
      [it, ...it.querySelectorAll('*')].some(
        (part) => part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX),
      ),
    )
    expect(beyond).toBe(false)
  })

test('an operator registers the devices that wait for a customer, from the sheet of this week', async ({
  open,
  complaints,
}) => {
  await announce('E2E-WEEK-1')
  const page = await open('operator')
  await page.goto('/external-user-manage-list')
  await page
    .getByRole('button', { name: /Cedar Clinics/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Register devices from a spreadsheet' }).click()
  await drawer(page).getByRole('button', { name: 'Announced devices' }).click()
  const asked = page.getByRole('dialog', { name: 'Spreadsheet of announced devices' })
  await asked.getByLabel('Work order').fill('WO-E2E')
  await asked.getByLabel('SNs').fill('E2E-WEEK-1')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    asked.getByRole('button', { name: 'Download spreadsheet' }).click(),
  ])
  const rows = (await readXlsx(await readFile(await download.path()))).sheets[0]!.rows as Cells[]
  expect(String(rows[0]![0])).toMatch(/^MDM-WEEK \d{4}-W\d\d$/)
  await choose(page, 'old.xlsx', [['MDM-WEEK 2020-W01'], ...rows.slice(1)])
  await expect(drawer(page).getByText(/valid in week 2020-W01 only/)).toBeVisible()
  complaints.forgive(/422.*preview_batch/)
  await choose(
    page,
    'week.xlsx',
    rows.filter((row, at) => at < 2 || row[0] === 'E2E-WEEK-1'),
  )
  await chooseOption(page, drawer(page).getByLabel('Group'), 'Ward 1')
  await drawer(page).getByRole('button', { name: 'Register 1 device' }).click()
  await expect(drawer(page).getByText('1 of 1 rows, 1 registered, 0 already there, 0 refused')).toBeVisible()
  const { items } = await signedIn('cedar').terminal.paging({ text: 'E2E-WEEK-1' })
  expect(items.map(({ sn, terminal_group_name }) => [sn, terminal_group_name])).toEqual([['E2E-WEEK-1', 'Ward 1']])
})

test('an operator makes a policy, puts produced devices on it and sees what they have', async ({ open }) => {
  const page = await open('operator')
  await page.goto('/policy-list')
  await page.getByRole('button', { name: 'Create policy' }).first().click()
  await drawer(page).getByLabel('Name').fill('E2E gold')
  await drawer(page).getByLabel('Lasts').fill('30')
  await drawer(page).getByRole('button', { name: 'Create policy' }).click()
  await expect(rowOf(page, 'E2E gold')).toContainText('30 days')

  await page.getByRole('button', { name: 'Import devices: E2E gold' }).click()
  await drawer(page).getByText('MES (production)').click()
  await choose(page, 'mes.xlsx', [
    ['SN', 'Work order', 'Production date'],
    ['E2E-MES-1', 'WO-5', '2020-01-31'],
    ['E2E-MES-2', 'WO-5', '2020/1/32'],
  ])
  await expect(rowOf(drawer(page), 'Production date is no date')).toHaveCount(1)
  await drawer(page).getByRole('button', { name: 'Import 1 device' }).click()
  await expect(drawer(page).getByText('2 of 2 rows, 1 imported, 0 already there, 1 refused')).toBeVisible()
  const result = await saved(page, drawer(page).getByRole('button', { name: 'Download result' }).first())
  expect(result.map((row) => [row['SN'], row['Result code']])).toEqual([
    ['E2E-MES-1', 1],
    ['E2E-MES-2', 42059],
  ])
  await page.keyboard.press('Escape')
  await rowOf(page, 'E2E gold').getByRole('link').click()
  await expect(rowOf(page, 'E2E-MES-1')).toContainText('Ended')
  await expect(rowOf(page, 'E2E-MES-1')).toContainText('Not registered')
})

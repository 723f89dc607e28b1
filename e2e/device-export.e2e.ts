import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { readXlsx } from 'hucre/xlsx'
import { columnOf, fieldsOf, tableRows } from './pages.ts'
import { expect, test } from './test.ts'

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Export devices' })

/** Begins what the drawer says, and saves it when it is done. */
async function exported(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const files = drawer(page).getByRole('region', { name: 'Exports' })
  // How many there are is known once it says so.
  await expect(files.getByText(/days/)).toBeVisible()
  const before = await files.getByRole('listitem').count()
  await drawer(page)
    .getByRole('button', { name: /^Export (\d+ )?devices?$/ })
    .click()
  await expect(files.getByRole('listitem')).toHaveCount(before + 1)
  const newest = files.getByRole('listitem').first()
  await expect(newest.getByText('Done', { exact: true })).toBeVisible()
  await expect(newest).toContainText(/kept for \d+d more/)
  const downloading = page.waitForEvent('download')
  await newest.getByRole('button', { name: /^Download/ }).click()
  const download = await downloading
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

test('devices as a file: what is found, in its order, in the chosen columns, and only what is selected', async ({
  open,
}) => {
  const page = await open('sunrise')
  await page.goto('/device-list?sort=sn&order=desc&page_size=5')
  await page.getByRole('searchbox', { name: 'SN, alias or IMEI' }).fill('handheld 1')
  await expect(page).toHaveURL(/text=handheld\+1/)
  await page.getByRole('button', { name: 'Online', exact: true }).click()
  await expect
    .poll(async () => new Set((await columnOf(page, 'Alias')).map((name) => name?.slice(0, 10))))
    .toEqual(new Set(['Handheld 1']))
  const shown = await tableRows(page)

  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(drawer(page).getByRole('radio', { name: /^What is found now/ })).toBeChecked()
  await drawer(page).getByRole('checkbox', { name: 'Registered' }).uncheck()
  await drawer(page).getByRole('checkbox', { name: 'IMEI' }).check()
  await drawer(page).getByRole('checkbox', { name: 'Upload rules' }).check()
  await drawer(page).getByRole('button', { name: 'Move Alias down' }).click()
  const csv = await exported(page)
  expect(csv.name).toMatch(/^Devices handheld 1, Online \d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.csv$/)
  const [head = '', ...lines] = csv.bytes
    .toString()
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/)
  const heads = fieldsOf(head)
  const rows = lines.map((line) => Object.fromEntries(fieldsOf(line).map((value, at) => [heads[at], value])))
  expect(heads.slice(0, 3)).toEqual(['SN', 'State', 'Alias'])
  expect(heads).toContain('IMEI')
  expect(heads).not.toContain('Registered')
  expect(heads).not.toContain('Actions')
  expect(rows.length).toBeGreaterThan(5)
  const sns = rows.map((row) => row['SN'] ?? '')
  expect(sns).toEqual(sns.toSorted().toReversed())
  expect(sns.slice(0, 5)).toEqual(shown.map((row) => row['SN']))
  for (const row of rows) expect(row).toMatchObject({ State: 'Online', Alias: expect.stringMatching(/^Handheld 1/) })
  expect(rows[0]!['Upload rules']).toMatch(/^Battery \(%\): \d+; Wi-Fi signal \(dBm\): .*; Network use: Yes; From: /)
  await page.keyboard.press('Escape')

  const picked = shown.slice(1, 3).map((row) => row['SN'])
  for (const at of [1, 2])
    await page
      .getByRole('checkbox', { name: /^Select Handheld/ })
      .nth(at)
      .check()
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(drawer(page).getByRole('radio', { name: 'The 2 selected devices' })).toBeChecked()
  await drawer(page).getByRole('radio', { name: 'Excel (XLSX)' }).check()
  const xlsx = await exported(page)
  expect(xlsx.name).toMatch(/\.xlsx$/)
  const [sheet] = (await readXlsx(xlsx.bytes)).sheets
  expect(sheet!.rows.map(([sn]) => sn)).toEqual(['SN', ...picked])
})

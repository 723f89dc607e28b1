import { readFile } from 'node:fs/promises'
import { addFilter, columnOf, tableRows } from './pages.ts'
import { expect, test } from './test.ts'

/** Lines of a CSV file whose fields may be quoted. */
const fieldsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  )

test('a list as a file holds what is found on every page, in its order, with the columns that are shown', async ({
  open,
}) => {
  const page = await open('sunrise')
  await page.goto('/device-list?sort=sn&order=desc&page_size=5')
  await page.getByRole('searchbox', { name: 'SN, alias or IMEI' }).fill('handheld 1')
  await expect(page).toHaveURL(/text=handheld\+1/)
  await addFilter(page, 'State', 'Online')
  await expect.poll(() => columnOf(page, 'SN')).toHaveLength(5)
  await expect
    .poll(async () => new Set((await columnOf(page, 'Alias')).map((name) => name?.slice(0, 10))))
    .toEqual(new Set(['Handheld 1']))
  const shown = await tableRows(page)
  await page.getByRole('button', { name: 'Export' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^Devices \d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  const [head = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/)
  const heads = fieldsOf(head)
  const rows = lines.map((line) => Object.fromEntries(fieldsOf(line).map((value, at) => [heads[at], value])))
  expect(heads).toEqual(expect.arrayContaining(['SN', 'Alias', 'Model', 'Group']))
  expect(heads).not.toContain('Actions')

  const found = page.getByRole('navigation', { name: 'Pages of the list' })
  expect(rows.length).toBeGreaterThan(5)
  await expect(found).toContainText(`of ${rows.length}`)
  const sns = rows.map((row) => row['SN'] ?? '')
  expect(sns).toEqual(sns.toSorted().toReversed())
  expect(sns.slice(0, 5)).toEqual(shown.map((row) => row['SN']))
  expect(rows.slice(0, 5).map((row) => row['Alias'])).toEqual(shown.map((row) => row['Alias']))
  for (const row of rows) expect(row['Alias']).toMatch(/^Handheld 1/)
})

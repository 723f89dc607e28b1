import { readFile } from 'node:fs/promises'
import { columnOf, fieldsOf } from './pages.ts'
import { expect, test } from './test.ts'

test('a list as a file holds what is found on every page, in its order, with the columns that are shown', async ({
  open,
}) => {
  const page = await open('sunrise')
  await page.goto('/operation-log-list?sort=created_at&order=asc&page_size=5&result=success')
  await expect.poll(() => columnOf(page, 'Action')).toHaveLength(5)
  const shown = await columnOf(page, 'Action')
  await page.getByRole('button', { name: 'Export' }).click()
  const saved = async (format: string) => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: format }).click()
    return downloading
  }
  const download = await saved('CSV')
  expect(download.suggestedFilename()).toMatch(/^Operation log (?:.+ )?\d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  const [head = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r\n/)
  const heads = fieldsOf(head)
  expect(heads).toEqual(expect.arrayContaining(['Time', 'Module', 'Action', 'Result']))
  const rows = lines.map((line) => Object.fromEntries(fieldsOf(line).map((value, at) => [heads[at], value])))
  expect(rows.length).toBeGreaterThan(5)
  expect(rows.slice(0, 5).map((row) => row['Action'])).toEqual(shown)
  expect(new Set(rows.map((row) => row['Result']))).toEqual(new Set(['Success']))
  const times = rows.map((row) => row['Time'] ?? '')
  expect(times).toEqual(times.toSorted())
  await page.getByRole('button', { name: 'Export' }).click()
  const printed = await saved('PDF')
  expect(printed.suggestedFilename()).toMatch(/^Operation log .*\.pdf$/)
  expect((await readFile(await printed.path())).subarray(0, 5).toString()).toBe('%PDF-')
})

import type { Page } from '@playwright/test'
import { addFilter, choose, columnOf, tableRows } from './pages.ts'
import { expect, test } from './test.ts'

test('devices are found by conditions, tags and fields, kept as a view and as a dynamic group', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/device-list')
  await expect(page.getByRole('table').first()).toBeVisible()

  // A field of the account.
  await page.getByRole('button', { name: 'Device fields' }).click()
  const admin = page.getByRole('dialog', { name: 'Device fields' })
  await admin.getByRole('button', { name: 'Add field' }).click()
  const form = page.getByRole('dialog', { name: 'Add device field' })
  await form.getByLabel('Name').fill('Shelf')
  await choose(page, form.getByLabel('Kind'), 'Number')
  await form.getByRole('button', { name: 'Add field' }).click()
  await expect(admin.getByText('Shelf')).toBeVisible()
  await admin.getByRole('button', { name: 'Close' }).click()

  // Tags and the field, of two devices at once.
  const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
  await boxes.nth(0).check()
  await boxes.nth(1).check()
  await page.getByRole('button', { name: 'Tags and fields' }).click()
  const bulk = page.getByRole('dialog', { name: /Tags and fields of 2 devices/ })
  await bulk.getByRole('button', { name: 'Change 2 devices' }).click()
  await expect(bulk.getByText('Choose what to change.')).toBeVisible()
  await bulk.getByLabel('Add tags').fill('night shift')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await bulk.getByText('Set to').click()
  await bulk.getByRole('spinbutton').fill('7')
  await bulk.getByRole('button', { name: 'Change 2 devices' }).click()
  await expect(bulk).toBeHidden()

  // A range needs both bounds in their order.
  await addFilterRange(page, 'Battery')
  const popover = page.locator('.filter-range')
  await popover.getByLabel('From').fill('90')
  await popover.getByLabel('To').fill('10')
  await popover.getByRole('button', { name: 'Filter' }).click()
  await expect(popover.getByRole('alert')).toContainText('lower bound')
  await popover.getByLabel('From').fill('0')
  await popover.getByLabel('To').fill('100')
  await popover.getByRole('button', { name: 'Filter' }).click()
  await expect(page.getByRole('button', { name: 'Battery: 0 – 100 %' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove the filter Battery' }).click()

  await addFilter(page, 'Tag', 'night shift')
  await expect.poll(async () => (await columnOf(page, 'SN')).length).toBe(2)
  await page.getByRole('button', { name: 'Remove the filter Tag' }).click()

  // Conditions: the field of the account or a tag.
  await addFilterRange(page, 'Conditions')
  const build = page.getByRole('dialog', { name: 'Filter by conditions' })
  await choose(page, build.getByLabel('What it is about'), 'Tags')
  await build.getByRole('button', { name: 'Show devices' }).click()
  await expect(build.getByText('Complete the conditions')).toBeVisible()
  await choose(page, build.getByLabel('Value'), 'night shift')
  await page.keyboard.press('Escape')
  await expect(build.getByText('Matches now: 2')).toBeVisible()
  await build.getByRole('button', { name: 'Add bracket' }).click()
  await build.getByRole('button', { name: 'Remove bracket' }).click()
  await build.getByRole('button', { name: 'Show devices' }).click()
  await expect(page.getByRole('button', { name: /Conditions: Tags have any of night shift/ })).toBeVisible()
  await expect.poll(async () => (await columnOf(page, 'SN')).length).toBe(2)
  await page.reload()
  await expect.poll(async () => (await columnOf(page, 'SN')).length).toBe(2)

  // AND and OR: the conditions are joined in the other way, and another is added.
  await page.getByRole('button', { name: /Conditions: Tags have any of night shift/ }).click()
  await build.getByRole('button', { name: 'Add condition' }).click()
  await choose(page, build.getByLabel('What it is about').last(), 'Online')
  await expect(build.getByText(/^Matches now: [12]$/)).toBeVisible()
  await build.getByText('Any of these').first().click()
  await expect(build.getByText(/^Matches now: ([3-9]|\d\d+)$/)).toBeVisible()
  await build.getByRole('button', { name: 'Remove condition' }).last().click()
  await expect(build.getByText('Matches now: 2')).toBeVisible()
  await build.getByRole('button', { name: 'Show devices' }).click()

  // The same under names: a view of the list, and a dynamic group beside the tree.
  await page.getByRole('button', { name: 'Saved views' }).click()
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('Night view')
  await page.getByRole('button', { name: 'Save this view' }).click()
  await expect(page.getByRole('button', { name: 'Night view', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New dynamic group' }).click()
  const drawer = page.getByRole('dialog', { name: 'New dynamic group' })
  await drawer.getByLabel('Name').fill('Night')
  await drawer.getByRole('button', { name: 'Create dynamic group' }).click()
  await expect(drawer).toBeHidden()
  await page.getByRole('button', { name: /Remove the filter Conditions/ }).click()
  await page.getByRole('button', { name: /^Night\s*2$/ }).click()
  await expect(page).toHaveURL(/terminal_dynamic_group_kid=/)
  await expect.poll(async () => (await columnOf(page, 'SN')).length).toBe(2)
  await page.getByRole('button', { name: 'Remove the filter Dynamic group' }).click()
  await page.getByRole('button', { name: 'Saved views' }).click()
  await page.getByRole('button', { name: 'Night view', exact: true }).click()
  await expect.poll(async () => (await columnOf(page, 'SN')).length).toBe(2)

  // Everything that matches, without naming one.
  await boxes.nth(0).check()
  await page.getByRole('button', { name: 'Select all 2 that match' }).click()
  await page.getByRole('button', { name: 'Tags and fields' }).click()
  const all = page.getByRole('dialog', { name: /Tags and fields of 2 devices/ })
  await all.getByLabel('Add tags').fill('dock')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await all.getByRole('button', { name: 'Change 2 devices' }).click()
  await expect(all).toBeHidden()

  // What no device has, says so.
  await addFilter(page, 'Fence', 'Outside the fence')
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.getByRole('button', { name: 'Remove the filter Fence' }).click()

  // On the device itself.
  await page.getByRole('row').nth(1).getByRole('link').first().click()
  await expect(page.locator('.tag', { hasText: 'night shift' })).toBeVisible()
  await expect(page.locator('.tag', { hasText: 'dock' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit tags' }).click()
  await page.getByLabel('Tags').last().fill('spare')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('.tag', { hasText: 'spare' })).toBeVisible()
})

test('a filter takes several values, a pasted column of SNs, and says which of them nobody has', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/device-list?page_size=50&sort=sn')
  const rows = await tableRows(page)
  const models = [...new Set(rows.map((row) => row['Model']!))].slice(0, 2)
  await addFilter(page, 'Model', models[0]!)
  // The choice stays open for the next one.
  await page.getByRole('menuitemcheckbox', { name: models[1]!, exact: true }).click()
  await expect(page.getByRole('menuitemcheckbox', { name: models[1]! })).toHaveAttribute('aria-checked', 'true')
  await page.keyboard.press('Escape')
  const of_models = rows.filter((row) => models.includes(row['Model']!)).map((row) => row['SN'])
  await expect.poll(() => columnOf(page, 'SN')).toEqual(of_models)
  await page.reload()
  await expect.poll(() => columnOf(page, 'SN')).toEqual(of_models)
  await page.getByRole('button', { name: 'Remove the filter Model' }).click()

  await addFilterRange(page, 'SN list')
  const field = page.getByRole('textbox', { name: 'SN list' })
  await expect(field).toBeFocused()
  const wanted = rows.slice(2, 5).map((row) => row['SN']!)
  await field.fill(Array.from({ length: 201 }, (_, at) => `SN-${at}`).join('\n'))
  await expect(page.getByRole('alert').filter({ hasText: 'At most 200' })).toBeVisible()
  await field.fill(`${wanted.join('\r\n').toLowerCase()}\r\nNOBODY-HAS-IT\r\n`)
  await page.locator('.filter-pasted').getByRole('button', { name: 'Filter' }).click()
  await expect.poll(() => columnOf(page, 'SN')).toEqual(wanted)
  await page.getByRole('button', { name: 'SN list: 4, 1 not found' }).click()
  await expect(page.getByText('Not found: NOBODY-HAS-IT')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove the filter SN list' }).click()

  const online = page.getByRole('button', { name: 'Online', exact: true })
  await online.click()
  await expect(page).toHaveURL(/is_online=true/)
  await expect(online).toHaveAttribute('aria-pressed', 'true')
  const offline = page.getByRole('button', { name: 'Offline', exact: true })
  await offline.click()
  await expect(page).toHaveURL(/is_online=false/)
  await expect(offline).toHaveAttribute('aria-pressed', 'true')
  await offline.click()
  await expect(page).not.toHaveURL(/is_online/)
})

test('conditions stand one per row, and only what is missing is marked', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/device-list')
  await addFilterRange(page, 'Conditions')
  const build = page.getByRole('dialog', { name: 'Filter by conditions' })
  for (let at = 0; at < 2; at++) await build.getByRole('button', { name: 'Add condition' }).click()
  await choose(page, build.getByLabel('What it is about').nth(1), 'SN')
  await choose(page, build.getByLabel('What it is about').nth(2), 'Battery')
  await build.getByRole('textbox', { name: 'Value' }).fill('SIM-1')
  await build.getByRole('button', { name: 'Show devices' }).click()
  // The model has no value, the range no bounds; the SN is complete.
  await expect(build.getByText('Choose or type a value.')).toHaveCount(2)
  const marked = build.locator('.ant-select-status-error, .ant-input-status-error, .ant-input-number-status-error')
  await expect(marked).toHaveCount(3)
  const rows = await build.locator('.where-condition').all()
  expect(rows).toHaveLength(3)
  for (const row of rows) {
    const parts = [
      row.getByLabel('What it is about'),
      row.getByLabel('How it is compared'),
      row.getByRole('button', { name: 'Remove condition' }),
    ]
    const tops = await Promise.all(parts.map(async (part) => (await part.boundingBox())!.y))
    expect(Math.max(...tops) - Math.min(...tops), 'one row').toBeLessThan(12)
  }
  await build.getByRole('spinbutton', { name: 'At least' }).fill('10')
  await build.getByRole('spinbutton', { name: 'At most' }).fill('90')
  await page.keyboard.press('Tab')
  await expect(build.getByText('Choose or type a value.')).toHaveCount(0)
})

async function addFilterRange(page: Page, name: string): Promise<void> {
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /Filter$/ })
    .click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

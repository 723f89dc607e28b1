import { signedIn } from './calls.ts'
import { saveChanges } from './pages.ts'
import { expect, test } from './test.ts'

/** A simulated device of this customer that is connected and stays so. */
async function onlineDevice() {
  const { items } = await signedIn('lantern').terminal.paging({ is_online: true, page_size: 50, sort: 'sn' })
  return items[0]!
}

test('a device is configured from its own page, confirms it live, and goes back to what it inherits', async ({
  open,
}) => {
  const device = await onlineDevice()
  const page = await open('lantern')
  await page.goto(`/device-detail/config?kid=${device.kid}`)
  const part = page.getByRole('region', { name: 'Collection' })
  await expect(part).toContainText('After a change of 5 %')
  const status = page.getByRole('status').filter({ hasText: 'On the device' })
  const confirmed = async () => Number(/Applied\s*Version (\d+)/.exec(await status.innerText())?.[1] ?? 0)
  const before = Number(/Version (\d+)/.exec(await status.innerText())?.[1] ?? 0)
  await part.getByRole('button', { name: 'Edit: Collection' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Battery: value').fill('120')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(form.locator('.ant-form-item-explain-error')).toBeVisible()
  await form.getByLabel('Battery: value').fill('12')
  await form.getByRole('switch', { name: 'Location' }).click()
  await form.getByRole('button', { name: 'Add to changes' }).click()
  const urls = page.getByRole('region', { name: 'URL lists' })
  await urls.getByRole('button', { name: 'Edit: URL lists' }).click()
  await form.getByLabel('Whitelist').fill('intranet.example.com, not a url')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(form).toContainText('Not a URL: not a url')
  await form.getByLabel('Whitelist').fill('intranet.example.com, *.example.org')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await saveChanges(page, 2)
  await expect(part).toContainText('After a change of 12 %')
  await expect(urls.getByRole('listitem')).toHaveText(['intranet.example.com', '*.example.org'])
  // The device itself says so; nobody reloads the page.
  await expect.poll(confirmed).toBeGreaterThan(before)

  await part.getByRole('button', { name: 'Reset: Collection' }).click()
  await saveChanges(page, 1, 'This changes 1 device')
  await expect(part).toContainText('After a change of 5 %')
})

test('the days of a device open into its connections, and its network use has a table beside', async ({ open }) => {
  const device = await onlineDevice()
  // A device says what it used some seconds after it connected; the page asks for it every few minutes.
  const usage_of = { terminal_kid: device.kid, days: 7, zone: 'Asia/Ho_Chi_Minh' } as const
  const used = async () => (await signedIn('lantern').terminalTelemetry.list_usage(usage_of)).items
  await expect.poll(used).not.toEqual([])
  const page = await open('lantern', { theme: 'dark' })
  await page.goto(`/device-detail/run?kid=${device.kid}`)
  const online = page.getByRole('region', { name: 'Online' })
  await expect(online.getByRole('listitem')).toHaveCount(7)
  const today = online.getByRole('listitem').first().getByRole('button')
  await expect(today).toHaveAccessibleName(/online .*connection/)
  await today.focus()
  await page.keyboard.press('Enter')
  await expect(online.getByRole('table')).toContainText('Still connected')
  const usage = page.getByRole('region', { name: 'Network use' })
  await expect(usage.getByRole('table')).toContainText('App')
  await usage.getByText('By day', { exact: true }).click()
  await expect(usage.getByRole('table')).toContainText('Day')
})

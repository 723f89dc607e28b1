import { signedIn } from './calls.ts'
import { expect, test } from './test.ts'

test('a group is configured from its page, with what would change first, its versions and a way back', async ({
  open,
}) => {
  const calls = signedIn('lantern')
  const { kid, name } = await calls.terminalGroup.insert({ name: 'Configured docks', parent_kid: 'ROOT' })
  const device = (await calls.terminal.paging({ page_size: 1, sort: 'sn' })).items[0]!
  await calls.terminal.move_group_batch({ terminal_kids: [device.kid], terminal_group_kid: kid })
  const page = await open('lantern')
  await page.goto(`/configure-level?kid=${kid}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name)

  // A section with rows and a secret.
  const wifi = page.getByRole('region', { name: 'Wi-Fi networks' })
  await wifi.getByRole('button', { name: 'Edit: Wi-Fi networks' }).click()
  const form = page.getByRole('dialog').filter({ hasText: 'Wi-Fi networks' })
  await form.getByRole('button', { name: 'Add: Networks' }).click()
  await form.getByLabel('Name (SSID)').fill('Dock')
  await form.getByRole('button', { name: 'Save configuration' }).click()
  await expect(form.locator('.ant-form-item-explain-error').first()).toBeVisible()
  await form.getByLabel('Password').fill('a-long-secret')
  await form.getByRole('button', { name: 'Save configuration' }).click()
  const question = page.getByRole('dialog').filter({ hasText: 'This changes 1 device' })
  await expect(question).toContainText(device.sn)
  await question.getByRole('button', { name: 'Save configuration' }).click()
  await expect(wifi).toContainText('Set, not shown')
  await expect(wifi).not.toContainText('a-long-secret')

  await page.getByRole('link', { name: 'Versions' }).click()
  await expect(page.getByRole('cell', { name: 'Wi-Fi networks' })).toBeVisible()
  await page.getByRole('button', { name: 'Show: Version 1' }).click()
  await expect(page.getByRole('dialog')).toContainText('Dock')
})

test('a configuration file is added and is there to be pushed', async ({ open }) => {
  const page = await open('lantern')
  await page.goto('/configure-file-push-add')
  await page.locator('input[type=file]').setInputFiles({
    name: 'dock-settings.xml',
    mimeType: 'application/xml',
    buffer: Buffer.from('<settings/>'),
  })
  await expect(page.getByLabel('Name')).toHaveValue('dock-settings.xml')
  await page.getByRole('button', { name: 'Add configuration file' }).click()
  await page.getByRole('link', { name: 'Push dock-settings.xml' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Push configuration file')
  await expect(page.getByText('dock-settings.xml →')).toBeVisible()
})

import { expectAccessible } from './accessible.ts'
import { expect, test } from './test.ts'

test('a list is sent by mail as it is filtered; where the server sends no mail, the form says so and keeps what was typed', async ({
  open,
  complaints,
}) => {
  const page = await open('sunrise')
  await page.goto('/operation-log-list?result=success')
  await page.getByRole('button', { name: 'Send by mail…' }).click()
  const drawer = page.getByRole('dialog', { name: 'Send Operation log by mail' })
  await expect(drawer.getByLabel('Name of the report')).toHaveValue(/^Operation log: /)
  await expect(drawer.getByRole('switch', { name: 'Only what is new' })).toBeChecked()
  await expect(drawer.getByRole('combobox', { name: 'Weekday' })).toHaveCount(0)
  await drawer.getByRole('combobox', { name: 'How often' }).click()
  await page.getByTitle('Every week').click()
  await expect(drawer.getByRole('combobox', { name: 'Weekday' })).toBeVisible()
  complaints.forgive(/the server responded with a status of 409 /)
  await drawer.getByRole('button', { name: 'Schedule report' }).click()
  await expect(drawer.getByText('This server sends no mail.')).toBeVisible()
  await expect(drawer.getByLabel('Name of the report')).toHaveValue(/^Operation log: /)
  await drawer.getByRole('button', { name: 'Cancel' }).click()

  await page.goto('/account/index?part=reports')
  await expect(page.getByText('You have no scheduled reports.')).toBeVisible()
  await expectAccessible(page)
})

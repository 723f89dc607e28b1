import { signedIn } from './calls.ts'
import { expect, test } from './test.ts'
import { text } from './text.ts'

test('a rule is made, looked at before, and its alert is seen, looked after and resolved', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/alert-rule-list')
  await expect(page.getByRole('heading', { name: 'Alert rules', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Add rule' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Add rule' })
  await drawer.getByLabel('Name', { exact: true }).fill('Walk: systems behind')
  await drawer.getByLabel('What it watches').click()
  await page.getByTitle('OS version behind').click()
  await drawer.getByLabel('Below version').fill('99')
  await drawer.getByLabel('Fires after (minutes)').fill('0')
  await drawer.getByLabel('Resolved after (minutes)').fill('0')
  await drawer.getByRole('switch', { name: text('alert:form.noncompliant') }).click()
  await drawer.getByRole('button', { name: 'Which devices would it fire for now?' }).click()
  await expect(drawer.getByText(/^It would fire for \d+ devices now/)).toBeVisible()
  await drawer.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByText('The rule has been created. It is being judged.')).toBeVisible()

  // The bell says so without a reload, and leads to it.
  const bell = page.getByRole('banner').getByRole('button', { name: /^Alerts: 1 open/ })
  await expect(bell).toBeVisible({ timeout: 40_000 })
  await bell.click()
  await page.getByRole('link', { name: 'Walk: systems behind' }).click()
  await expect(page).toHaveURL(/alert-list\?alert=/)
  const devices = page.getByRole('dialog', { name: 'Alert: Walk: systems behind' })
  await expect(devices.getByRole('row').nth(1)).toBeVisible()
  // A link of a mail shows it too where the list does not have it.
  const kid = new URL(page.url()).searchParams.get('alert')
  await page.goto(`/alert-list?text=nothing%20like%20this&alert=${kid}`)
  await devices.getByRole('button', { name: 'Acknowledge' }).click()
  await expect(devices.getByText('Acknowledged', { exact: true })).toBeVisible()
  await devices.getByRole('button', { name: 'Close' }).click()
  await page.goto('/alert-list')
  const row = page.getByRole('row', { name: /Walk: systems behind/ })
  await expect(row).toContainText('Acknowledged')
  const choose = async (name: string) => {
    await row.getByRole('button', { name: /actions/i }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Silence for a day')
  await expect(row).toContainText('silenced')
  await choose('End the silence')
  await expect(row).not.toContainText('silenced')

  // Its devices are not compliant meanwhile: a figure, a filter of the list, and what a device itself says.
  await page.goto('/home')
  await page.locator('.fleet-line > div', { hasText: 'Not compliant' }).getByRole('link').click()
  await expect(page).toHaveURL(/is_compliant=false/)
  await page.getByRole('row').nth(1).getByRole('link').first().click()
  const wrong = page.getByRole('region', { name: 'Alerts of this device' })
  await expect(wrong).toContainText('Not compliant')
  await expect(wrong.getByRole('link', { name: 'Walk: systems behind' })).toBeVisible()

  await page.goto('/alert-rule-list')
  const rule = page.getByRole('row', { name: /Walk: systems behind/ })
  await rule.getByRole('button', { name: /actions/i }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: /^Delete the rule/ })
    .getByRole('button', { name: 'Delete rule' })
    .click()
  await expect(page.getByText('The rule Walk: systems behind has been deleted')).toBeVisible()
  await page.goto('/alert-list')
  await expect(row).toContainText('Resolved')
})

test('alerts are assigned, noted and resolved together, and what was left is named', async ({ open }) => {
  const call = signedIn('sunrise')
  const names = ['Team: one', 'Team: two', 'Team: three']
  const watch = { kind: 'os_behind' as const, params: { version: '99' } }
  for (const name of names) await call.alertRule.insert({ name, watch, calm_minutes: 0 })
  const unresolved = async () => (await call.alert.paging({ text: 'Team: ', states: ['open', 'acknowledged'] })).items
  await expect.poll(async () => (await unresolved()).length, { timeout: 40_000 }).toBe(3)

  // Home says so, and leads to those that are not resolved.
  const page = await open('sunrise')
  await page.goto('/home')
  const block = page.getByRole('region', { name: text('home:alerts') })
  await expect(block).toContainText(text('home:alerts_nobody'))
  await block.getByRole('link', { name: text('home:see_all') }).click()
  await expect(page.getByRole('button', { name: text('alert:preset.unresolved') })).toHaveAttribute(
    'aria-pressed',
    'true',
  )

  // One is in other hands meanwhile: it is left, and named.
  await page.goto('/alert-list?text=Team')
  for (const name of names)
    await page
      .getByRole('row', { name: new RegExp(name) })
      .getByRole('checkbox')
      .check()
  const bar = page.getByRole('group', { name: text('common:list.selection') })
  await bar.getByRole('button', { name: 'Assign' }).click()
  const assigning = page.getByRole('dialog', { name: 'Assign 3 alerts' })
  const [first] = (await call.alert.list_assignee({ text: 'sunrise' })).filter(({ username }) => username === 'sunrise')
  const taken = (await unresolved()).find(({ name }) => name === 'Team: two')!
  await call.alert.resolve({ kid: taken.kid })
  await assigning.getByRole('combobox', { name: text('alert:column.assignee') }).click()
  await page.getByTitle(first!.name).first().click()
  await assigning.getByRole('button', { name: 'Assign 3 alerts' }).click()
  const outcome = page.getByRole('dialog', { name: '2 alerts assigned' })
  await expect(outcome.getByRole('listitem').filter({ hasText: 'Team: two' })).toContainText('already resolved')
  await outcome.getByRole('button', { name: 'Close' }).last().click()

  await page.getByRole('button', { name: text('alert:preset.mine') }).click()
  await expect(page.getByRole('row', { name: /Team: / })).toHaveCount(2)
  await page.getByRole('button', { name: 'Team: one', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Alert: Team: one' })
  await drawer.getByRole('button', { name: text('alert:note.edit') }).click()
  const note = page.getByRole('dialog', { name: 'Note on Team: one' })
  await note.getByLabel(text('alert:column.note')).fill('Update ordered for Monday')
  await note.getByRole('button', { name: text('alert:note.submit') }).click()
  await expect(drawer.getByText('Update ordered for Monday')).toBeVisible()
  const history = drawer.getByRole('region', { name: text('alert:history.title') })
  await expect(history.getByRole('listitem').first()).toContainText('changed the note')
  await expect(history.getByRole('listitem').last()).toContainText('Opened')
  await expect(drawer.getByRole('link', { name: 'Team: one' })).toHaveAttribute('href', /alert-rule-list\?text=Team/)
  await drawer.getByRole('button', { name: 'Close' }).click()
  for (const { kid } of (await call.alertRule.paging({ text: 'Team: ' })).items) await call.alertRule.delete({ kid })
})

test('a rule is about a dynamic group, and half a choice is not all devices', async ({ open }) => {
  const call = signedIn('sunrise')
  const where = { all: [{ field: 'name' as const, op: 'is' as const, value: 'Handheld 1' }] }
  const group = await call.terminalDynamicGroup.insert({ name: 'Walk: the first one', where })
  const page = await open('sunrise')
  await page.goto('/alert-rule-list')
  await page.getByRole('button', { name: 'Add rule' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Add rule' })
  await drawer.getByLabel('Name', { exact: true }).fill('Walk: one device')
  await drawer.getByLabel('What it watches').click()
  await page.getByTitle('OS version behind').click()
  await drawer.getByLabel('Below version').fill('99')
  await drawer.getByLabel('Devices', { exact: true }).click()
  await page.getByTitle('A dynamic group').click()
  await expect(drawer.getByRole('button', { name: 'Which devices would it fire for now?' })).toBeDisabled()
  await drawer.getByRole('button', { name: 'Add rule' }).click()
  await expect(drawer.getByText('Choose which devices.')).toBeVisible()
  await drawer.getByRole('radio', { name: /^Walk: the first one/ }).check()
  await drawer.getByRole('button', { name: 'Which devices would it fire for now?' }).click()
  await expect(drawer.getByText('It would fire for 1 device now.')).toBeVisible()
  await drawer.getByRole('button', { name: 'Add rule' }).click()
  const row = page.getByRole('row', { name: /Walk: one device/ })
  await expect(row).toContainText('Walk: the first one')

  // It is opened again as it was chosen, and says so when its group is gone.
  await row.getByRole('button', { name: /actions/i }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const editor = page.getByRole('dialog', { name: 'Edit Walk: one device' })
  await expect(editor.getByRole('radio', { name: /^Walk: the first one/ })).toBeChecked()
  await editor.getByRole('button', { name: 'Close' }).click()
  await call.terminalDynamicGroup.delete({ kid: group.kid })
  await page.reload()
  await expect(row).toContainText('A group that is gone: no devices')
})

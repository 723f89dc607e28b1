import { signedIn } from './calls.ts'
import { expect, test } from './test.ts'
import { expectAccessibleDayAndNight } from './accessible.ts'
import { choose, reviewPush, saveChanges } from './pages.ts'

test('a maintenance window is made, referred to by a push and a configuration, changed, and deleted last', async ({
  open,
  complaints,
}) => {
  complaints.forgive(/maintenance_window\/delete/)
  const calls = signedIn('lantern')
  const page = await open('lantern')
  await page.goto('/push-task-list?tab=windows')
  await page.getByRole('button', { name: 'New maintenance window' }).first().click()
  const form = page.getByRole('dialog', { name: 'New maintenance window' })
  await expect(form.getByLabel('Name')).toBeFocused()
  await form.getByLabel('Name').fill('Night shift')
  for (const day of ['Sat', 'Sun']) await form.getByRole('checkbox', { name: day }).uncheck()
  await form.getByRole('button', { name: 'New maintenance window' }).click()
  await expect(form).toBeHidden()
  const row = page.getByRole('row').filter({ hasText: 'Night shift' }).first()
  await expect(row).toContainText('Mon–Fri')
  await expect(row).toContainText('Nothing')
  const calendar = page.getByRole('region', { name: /^Calendar of maintenance windows/ })
  await expect(calendar.getByRole('listitem').filter({ hasText: 'Night shift' }).first()).toContainText('22:00–05:00')
  await expectAccessibleDayAndNight(page, { where: 'maintenance windows' })

  // A push is planned into it; whatever hours come with it, those of the window hold.
  const start_at = new Date(Date.now() + 26 * 3_600_000).toISOString()
  const [window] = await calls.maintenanceWindow.list({})
  const { kid: push_task_kid } = await calls.pushTask.insert({
    type: 'restart',
    payload: {},
    match: {},
    description: 'Nightly restart of the docks',
    conditions: { start_at, window: { kid: window!.kid, from: '00:00', to: '00:01' } },
  })
  await page.goto(`/push-task-detail?kid=${push_task_kid}`)
  await expect(page.getByRole('main')).toContainText('in the maintenance window Night shift (Mon–Fri 22:00–05:00)')
  await page.goto(`/push-task-edit?kid=${push_task_kid}`)
  await reviewPush(page)
  await expect(page.getByRole('group', { name: 'Time of day' })).toContainText('Night shift (Mon–Fri 22:00–05:00)')
  await page.goto('/push-task-list?tab=windows')
  await expect(calendar.getByRole('link', { name: /Nightly restart of the docks/ })).toBeVisible()

  // So is a configuration.
  const { kid } = await calls.terminalGroup.insert({ name: 'Docks with nights', parent_kid: 'ROOT' })
  await page.goto(`/configure-level?kid=${kid}`)
  const part = page.getByRole('region', { name: 'Update window', exact: true })
  await part.getByRole('button', { name: 'Edit: Update window' }).click()
  const section = page.getByRole('dialog').filter({ hasText: 'Update window: ' })
  await choose(page, section.getByRole('combobox', { name: 'Updates' }), 'In a maintenance window')
  await choose(page, section.getByRole('combobox', { name: 'Maintenance window' }), /^Night shift/)
  await section.getByRole('button', { name: 'Add to changes' }).click()
  await saveChanges(page, 1)
  await expect(part).toContainText('Night shift')
  await expect(part).toContainText('22:00')

  // Its hours change at both.
  await page.goto('/push-task-list?tab=windows')
  await expect(row).toContainText('1 push, 1 configuration')
  const chooseAction = async (name: string) => {
    await row.getByRole('button').last().click()
    await page.getByRole('menuitem', { name }).click()
  }
  await chooseAction('Edit')
  const edit = page.getByRole('dialog', { name: 'Edit Night shift' })
  await edit.getByLabel('From').fill('23:30')
  // Enter takes the time and saves, as in any field of a form.
  await page.keyboard.press('Enter')
  await expect(edit).toBeHidden()
  await expect(row).toContainText('23:30–05:00')
  await page.goto(`/push-task-detail?kid=${push_task_kid}`)
  await expect(page.getByRole('main')).toContainText('(Mon–Fri 23:30–05:00)')
  const { update_window } = await calls.terminalConfig.get({ ltscope: 30, terminal_group_kid: kid })
  expect(update_window!.value).toMatchObject({ mode: 'named', window_from: '23:30' })
  const log = await calls.operationLog.paging({ object_kid: window!.kid })
  expect(log.items[0]!.change).toBe(
    'Night shift: Night shift (Mon–Fri 22:00–05:00) → Night shift (Mon–Fri 23:30–05:00)',
  )

  // It is deleted once nothing refers to it.
  await page.goto('/push-task-list?tab=windows')
  const remove = async () => {
    await chooseAction('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete maintenance window' }).click()
  }
  await remove()
  await expect(page.getByRole('dialog')).toContainText('refer to it (2 in all)')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await calls.pushTask.cancel({ push_task_kid })
  await calls.terminalConfig.reset({ ltscope: 30, terminal_group_kid: kid, sections: ['update_window'] })
  await remove()
  await expect(page.getByText('No maintenance windows yet')).toBeVisible()
})

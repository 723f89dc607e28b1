import { enrol } from '@mdm/testbed/enrol.ts'
import { until } from '@mdm/testbed/until.ts'
import { expectAccessible } from './accessible.ts'
import { signedIn } from './calls.ts'
import { nextStep, pushSentence } from './pages.ts'
import { expect, test } from './test.ts'
import { text } from './text.ts'

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('a planned push is changed in the form in which it was made, moved, and started now; the log says how', async ({
  open,
  complaints,
}) => {
  complaints.forgive(/400.*push_task\/move/)
  const call = signedIn('lantern')
  const device = await enrol(call, { sn: 'E2E-PLANNED', body: {} })
  await using _ = { [Symbol.asyncDispose]: () => device.agent.stop() }
  const { kid } = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'Shift ends', text: 'Dock your handheld.' },
    terminal_kids: [device.kid],
    conditions: { start_at: inHours(24) },
  })
  const page = await open('lantern')
  await page.goto(`/push-task-detail?kid=${kid}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await expect(page.getByLabel('Title')).toHaveValue('Shift ends')
  await page.getByLabel('Title').fill('Shift ends at six')
  await nextStep(page)
  await expect(pushSentence(page)).toContainText('E2E-PLANNED')
  await expect(page.getByLabel(text('push-task/wizard:when.at'))).toBeChecked()
  await page.getByRole('button', { name: 'Save push to 1 device' }).click()
  await expect(
    page.getByRole('status').filter({ hasText: 'Planned: Sends the message “Shift ends at six”' }),
  ).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`/push-task-detail\\?kid=${kid}`))
  expect(await call.pushTask.get({ kid })).toMatchObject({ phase: 'planned', summary: 'Shift ends at six', version: 2 })

  await page
    .getByRole('button', { name: /^(More actions|Actions)/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Change the start' }).click()
  const drawer = page.getByRole('dialog')
  await expectAccessible(page)
  await drawer.getByRole('textbox', { name: 'Starts at' }).fill('2026/01/01 10:00')
  await page.keyboard.press('Tab')
  await drawer.getByRole('button', { name: 'Save start' }).click()
  await expect(drawer).toContainText('This time has passed.')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: text('common:unsaved.leave') }).click()

  await page.getByRole('button', { name: 'Start now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start now' }).click()
  await until('the message to be shown', async () => (await call.pushTask.get({ kid })).result === 'all_succeeded')
  await page.goto('/operation-log-list')
  const rows = page.getByRole('row')
  await expect(rows.filter({ hasText: 'what: Shift ends → Shift ends at six' })).toHaveCount(1)
  await expect(rows.filter({ hasText: /start: .* → at once/ })).toHaveCount(1)
})

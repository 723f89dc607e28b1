import type { Page } from '@playwright/test'
import { enrol } from '@mdm/testbed/enrol.ts'
import type { Device } from '@mdm/testbed/enrol.ts'
import { until } from '@mdm/testbed/until.ts'
import { signedIn } from './calls.ts'
import { expectAccessible } from './accessible.ts'
import { addFilter, chooseByKey, confirmPassword, openMenuByKey, rowOf, tabTo } from './pages.ts'
import { expect, test } from './test.ts'

const hour_ms = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * hour_ms).toISOString()
const text = 'Please dock your handheld.'

/** Devices of one test, in an account where no other counts its own. */
async function fleet(
  prefix: string,
  bodies: Record<string, Parameters<typeof enrol>[1]['body']>,
): Promise<{
  devices: Record<string, Device>
  [Symbol.asyncDispose]: () => Promise<void>
}> {
  const devices: Record<string, Device> = {}
  for (const [name, body] of Object.entries(bodies))
    devices[name] = await enrol(signedIn('lantern'), { sn: `${prefix}-${name}`, body: body ?? {} })
  return {
    devices,
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(Object.values(devices).map(({ agent }) => agent.stop()))),
  }
}

const kidsOf = (devices: Record<string, Device>, ...names: string[]) => names.map((name) => devices[name]!.kid)
const note = (page: Page) => page.locator('.detail-note')
/** Of the page: a drawer, on its way out too, has some as well. */
const properties = (page: Page) => page.locator('.detail-page > .properties')

test('why three devices failed is one click from home, and those three again is one more', async ({ open }) => {
  const refuses = { faults: { refuses: true } }
  await using made = await fleet('E2E-WHY', { first: refuses, second: refuses, third: refuses, fine: {} })
  const call = signedIn('lantern')
  const { kid } = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'Three refuse', text },
    terminal_kids: kidsOf(made.devices, 'first', 'second', 'third', 'fine'),
  })
  await until('three to fail', async () => (await call.pushTask.get({ kid })).counts.failed === 3, 60)
  const page = await open('lantern')
  await page.goto('/home')
  const failed = page.getByRole('region', { name: 'Recent failures' }).getByRole('listitem')
  await failed.filter({ hasText: 'Three refuse' }).getByRole('link').click()
  const why = page.getByRole('list', { name: 'Why devices failed' }).getByRole('listitem')
  await expect(why).toHaveText('3The device refused.ShowRetry these 3')
  const list = page.getByRole('region', { name: 'Devices' })
  await expect(rowOf(list, /E2E-WHY/)).toHaveCount(3)
  await why.getByRole('button', { name: 'Retry these 3' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Started again on 3 devices' })).toBeVisible()
})

test('a rollout: its steps fill up, it pauses at its threshold, goes on when told to, is paused by hand and canceled', async ({
  open,
}) => {
  await using made = await fleet('E2E-ROLL', {
    refuses: { faults: { refuses: true } },
    fine: {},
    slow: { faults: { slow_ms: 60_000 } },
    away: {},
  })
  const { devices } = made
  await devices['away']!.agent.stop()
  const call = signedIn('lantern')
  await until('it to be offline', async () => !(await call.terminal.get({ kid: devices['away']!.kid })).is_online, 60)
  const { kid } = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'Rollout of the walk', text },
    description: 'Shift change',
    terminal_kids: kidsOf(devices, 'refuses', 'fine', 'slow', 'away'),
    rollout: { picked_kids: kidsOf(devices, 'refuses', 'fine'), steps: [{ percent: 100 }], error_percent: 25 },
  })

  const page = await open('lantern')
  await page.goto(`/push-task-detail?kid=${kid}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Message: Rollout of the walk')
  await expect(note(page)).toHaveText('Paused because 1 of 2 devices of step 1 failed (50%, limit 25%).')
  const steps = page.getByRole('region', { name: 'Steps' })
  await expect(steps.getByRole('img').first()).toHaveAccessibleName(
    /^Step 1, 2 devices, paused here: 1 completed, 1 failed; goes on at 90% of 2 succeeded, pauses at 25% of 2 failed\.$/,
  )
  await expect(steps.getByRole('img').last()).toHaveAccessibleName(/^Step 2, 2 devices, waits for step 1: 2 waiting/)
  await expect(properties(page)).toContainText(text)
  await expect(properties(page)).toContainText('2 picked devices → the rest.')
  const list = page.getByRole('region', { name: 'Devices' })
  await expect(rowOf(list, 'E2E-ROLL-refuses')).toContainText('The device refused.')
  await expect(rowOf(list, 'E2E-ROLL-slow')).toContainText('held: the push is paused')

  await page.getByRole('button', { name: 'Resume' }).click()
  const question = page.getByRole('dialog', { name: 'Resume although too many devices failed?' })
  await question.getByRole('button', { name: 'Resume push' }).click()
  await expect(note(page)).toHaveText('Step 2 of 2, the last one: 0 of its 2 devices are done.')
  await expect(steps.getByRole('listitem').last()).toHaveAttribute('aria-current', 'step')
  await expect(rowOf(list, 'E2E-ROLL-away')).toContainText('waits until the device is online')
  await expect(rowOf(list, 'E2E-ROLL-slow')).toContainText('Shown, not read yet')

  await steps.getByRole('link', { name: 'Step 1' }).click()
  await expect(page).toHaveURL(/step=1/)
  await expect(rowOf(list, 'E2E-ROLL-slow')).toHaveCount(0)
  await list.getByRole('link', { name: 'E2E-ROLL-refuses' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer).toContainText('ask the user, or push without asking first')
  await expect(drawer.getByRole('list', { name: 'Process' })).toContainText('Failed')
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove the filter Step' }).click()

  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(note(page)).toHaveText(
    'Paused by hand: 1 device that has not received it waits until somebody resumes the push.',
  )
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(note(page)).toHaveText(/^Step 2 of 2/)

  await page.getByRole('button', { name: 'Cancel push' }).click()
  const sure = page.getByRole('dialog', { name: 'Cancel this push on 2 devices?' })
  await sure.getByRole('button', { name: 'Cancel push' }).click()
  await expect(sure).toHaveCount(0)
  await expect(note(page)).toHaveText(/^Canceled/)
  await expect(rowOf(list, 'E2E-ROLL-away')).toContainText('Canceled')
  await expect(page.getByRole('button', { name: /^Retry \d devices$/ })).toBeVisible()

  // The bar says which: each of its parts leads to the devices, and so does each reason.
  await properties(page).getByRole('link', { name: '1 read' }).click()
  await expect(rowOf(list, 'E2E-ROLL-fine')).toBeVisible()
  await expect(rowOf(list, 'E2E-ROLL-refuses')).toHaveCount(0)
  const why = page.getByRole('list', { name: 'Why devices failed' }).getByRole('listitem')
  await why.filter({ hasText: 'The device refused.' }).getByRole('link').click()
  await expect(rowOf(list, 'E2E-ROLL-refuses')).toBeVisible()
  await expect(rowOf(list, 'E2E-ROLL-fine')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Remove the filter Why devices failed' })).toBeVisible()
  await expectAccessible(page)
  await why.getByRole('button', { name: 'Retry it' }).click()
  await expect(page.getByText('Started again on 1 device')).toBeVisible()
  // It refuses once more.
  await expect(why).toContainText('The device refused.')
})

test('a large push waits until a second person approves it, who finds it on the home page', async ({
  open,
  complaints,
}) => {
  const page = await open('sunrise')
  await page.goto('/push-task-list')
  await page.getByRole('button', { name: 'Push settings' }).click()
  const settings = page.getByRole('dialog', { name: 'Push settings' })
  await settings.getByRole('switch', { name: 'A second person approves large pushes' }).click()
  await settings.getByLabel('Approval needed from this many devices').fill('5')
  await settings.getByRole('button', { name: 'Save settings' }).click()
  await confirmPassword(page, 'sunrise')
  await expect(page.getByText('Push settings saved')).toBeVisible()
  complaints.forgive(/403.*save_setting/)

  const manager = signedIn('sunrise.manager')
  const { items } = await manager.terminal.paging({ is_online: true, text: 'SIM-', page_size: 6 })
  const { kid } = await manager.pushTask.insert({
    type: 'message',
    payload: { title: 'Needs two people', text },
    terminal_kids: items.map((row) => row.kid),
  })
  const own = await open('sunrise.manager')
  await own.goto(`/push-task-detail?kid=${kid}`)
  await expect(note(own)).toHaveText('Waits for approval by a second person.')
  await expect(own.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription(
    'A second person has to approve your push.',
  )

  await page.goto('/home/index')
  const waiting = page.getByRole('region', { name: /^Waiting for your approval/ })
  await rowOfList(waiting, 'Needs two people').getByRole('link').click()
  await expect(page).toHaveURL(`/push-task-detail?kid=${kid}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer).toContainText('6 devices')
  await drawer.getByLabel('Remark').fill('Agreed with the depot')
  await drawer.getByRole('button', { name: 'Approve push' }).click()
  for (const each of [page, own]) {
    await expect(note(each)).toHaveText(/^Ended: .*6 devices succeeded/)
    await expect(properties(each)).toContainText('Agreed with the depot')
  }

  await page.goto('/push-task-list?dialog=setting')
  await settings.getByRole('switch', { name: 'A second person approves large pushes' }).click()
  await settings.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByText('Push settings saved')).toBeVisible()
  expect((await manager.pushTask.get_setting({})).approval_from).toBeNull()
})

const rowOfList = (scope: ReturnType<Page['getByRole']>, words: string) =>
  scope.getByRole('listitem').filter({ hasText: words })

test('the list of pushes: found by filters and by Jump to, opened, copied and canceled with the keyboard', async ({
  open,
}) => {
  const call = signedIn('lantern')
  const { items } = await call.terminal.paging({ text: 'SIM-', page_size: 2 })
  const insert = (title: string, start_at?: string) =>
    call.pushTask.insert({
      type: 'message',
      payload: { title, text },
      terminal_kids: items.map((row) => row.kid),
      ...(start_at && { conditions: { start_at } }),
    })
  const ended = await insert('Walk of the list, now')
  const planned = await insert('Walk of the list, later', inHours(20))
  await until('the first to end', async () => (await call.pushTask.get({ kid: ended.kid })).phase === 'ended')

  const page = await open('lantern')
  await page.goto('/push-task-list')
  await expect(rowOf(page, 'Walk of the list, later')).toContainText('Planned')
  await expect(rowOf(page, 'Walk of the list, now')).toContainText('Succeeded')
  await addFilter(page, 'Phase', 'Planned')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/phases=planned/)
  await expect(rowOf(page, 'Walk of the list, now')).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove the filter Phase' }).click()
  await addFilter(page, 'Effect', 'Succeeded')
  await expect(page).toHaveURL(/effect=3/)
  await expect(rowOf(page, 'Walk of the list, later')).toHaveCount(0)
  await page.goto(`/push-task-list?created=${encodeURIComponent(JSON.stringify({ from: inHours(1) }))}`)
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.goto('/push-task-list?text=walk+of+the+list')

  const actions = page.getByRole('button', { name: 'Actions for Walk of the list, later' })
  await openMenuByKey(page, actions)
  await expect(page.getByRole('menuitem', { name: 'Pause' })).toHaveCount(0)
  await chooseByKey(page, page.getByRole('menuitem', { name: 'Cancel push' }))
  const sure = page.getByRole('dialog', { name: 'Cancel this push?' })
  await expect(sure).toBeVisible()
  await tabTo(page, 'Cancel push')
  await page.keyboard.press('Enter')
  await expect(sure).toHaveCount(0)
  await expect(rowOf(page, 'Walk of the list, later')).toContainText('Canceled')
  await openMenuByKey(page, actions)
  await chooseByKey(page, page.getByRole('menuitem', { name: 'Copy as new push' }))
  await expect(page).toHaveURL(new RegExp(`/push-task-add\\?copy=${planned.kid}`))

  await page.goto('/home/index')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('walk of the list, now')
  await page.getByRole('option', { name: /Walk of the list, now/ }).click()
  await expect(page).toHaveURL(`/push-task-detail?kid=${ended.kid}`)
  await expect(note(page)).toHaveText('Ended: all 2 devices succeeded.')
  await page.getByRole('link', { name: 'All pushes' }).click()
  await expect(page).toHaveURL('/push-task-list')
})

test('what is left out says why; a template is saved, used and deleted; a recurring push is edited and switched off', async ({
  open,
}) => {
  const call = signedIn('lantern')
  const { items } = await call.terminal.paging({ text: 'SIM-', page_size: 1 })
  const preview = await call.pushTask.preview({ type: 'message', terminal_kids: items.map((row) => row.kid) })
  const { kid } = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'Kept as a template', text },
    preview_kid: preview.kid,
  })
  await call.pushSchedule.insert({
    name: 'Evening reminder',
    cron: '0 22 * * 1-5',
    zone: 'Asia/Ho_Chi_Minh',
    to: { terminal_kids: items.map((row) => row.kid) },
    push: { type: 'message', payload: { title: 'Evening', text } },
  })
  const page = await open('lantern')
  await page.goto(`/push-task-detail?kid=${kid}`)
  await page.getByRole('navigation', { name: 'Push task' }).getByRole('link', { name: 'Left out' }).click()
  await expect(page.getByText('No device was left out')).toBeVisible()
  await page.getByRole('button', { name: 'Actions for Kept as a template' }).click()
  await page.getByRole('menuitem', { name: 'Save as template' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel('Name').fill('Dock reminder')
  await drawer.getByRole('button', { name: 'Save template' }).click()
  await expect(page.getByText('Template saved')).toBeVisible()

  await page.goto('/push-task-list?tab=templates')
  await page.getByRole('button', { name: 'New push from Dock reminder' }).click()
  await expect(page).toHaveURL(/\/push-task-add\?template=/)
  await page.goBack()
  await page.getByRole('button', { name: 'More actions for Dock reminder' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click()
  await expect(page.getByText('No templates yet')).toBeVisible()

  await page.getByRole('navigation', { name: 'Pushes' }).getByRole('link', { name: 'Recurring' }).click()
  const row = rowOf(page, 'Evening reminder')
  await expect(row).toContainText('Every Monday to Friday at 22:00')
  await row.getByRole('button', { name: 'Evening reminder', exact: true }).click()
  const next = drawer.getByRole('region', { name: 'Next five runs' })
  await expect(next.getByRole('listitem')).toHaveCount(5)
  await drawer.getByLabel('Cron expression').fill('30 6 1 * *')
  await expect(next).toContainText('Every month on day 1 at 06:30')
  await expect(next.getByRole('listitem').first()).toContainText('/01')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Every month on day 1 at 06:30')
  await row.getByRole('switch').click()
  await expect(row).toContainText('Switched off')
  await row.getByRole('button', { name: 'Actions for Evening reminder' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete recurring push' }).click()
  await expect(page.getByText('No recurring pushes yet')).toBeVisible()
})

test('a large push that is being created stands in the tray with its progress, and can be canceled there', async ({
  open,
}) => {
  const call = signedIn('lantern')
  const { items } = await call.terminal.paging({ text: 'SIM-', page_size: 1 })
  const { kid } = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'To a hundred thousand', text },
    terminal_kids: items.map((row) => row.kid),
    conditions: { start_at: inHours(10) },
  })
  const planned = await call.pushTask.get({ kid })
  // The demo has too few devices to be seen creating: the server's own row, in the middle of it.
  const creating = {
    ...planned,
    phase: 'creating',
    target_count: 100_000,
    counts: { ...planned.counts, total: 12_000, wait_receipt: 12_000 },
  }
  const reply = (data: unknown) => ({ json: { result: 1, message: '', data } })
  const page = await open('lantern')
  let is_canceled = false
  await page.route('**/api/push_task/get?*', (route) =>
    is_canceled ? route.continue() : route.fulfill(reply(creating)),
  )
  await page.route('**/api/push_task/paging?*', (route) =>
    !is_canceled && route.request().postData()?.includes('creating')
      ? route.fulfill(reply({ items: [creating], total: 1, total_is_exact: true, next: null }))
      : route.continue(),
  )
  page.on('request', (request) => (is_canceled ||= request.url().includes('/api/push_task/cancel')))
  await page.goto(`/push-task-detail?kid=${kid}`)
  await expect(note(page)).toHaveText('Creating: 12,000 of 100,000 devices.')
  await page.getByRole('button', { name: 'Background tasks: 1 running' }).click()
  const tray = page.locator('.tray')
  await expect(tray).toContainText('Creating a push: To a hundred thousand')
  await expect(tray).toContainText('12,000 of 100,000 devices')
  await tray.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Push canceled: To a hundred thousand')).toBeVisible()
  await expect(note(page)).toHaveText('Canceled before it reached a device.')
})

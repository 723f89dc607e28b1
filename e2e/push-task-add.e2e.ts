import type { Page } from '@playwright/test'
import { signedIn } from './calls.ts'
import { accountOf } from './demo-server.ts'
import {
  choose,
  chooseByKey,
  columnOf,
  moveByKey,
  nextStep,
  openMenuByKey,
  pushSentence,
  reviewPush,
  rowOf,
  signInByHand,
} from './pages.ts'
import { expectAccessible, expectAccessibleDayAndNight } from './accessible.ts'
import { expect, test } from './test.ts'
import { text } from './text.ts'

const call = () => signedIn('lantern')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const refused = (page: Page) => button(page, text('common:next')).click()
const checked = (page: Page) => page.locator('.push-check')
const toast = (page: Page, hasText: string | RegExp) => page.getByRole('status').filter({ hasText })

/** Tries to leave the devices, where somebody of them is left out or was not found: who, is said first. */
async function check(page: Page, said: string): Promise<void> {
  await refused(page)
  await expect(checked(page)).toContainText(said)
}
/** The task whose page is open. */
async function made(page: Page) {
  await expect(page).toHaveURL(/\/push-task-detail\?kid=/)
  const kid = new URL(page.url()).searchParams.get('kid')!
  return call().pushTask.get({ kid })
}
async function fillMessage(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Text', { exact: true }).fill('Bring the handheld back to the counter.')
}
const snsOf = async (count: number): Promise<string[]> =>
  (await call().terminal.paging({ text: 'SIM-', sort: 'sn', page_size: count })).items.map(({ sn }) => sn)

test('a message to a list of SNs: those that are none are named, and whatever changes is checked again', async ({
  open,
}) => {
  const page = await open('lantern')
  const sns = await snsOf(2)
  await page.goto('/push-task-add?type=message')
  await refused(page)
  await expect(page.getByText('Required.').first()).toBeVisible()
  await fillMessage(page, 'Shift ends')
  await nextStep(page)
  await page.getByText(text('devices-picker:by_sns')).click()
  const list = page.getByRole('textbox', { name: text('devices-picker:sns_label') })
  await list.fill(`${sns[0]!.toLowerCase()}, NOT-THERE-1`)
  await check(page, '1 device gets it')
  await expect(checked(page)).toContainText('1 SN was not found')
  await button(page, text('push-task/wizard:check.show')).click()
  await expect(page.getByRole('dialog')).toContainText('NOT-THERE-1')
  await page.keyboard.press('Escape')

  const file = {
    name: 'list.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`SN,Shop\n${sns.join(',x\n')},y\nNO-2,z\n`),
  }
  await page.getByLabel('Read a .csv or .txt file').setInputFiles(file)
  await expect(page.getByText('list.csv')).toBeVisible()
  await expect(checked(page)).toHaveText(text('push-task/wizard:check.again'))
  await check(page, '2 devices get it')
  await nextStep(page)
  await expect(page.getByText(text('push-task/wizard:conditions.execute'))).toHaveCount(0)
  await expect(pushSentence(page)).toHaveText(
    'Sends the message “Shift ends” to 2 devices (from the file list.csv); 1 SN was not found.',
  )

  await page.getByRole('link', { name: text('file-cloud:title') }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('common:unsaved.stay') })
    .click()
  await button(page, 'Send to 2 devices').click()
  await expect(
    toast(page, 'Pushed: Sends the message “Shift ends” to 2 devices (from the file list.csv).'),
  ).toBeVisible()
  expect(await made(page)).toMatchObject({ type: 'message', target_count: 2, summary: 'Shift ends' })
})

test('a list of devices that has expired is checked again where the wizard stands, and nothing else is lost', async ({
  open,
  complaints,
}) => {
  complaints.forgive(/409.*push_task\/insert/)
  const page = await open('lantern')
  const [sn] = await snsOf(1)
  await page.goto('/push-task-add?type=message')
  await fillMessage(page, 'Count the tills')
  await page.getByLabel(text('push-task/wizard:content.description')).fill('Before closing')
  await nextStep(page)
  await page.getByText(text('devices-picker:by_sns')).click()
  await page.getByRole('textbox', { name: text('devices-picker:sns_label') }).fill(sn!)
  await nextStep(page)
  // An hour does the same: a person has one list at a time.
  const { items } = await call().terminal.paging({ text: sn! })
  await call().pushTask.preview({ type: 'message', terminal_kids: [items[0]!.kid] })
  await button(page, 'Send to 1 device').click()
  const refused = page.getByRole('alert').filter({ hasText: 'The list of devices has expired. Check it again.' })
  await expect(refused).toBeVisible()
  await expect(page.getByRole('textbox', { name: text('devices-picker:sns_label') })).toHaveValue(sn!)
  await nextStep(page)
  await expect(refused).toHaveCount(0)
  await expect(pushSentence(page)).toHaveText(`Sends the message “Count the tills” to 1 device (${sn}).`)
  await button(page, 'Send to 1 device').click()
  expect(await made(page)).toMatchObject({ target_count: 1, summary: 'Count the tills', description: 'Before closing' })
})

test('devices that are changed while they are looked up are looked up again', async ({ open }) => {
  const page = await open('lantern')
  const sns = await snsOf(2)
  await page.goto('/push-task-add?type=screenshot')
  await nextStep(page)
  await page.getByText(text('devices-picker:by_sns')).click()
  const list = page.getByRole('textbox', { name: text('devices-picker:sns_label') })
  await list.fill(sns[0]!)
  let go!: () => void
  const held = new Promise<void>((resolve) => (go = resolve))
  await page.route('**/push_task/preview?*', async (route) => {
    await held
    await route.continue()
  })
  const asked = page.waitForRequest(/push_task\/preview\?/)
  await refused(page)
  await asked
  await list.fill(sns.join(' '))
  go()
  await expect(checked(page)).toHaveText(text('push-task/wizard:check.again'))
  await nextStep(page)
  await expect(pushSentence(page)).toContainText('2')
  await expect(button(page, 'Take 2 screenshots')).toBeVisible()
})

test('a restart of a group by its menu, in steps and within a window; copied, and kept as a template', async ({
  open,
}) => {
  const page = await open('lantern')
  await page.goto('/device-list')
  await page.getByRole('treeitem', { name: /^Downtown, / }).hover()
  await openMenuByKey(page, button(page, 'Actions for the group Downtown'))
  await chooseByKeyInto(page, 'Push to the group', 'Message')
  await chooseByKey(page, page.getByRole('menuitem', { name: 'Restart' }))
  await expect(page).toHaveURL(/\/push-task-add\?type=restart&terminal_group_kid=/)
  await page.getByLabel(text('push-task/wizard:content.description')).fill('Nightly')
  // The group was chosen before: there is nothing to ask about it.
  await nextStep(page)
  await expect(pushSentence(page)).toContainText('(group Downtown)')
  await button(page, text('common:back')).click()
  await expect(page.getByRole('radio', { name: /^Downtown/ })).toBeChecked()
  const total = (await call().terminalGroup.list({ parent_kid: 'ROOT' })).find(
    ({ name }) => name === 'Downtown',
  )!.total_count
  await expect(checked(page)).toContainText(`${total} devices get it`)
  await nextStep(page)
  await page.getByText('At a time').click()
  const submit = button(page, `Restart ${total} devices`)
  await submit.click()
  await expect(page.getByRole('alert').filter({ hasText: 'Required.' })).toBeVisible()
  const start = new Date(Date.now() + 26 * 3_600_000)
  const day = start.toISOString().slice(0, 10).replaceAll('-', '/')
  await page.getByLabel('Starts at').fill(`${day} 22:00`)
  await page.keyboard.press('Enter')
  await choose(page, page.getByRole('combobox', { name: 'Time of day' }), 'Between set hours')
  await page.getByText('Warn the user a minute ahead').click()
  await page.getByRole('switch').click()
  await page.getByLabel('Step 1', { exact: true }).fill('50')
  // Every step is larger than the one before.
  await expect(page.getByRole('group', { name: 'Steps' }).getByRole('alert')).toBeVisible()
  await expect(submit).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'Remove step 2' }).click()
  const first = Math.ceil(total / 2)
  await expect(pushSentence(page)).toHaveText(
    `Restarts ${total} devices (group Downtown), from ${day} 22:00 on, between 22:00 and 05:00 of each device’s own time, in 2 steps beginning with ${first}, with a warning a minute ahead.`,
  )
  await button(page, 'Save as a template').click()
  await page.getByRole('dialog').getByLabel('Name').fill('Nightly restart')
  await page.getByRole('dialog').getByRole('button', { name: 'Save template' }).click()
  await expect(toast(page, 'Template saved')).toBeVisible()
  await submit.click()
  await expect(toast(page, 'Planned: Restarts')).toContainText(`from ${day} 22:00 on`)
  const task = await made(page)
  expect(task).toMatchObject({
    type: 'restart',
    description: 'Nightly',
    phase: 'planned',
    conditions: { window: { from: '22:00', to: '05:00' }, force_install: true },
    rollout: { steps: [{ percent: 50 }], success_percent: 90, error_percent: 10 },
  })

  await page.goto(`/push-task-add?copy=${task.kid}`)
  await expect(page.getByLabel(text('push-task/wizard:content.description'))).toHaveValue('Nightly')
  await nextStep(page)
  await page.getByText(text('devices-picker:by_device')).click()
  const [sn] = await snsOf(1)
  await page.getByRole('searchbox', { name: text('devices-picker:search_device') }).fill(sn!)
  await expect.poll(() => columnOf(page, 'SN')).toEqual([sn])
  await rowOf(page, sn!).getByRole('checkbox').check()
  await nextStep(page)
  await expect(page.getByRole('radio', { name: 'Now' })).toBeChecked()
  await expect(page.getByRole('group', { name: 'Time of day' })).toContainText('Between set hours')
  await expect(page.getByRole('radio', { name: /^Warn the user/ })).toBeChecked()

  await page.goto('/push-task-add?type=message')
  await choose(page, page.getByLabel(text('push-task/wizard:content.template')), /^Nightly restart/)
  await expect(page.getByText('Whoever is using the device is interrupted')).toBeVisible()
  await expect(page.getByLabel(text('push-task/wizard:content.description'))).toHaveValue('Nightly')
  await call().pushTask.cancel({ push_task_kid: task.kid })
  for (const { kid } of await call().pushTemplate.list({})) await call().pushTemplate.delete({ kid })
})

test('a message again and again, for whatever matches then', async ({ open, complaints }) => {
  // What is no cron expression is refused while it is typed.
  complaints.forgive(/push_schedule\/next_runs/)
  const page = await open('lantern')
  await page.goto('/push-task-add?type=message&terminal_group_kid=ALL')
  await fillMessage(page, 'Count the stock')
  await reviewPush(page)
  await page.getByText('Recurring', { exact: true }).click()
  await button(page, 'Create recurring push').click()
  await expect(page.getByText('Correct what is marked above.')).toBeVisible()
  await page.getByLabel('Name').fill('Weekly count')
  await choose(page, page.getByRole('combobox', { name: 'How often' }), 'On days of the week')
  await page.getByRole('checkbox', { name: 'Fri' }).check()
  const runs = page.getByRole('group', { name: 'Next runs' }).getByRole('listitem')
  await expect(runs).toHaveCount(5)
  await choose(page, page.getByRole('combobox', { name: 'How often' }), 'Cron expression')
  const cron = page.getByRole('textbox', { name: 'Cron expression' })
  await expect(cron).toHaveValue('0 22 * * 1,5')
  await cron.fill('61 22 * * 1-5')
  await expect(page.getByRole('group', { name: 'Next runs' }).getByRole('alert')).toBeVisible()
  await cron.fill('30 17 * * 1-5')
  await expect(runs).toHaveCount(5)
  await expect(runs.first()).toContainText('17:30')
  await expect(pushSentence(page)).toContainText('by the cron expression 30 17 * * 1-5 (Asia/Ho_Chi_Minh)')
  await button(page, 'Create recurring push').click()
  await expect(page).toHaveURL('/push-task-list?tab=recurring')
  await expect(toast(page, 'Recurring push “Weekly count” created')).toBeVisible()
  const schedules = await call().pushSchedule.list({})
  expect(schedules.map(({ name, cron: said, to }) => [name, said, to])).toEqual([
    ['Weekly count', '30 17 * * 1-5', { match: { terminal_group_kid: 'ALL' } }],
  ])
  await call().pushSchedule.delete({ kid: schedules[0]!.kid })
})

test('files from the file cloud, and a selection of the list, go through the same wizard', async ({ open }) => {
  const page = await open('lantern')
  await page.goto('/file-cloud-list')
  const name = 'price list.txt'
  const upload = { name, mimeType: 'text/plain', buffer: Buffer.from('Apples 1.20') }
  await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(upload)
  await page.getByRole('dialog').getByRole('button', { name: 'Upload file' }).click()
  await expect(rowOf(page, name)).toBeVisible()
  await page.getByRole('link', { name: `Push ${name} to devices` }).click()
  await expect(page.getByText('1 file chosen')).toBeVisible()
  await page.getByLabel('Folder on the device').fill('/sdcard/Prices')
  await nextStep(page)
  await page.getByRole('radio', { name: /^All devices/ }).check()
  await reviewPush(page)
  await page.getByText('Wi-Fi only').click()
  await expect(pushSentence(page)).toHaveText(
    /^Puts price list\.txt into \/sdcard\/Prices on \d+ devices? \(all devices\), over Wi-Fi only(; \d+ (is|are) left out)?\.$/,
  )
  await button(page, /^Push to \d+ devices?$/).click()
  const pushed = await made(page)
  expect(pushed).toMatchObject({ type: 'file', summary: name, conditions: { network: 'wifi' } })
  await call().pushTask.cancel({ push_task_kid: pushed.kid })

  await page.goto('/device-list?sort=sn&text=SIM-')
  const [one, two] = await snsOf(2)
  for (const sn of [one!, two!]) await rowOf(page, sn).getByRole('checkbox').check()
  const bulk = page.getByRole('group', { name: 'Selected rows' })
  await bulk.getByRole('button', { name: 'Push' }).click()
  await page.getByRole('menuitem', { name: 'More options…' }).click()
  await expect(page).toHaveURL(/\/push-task-add\?terminal_kids=/)
  await fillMessage(page, 'From the list')
  await nextStep(page)
  await expect(pushSentence(page)).toContainText('to 2 devices')
  await button(page, text('common:back')).click()
  await expect(page.getByRole('list', { name: '2 devices chosen' }).getByRole('listitem')).toHaveCount(2)

  // More than an address holds are known to this tab, also after a reload.
  const sunrise = await open('sunrise')
  await sunrise.goto('/device-list')
  await sunrise.locator('.ant-table-row').first().getByRole('checkbox').check()
  const selected = sunrise.getByRole('group', { name: 'Selected rows' })
  await selected.getByRole('button', { name: /^Select all \d+ that match$/ }).click()
  await expect(selected).toContainText(/2\d selected/)
  await selected.getByRole('button', { name: 'Push' }).click()
  await sunrise.getByRole('menuitem', { name: 'Push files' }).click()
  await expect(sunrise).toHaveURL(/\/push-task-add\?type=file&given=/)
  await sunrise.reload()
  await choose(sunrise, sunrise.getByLabel(text('push-task/wizard:content.kind')), 'Restart')
  await reviewPush(sunrise)
  await button(sunrise, text('common:back')).click()
  await expect(sunrise.getByRole('list', { name: /^2\d devices chosen$/ })).toBeVisible()
  const elsewhere = await open('sunrise')
  await elsewhere.goto(sunrise.url())
  await expect(elsewhere.getByText('only known in the tab where you selected them')).toBeVisible()
})

test('one command stays one click, and its toast leads to the task', async ({ open }) => {
  const page = await open('lantern')
  const [sn] = await snsOf(1)
  const { items } = await call().terminal.paging({ text: sn! })
  await page.goto(`/device-detail/info?kid=${items[0]!.kid}`)
  await button(page, 'Find').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Ring the device' }).click()
  await toast(page, `Pushed: Rings 1 device (${sn})`).getByRole('link', { name: 'Open the task' }).click()
  expect(await made(page)).toMatchObject({ type: 'find', target_count: 1 })

  await page.goto(`/device-detail/info?kid=${items[0]!.kid}`)
  await openMenuByKey(page, button(page, text('device-detail:actions.button')))
  await chooseByKey(page, page.getByRole('menuitem', { name: 'Take screenshot' }))
  await expect(page).toHaveURL(/\/push-task-add\?type=screenshot&terminal_kids=/)
  await nextStep(page, async (button) => {
    await button.focus()
    await page.keyboard.press('Enter')
  })
  await expect(pushSentence(page)).toContainText(sn!)
  await button(page, 'Take 1 screenshot').focus()
  await page.keyboard.press('Enter')
  expect(await made(page)).toMatchObject({ type: 'screenshot', target_count: 1 })
})

test('a factory reset of many asks for a word and for the password', async ({ open, complaints }) => {
  complaints.forgive(/403.*push_task\/insert/)
  // A session of its own: one whose password was confirmed within minutes is not asked for it.
  const page = await open()
  await page.goto('/login')
  await signInByHand(page, accountOf('sunrise'))
  await expect(page).toHaveURL('/home/index')
  await page.goto('/push-task-add?type=factory_reset&terminal_group_kid=ALL')
  await reviewPush(page)
  await expect(page.getByText('It begins 60 seconds later')).toBeVisible()
  const submit = button(page, /^Reset \d+ devices$/)
  await expect(submit).toHaveAttribute('aria-disabled', 'true')
  await page.getByLabel('Type DELETE to confirm').fill('DELETE')
  await submit.click()
  const question = page.getByRole('dialog').filter({ has: page.getByLabel('Password') })
  await expect(question).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  // Nothing was pushed, and what was said is still there.
  await expect(submit).toBeVisible()
  expect((await signedIn('sunrise').pushTask.paging({ types: ['factory_reset'] })).items).toEqual([])
})

test('every step is accessible, and by night where it has faults', async ({ open }) => {
  const page = await open('sunrise')
  const accessible = (where: string) => expectAccessible(page, { where })
  await page.goto('/push-task-add?type=file')
  await expect(page.getByLabel('Folder on the device')).toBeVisible()
  await accessible('files')
  await choose(page, page.getByLabel(text('push-task/wizard:content.kind')), 'Restart')
  await nextStep(page)
  for (const how of (['by_dynamic', 'by_filter', 'by_sns', 'by_device', 'by_group'] as const).map((how) =>
    text(`devices-picker:${how}`),
  )) {
    await page.getByText(how, { exact: true }).click()
    await expect(page.getByRole('region', { name: how })).toBeVisible()
    await accessible(how)
  }
  await page.getByRole('radio', { name: /^North depot/ }).check()
  await reviewPush(page)
  await page.getByRole('switch').click()
  await page.getByText('Pick its devices by hand').click()
  await choose(page, page.getByRole('combobox', { name: 'Time of day' }), 'Between set hours')
  await page.getByText('Recurring', { exact: true }).click()
  await button(page, 'Create recurring push').click()
  await expect(page.getByRole('alert').first()).toBeVisible()
  // Colours that only faults have; the others of a wizard are looked at by night in screens.e2e.ts.
  await expectAccessibleDayAndNight(page, { where: 'when, with faults' })
  await page.getByText('Now', { exact: true }).click()
  await page.getByText('Pick its devices by hand').click()
  await expect(pushSentence(page)).toBeVisible()
  await accessible('review')
})

test('who may push nothing is told so', async ({ open }) => {
  const page = await open('sunrise.viewer')
  await page.goto('/push-task-add')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('New push')
  await expect(page.getByText('There is nothing that you may push')).toBeVisible()
})

/** Into the submenu of an item of the open menu, with the arrow keys. */
async function chooseByKeyInto(page: Page, name: string, first: string): Promise<void> {
  await moveByKey(page, page.getByRole('menuitem', { name }))
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('menuitem', { name: first, exact: true })).toBeFocused()
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeXlsx } from 'hucre/xlsx'
import type { Locator, Page } from '@playwright/test'
import { enrol } from '@mdm/testbed/enrol.ts'
import { namedApk } from '@mdm/testbed/apks.ts'
import { addOtherUid } from '@mdm/testbed/demo-os.ts'
import { osZip } from '@mdm/testbed/os-zip.ts'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { until } from '@mdm/testbed/until.ts'
import { tempFolder } from './agent-process.ts'
import { announce } from './announce.ts'
import { signedIn } from './calls.ts'
import { choose, columnOf, confirmPassword, nextStep, pushSentence, reviewPush, rowOf, saveChanges } from './pages.ts'
import { answerMapsWith, expect, test } from './test.ts'
import { text } from './text.ts'

// The tasks of a fleet admin and their clicks; docs/usability.md has the same numbers.

const button = (scope: Page | Locator, name: string | RegExp) => scope.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

/** Counts the clicks from now on. */
async function countClicks(page: Page): Promise<{ expectAtMost: (task: string, limit: number) => void }> {
  let clicks = 0
  await page.exposeFunction('countClick', () => void (clicks += 1))
  const listen = () =>
    // A key that presses a button makes a click too, but no pointer goes down.
    addEventListener('pointerdown', () => (window as never as { countClick: () => void }).countClick(), true)
  await page.addInitScript(listen)
  await page.evaluate(listen)
  return {
    expectAtMost: (task, limit) => {
      expect(clicks, `clicks of the task: ${task}`).toBeLessThanOrEqual(limit)
    },
  }
}

/** Chooses a group by its name, where the focus has come to the choice by itself. */
async function typeGroup(page: Page, name: string): Promise<void> {
  await expect(page.locator('.group-picker input:focus')).toBeVisible()
  await page.keyboard.type(name)
  await enterOn(page, name)
}

/** Takes what was typed for once it is the one that Enter takes, a moment after it is seen. */
async function enterOn(page: Page, name: string): Promise<void> {
  await expect(page.locator('.ant-select-item-option-active').filter({ hasText: name })).toBeVisible()
  await page.keyboard.press('Enter')
}

async function onPage(page: Page, address: string) {
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  return countClicks(page)
}

test('1: the state of a device by its SN', async ({ open }) => {
  const page = await open('sunrise')
  const clicks = await onPage(page, '/home')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('SIM-1-00007')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/device-detail\/info\?kid=/)
  await expect(
    page
      .getByRole('main')
      .getByText(/^(Online|Offline)/)
      .first(),
  ).toBeVisible()
  clicks.expectAtMost('a device by its SN', 2)
})

test('2: a message to a group', async ({ open }) => {
  const page = await open('sunrise')
  const clicks = await onPage(page, '/device-list')
  await page.getByRole('treeitem', { name: /^North depot, / }).hover()
  await button(page, 'Actions for the group North depot').click()
  await page.getByRole('menuitem', { name: 'Push to the group' }).hover()
  await page.getByRole('menuitem', { name: 'Message', exact: true }).click()
  await page.getByLabel('Text', { exact: true }).fill('The shift ends at five today.')
  await page.getByLabel('Title').fill('Early end')
  await page.keyboard.press('Enter')
  await button(page, /^Send to \d+ devices$/).click()
  await expect(page).toHaveURL(/\/push-task-detail\?kid=/)
  await expect(page.getByRole('main')).toContainText(/\d+ devices/)
  clicks.expectAtMost('a message to a group', 3)
})

test('3: twenty devices from a sheet', async ({ open }) => {
  const rows: string[][] = []
  for (let n = 1; n <= 20; n++) {
    const sn = `E2E-BOX-${n}`
    rows.push([sn, 'WO-1', await announce(sn)])
  }
  const heads = ['SN', 'Work order', 'Verification code']
  const buffer = Buffer.from(await writeXlsx({ sheets: [{ name: 'Box', rows: [heads, ...rows] }] }))
  const page = await open('lantern')
  const clicks = await onPage(page, '/device-list')
  await button(page, 'Register from a spreadsheet').click()
  const choosing = page.waitForEvent('filechooser')
  await page.locator('.bulk-choice').getByRole('button').click()
  await (
    await choosing
  ).setFiles({
    name: 'box.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer,
  })
  await button(dialog(page), 'Register 20 devices').click()
  await expect(dialog(page)).toContainText('20 of 20 rows, 20 registered')
  clicks.expectAtMost('twenty devices from a sheet', 3)
})

test('4: the devices that a search finds go to another group', async ({ open }) => {
  const page = await open('sunrise')
  const clicks = await onPage(page, '/device-list')
  await page.getByRole('searchbox', { name: 'SN, alias or IMEI' }).fill('SIM-1-0000')
  await expect(page).toHaveURL(/text=SIM-1-0000/)
  await expect
    .poll(async () => {
      const sns = await columnOf(page, 'SN')
      return sns.length > 0 && sns.every((sn) => sn?.startsWith('SIM-1-0000'))
    })
    .toBe(true)
  await page.getByRole('checkbox', { name: /^Select all/ }).click()
  await button(page, 'Move to group').click()
  await typeGroup(page, 'South depot')
  await button(dialog(page), /^Move \d+ devices$/).click()
  await expect(page.getByText(/moved/i).first()).toBeVisible()
  clicks.expectAtMost('devices to another group', 3)
})

test('5: an app to a group, in steps', async ({ open }) => {
  const call = signedIn('sunrise')
  const scan = { package: 'com.example.parcels', name: 'Parcels', version_name: '4.2', version_code: 420 }
  await call.appCenter.insert({
    upload_kid: await uploadFile(call, 'parcels.apk', await namedApk(scan)),
    name: scan.name,
    is_listed: true,
  })
  const page = await open('sunrise')
  const clicks = await onPage(page, '/app-center-list')
  await page.getByRole('link', { name: 'Push Parcels to devices' }).click()
  await expect(page.getByText('Parcels 4.2')).toBeVisible()
  await page.getByRole('radio', { name: /^North depot/ }).click()
  await nextStep(page)
  await page.getByRole('switch').click()
  await expect(pushSentence(page)).toContainText(/Installs Parcels 4\.2.*group North depot.*in \d steps/)
  await button(page, /^Push to \d+ devices?$/).click()
  await expect(page).toHaveURL(/\/push-task-detail|app-center-push/)
  clicks.expectAtMost('an app to a group, in steps', 5)
})

test('6 and 7: why three of a push failed, and those again', async ({ open }) => {
  const body = { faults: { refuses: true } }
  const call = signedIn('lantern')
  const devices = []
  for (const name of ['1', '2', '3']) devices.push(await enrol(call, { sn: `E2E-FAIL-${name}`, body }))
  try {
    const { kid } = await call.pushTask.insert({
      type: 'message',
      payload: { title: 'Three refuse', text: 'Please dock.' },
      terminal_kids: devices.map((device) => device.kid),
    })
    await until('three to fail', async () => (await call.pushTask.get({ kid })).counts.failed === 3, 60)
    const page = await open('lantern')
    const clicks = await onPage(page, '/home')
    const failed = page.getByRole('region', { name: 'Recent failures' }).getByRole('listitem')
    await failed.filter({ hasText: 'Three refuse' }).getByRole('link').click()
    const why = page.getByRole('list', { name: 'Why devices failed' }).getByRole('listitem')
    await expect(why).toContainText('The device refused.')
    clicks.expectAtMost('why three devices failed', 1)
    await button(why, 'Retry these 3').click()
    await expect(page.getByRole('status').filter({ hasText: 'Started again on 3 devices' })).toBeVisible()
    clicks.expectAtMost('why three devices failed, and those again', 2)
  } finally {
    for (const { agent } of devices) await agent.stop()
  }
})

test('8: who pushed what to a group', async ({ open }) => {
  const page = await open('sunrise')
  const call = signedIn('sunrise')
  const group = (await call.terminalGroup.list({ parent_kid: 'ROOT' })).find(({ name }) => name === 'North depot')!
  const push = { type: 'message', payload: { title: 'To the north', text: 'Please dock.' } } as const
  await call.pushTask.insert({ ...push, terminal_group_kid: group.kid })
  const clicks = await onPage(page, '/push-task-list')
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /Filter$/ })
    .click()
  await page.getByRole('menuitem', { name: 'Has a device in group', exact: true }).click()
  await typeGroup(page, 'North depot')
  await expect(page).toHaveURL(/terminal_group_kid=/)
  await expect(rowOf(page, 'To the north')).toContainText('Linh Sunrise')
  clicks.expectAtMost('who pushed what to a group', 2)
})

test('9: Wi-Fi, kiosk and URL list of a group are one save', async ({ open, complaints }) => {
  complaints.forgive(/403.*terminal_config\/save/)
  const calls = signedIn('lantern')
  const { kid } = await calls.terminalGroup.insert({ name: 'Tasks', parent_kid: 'ROOT' })
  const device = (await calls.terminal.paging({ page_size: 1, text: 'SIM-' })).items[0]!
  await calls.terminal.move_group_batch({ terminal_kids: [device.kid], terminal_group_kid: kid })
  const page = await open('lantern')
  const clicks = await onPage(page, `/configure-level?kid=${kid}`)
  const edit = async (section: string, type: (form: Locator) => Promise<void>) => {
    await button(page, `Edit: ${section}`).click()
    const form = dialog(page).filter({ hasText: `${section}: ` })
    await type(form)
    await button(form, 'Add to changes').click()
    await expect(form).toBeHidden()
  }
  await edit('Wi-Fi networks', async (form) => {
    await button(form, 'Add: Networks').click()
    await form.getByLabel('Name (SSID)').fill('Dock')
    await form.getByLabel('Password').fill('a-long-secret')
  })
  await edit('Kiosk', async (form) => {
    await form.getByRole('combobox', { name: 'Kiosk', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const apps = form.getByRole('combobox', { name: 'Apps', exact: true })
    await apps.fill('com.example.kiosk')
    await apps.press('Enter')
  })
  await edit('URL lists', (form) => form.getByLabel('Whitelist').fill('example.com'))
  await saveChanges(page, 3, device.sn, 'lantern')
  const { items } = await calls.terminalConfig.change_paging({ ltscope: 30, terminal_group_kid: kid })
  expect(items.map(({ version, sections }) => [version, sections.length])).toEqual([[1, 3]])
  clicks.expectAtMost('Wi-Fi, kiosk and URL list of a group', 10)
})

test('10: a lost device is locked with a message, rings and says where it is', async ({ open }) => {
  const page = await open('sunrise')
  const { items } = await signedIn('sunrise').terminal.paging({ text: 'SIM-', is_online: true, page_size: 50 })
  const device = items.find(({ agent_kind, lost_at }) => agent_kind === 'mdm' && lost_at === null)!
  const clicks = await onPage(page, `/device-detail/info?kid=${device.kid}`)
  await button(page, text('device-detail:actions.lost')).click()
  await button(dialog(page), text('device-detail:lost.start')).click()
  const part = page.getByRole('region', { name: text('device-detail:lost.title') })
  await expect(part).toContainText(text('device-detail:lost.outcome.lock.applied'))
  await expect(button(part, text('device-detail:lost.stop_ring'))).toBeVisible()
  await expect(part.getByRole('link', { name: text('device-detail:lost.on_map') })).toBeVisible()
  clicks.expectAtMost('a lost device', 2)
})

test('11: a fence with an alarm for a group is one form', async ({ open, complaints }) => {
  complaints.forgive(/403.*electronic_fence\/save_places/)
  const page = await open('sunrise')
  answerMapsWith(page, 204)
  const clicks = await onPage(page, '/electronic-fence-list')
  await button(page, 'Add fence').first().click()
  const form = page.getByRole('dialog', { name: 'Add fence' })
  await form.getByLabel('Name').fill('The yard')
  // A click on the map does the same: electronic-fence.e2e.ts.
  await form.getByLabel('Longitude').fill('105.8342')
  await form.getByLabel('Latitude').fill('21.0278')
  await form.getByLabel('Let it ring').click()
  await form.getByText('Group', { exact: true }).click()
  await form.getByRole('combobox', { name: 'Group', exact: true }).click()
  await typeGroup(page, 'North depot')
  await button(form, 'Add fence').click()
  await confirmPassword(page, 'sunrise')
  await expect(page.getByText('The fence The yard has been created and set')).toBeVisible()
  await expect(rowOf(page, 'The yard')).toContainText('1 place')
  clicks.expectAtMost('a fence with an alarm for a group', 6)
})

test('12: an OS for one customer is one wizard and one push', async ({ open }) => {
  await using folder = await tempFolder()
  const operator = signedIn('operator')
  const { code, display_name } = await addOtherUid(operator)
  const zip = join(folder.path, `m_${code}_full.zip`)
  await writeFile(zip, await osZip())
  const provider = await open('operator')
  const released = await onPage(provider, '/os-issue')
  const save = () => button(provider, text('os-version:save_next')).click()
  await button(provider, 'Create OS version').first().click()
  await expect(provider.getByLabel('UID', { exact: true })).toBeFocused()
  await provider.keyboard.type(code)
  await enterOn(provider, `${code} · ${display_name}`)
  await provider.getByLabel('OS version', { exact: true }).fill('10.03.001')
  await provider.getByLabel('Version code').fill('9')
  await provider.getByLabel('VER', { exact: true }).fill('90')
  await save()
  const choosing = provider.waitForEvent('filechooser')
  await button(provider, 'Choose file').click()
  await (await choosing).setFiles(zip)
  await expect(rowOf(provider, 'Full package')).toContainText('Ready')
  await save()
  await choose(provider, provider.getByLabel(text('os-version:release.accounts')), /^Sunrise Parcel/)
  await provider.keyboard.press('Escape')
  await save()
  await button(provider, text('os-version:complete.pre_released')).click()
  await expect(
    provider.getByRole('status').filter({ hasText: text('os-version:complete.pre_released_done') }),
  ).toBeVisible()
  await expect(provider.getByRole('navigation', { name: text('shell:visited') }).getByRole('listitem')).toHaveText([
    'OS versions',
    '10.03.001 (VER 90)',
  ])
  released.expectAtMost('an OS released to one customer', 8)

  const customer = await open('sunrise')
  const pushed = await onPage(customer, '/user-os-push-list')
  await button(customer, 'Push OS').click()
  await customer.getByRole('radio', { name: '10.03.001 (VER 90)' }).click()
  await nextStep(customer)
  await customer.getByRole('radio', { name: /^North depot/ }).click()
  await reviewPush(customer)
  await expect(pushSentence(customer)).toContainText(/10\.03\.001.*group North depot/)
  await button(customer, /^Update /).click()
  await expect(customer).toHaveURL(/push-task-detail|task=/)
  pushed.expectAtMost('an OS pushed to a group', 7)
})

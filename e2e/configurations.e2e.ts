import type { Locator, Page } from '@playwright/test'
import { configurableApk } from '@mdm/testbed/apks.ts'
import { pkcs12, pkcs12_password } from '@mdm/testbed/certificates.ts'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { announce } from './announce.ts'
import { hashed, signedIn } from './calls.ts'
import { accountOf } from './demo-server.ts'
import { choose, saveChanges } from './pages.ts'
import { expect, test } from './test.ts'

test('Wi-Fi, kiosk and URL list of a group are one save, one version and one row of the log', async ({
  open,
  complaints,
}) => {
  // What takes devices out of people's hands is refused until the password is typed.
  complaints.forgive(/403.*terminal_config\/save/)
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
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(form.locator('.ant-form-item-explain-error').first()).toBeVisible()
  await form.getByLabel('Password').fill('a-long-secret')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(form).toBeHidden()
  const kiosk = page.getByRole('region', { name: 'Kiosk', exact: true })
  await kiosk.getByRole('button', { name: 'Edit: Kiosk' }).click()
  const kiosk_form = page.getByRole('dialog').filter({ hasText: 'Kiosk: ' })
  await choose(page, kiosk_form.getByRole('combobox', { name: 'Kiosk', exact: true }), 'One app')
  const apps = kiosk_form.getByRole('combobox', { name: 'Apps', exact: true })
  await apps.fill('com.example.kiosk')
  await apps.press('Enter')
  await kiosk_form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(kiosk_form).toBeHidden()
  const urls = page.getByRole('region', { name: 'URL lists', exact: true })
  await urls.getByRole('button', { name: 'Edit: URL lists' }).click()
  const urls_form = page.getByRole('dialog').filter({ hasText: 'URL lists: ' })
  await urls_form.getByLabel('Whitelist').fill('example.com')
  await urls_form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(urls_form).toBeHidden()
  await expect(page.getByRole('status').filter({ hasText: '3 changes not saved yet' })).toBeVisible()
  await saveChanges(page, 3, device.sn, 'lantern')
  await expect(wifi).toContainText('Set, not shown')
  await expect(wifi).not.toContainText('a-long-secret')
  await expect(page.getByRole('link', { name: '3 of 22 sections' })).toBeVisible()

  // One version, and one row of the log that says what differs.
  const { items } = await calls.terminalConfig.change_paging({ ltscope: 30, terminal_group_kid: kid })
  expect(items.map(({ version, sections }) => [version, sections.length])).toEqual([[1, 3]])
  const log = await calls.operationLog.paging({ object_kid: kid })
  expect(log.items[0]!.change).toContain('Kiosk · Kiosk: not set → One app')
  expect(log.items[0]!.change).not.toContain('a-long-secret')

  await page.getByRole('link', { name: 'Versions' }).click()
  await expect(page.getByRole('cell', { name: /Wi-Fi networks/ })).toBeVisible()
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
  await expect(page.getByTitle('dock-settings.xml →')).toBeVisible()
})

test('a change of a group goes out in steps: later devices wait, and aborting goes back', async ({ open }) => {
  const calls = signedIn('lantern')
  const { kid } = await calls.terminalGroup.insert({ name: 'Stepwise docks', parent_kid: 'ROOT' })
  // Devices that are not there: a step waits for them, so that there is something to look at.
  const absent = async (sn: string) => calls.terminal.manual_registered({ sn, registration_code: await announce(sn) })
  const items = await Promise.all(['A', 'B', 'C'].map((letter) => absent(`E2E-STEP-${letter}`)))
  await calls.terminal.move_group_batch({ terminal_kids: items.map((one) => one.kid), terminal_group_kid: kid })
  const page = await open('lantern')
  await page.goto(`/configure-level?kid=${kid}`)
  const clock = page.getByRole('region', { name: 'Time server (NTP)' })
  await clock.getByRole('button', { name: 'Edit: Time server (NTP)' }).click()
  const form = page.getByRole('dialog').filter({ hasText: 'Time server (NTP)' })
  await form.getByLabel('Server').fill('time.example.com')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await page.getByRole('button', { name: '1 change: review' }).click()
  const question = page.getByRole('dialog').filter({ hasText: 'This changes 3 devices' })
  await question.getByText('Roll out in steps').click()
  await question.getByText('Number of devices', { exact: true }).click()
  await question.getByLabel('Step 1', { exact: true }).fill('')
  await question.getByRole('button', { name: 'Save configuration' }).click()
  await expect(question.getByRole('alert').first()).toBeVisible()
  await question.getByLabel('Step 1', { exact: true }).fill('1')
  await question.getByRole('button', { name: 'Save configuration' }).click()
  await expect(clock).toContainText('time.example.com')

  await page.getByRole('link', { name: 'Versions' }).click()
  await expect(page.getByRole('cell', { name: 'In steps' })).toContainText('3 wait for their step')
  await page.getByRole('button', { name: 'Show: Version 1' }).click()
  const steps = page.getByRole('region', { name: 'In steps', exact: true })
  await expect(steps.getByRole('link', { name: 'Step 1', exact: true })).toBeVisible()
  await expect(steps).toContainText('Running')
  await steps.getByRole('button', { name: 'Pause' }).click()
  await expect(steps).toContainText('Paused')
  await steps.getByRole('button', { name: 'Abort' }).click()
  await page.getByRole('dialog').filter({ hasText: 'Abort version 1?' }).getByRole('button', { name: 'Abort' }).click()
  await expect(page.getByRole('cell', { name: 'Restored' })).toBeVisible()
  await page.getByRole('link', { name: 'Sections', exact: true }).click()
  await expect(clock).toContainText('Not configured')
})

test('a configuration has a name and a description, and is copied to any device', async ({ open }) => {
  const calls = signedIn('lantern')
  const { kid } = await calls.terminalGroup.insert({ name: 'Named docks', parent_kid: 'ROOT' })
  const ntp = { server: 'time.example.com', every_hours: 12 }
  await calls.terminalConfig.save({ ltscope: 30, terminal_group_kid: kid, ntp })
  const page = await open('lantern')
  await page.goto('/configure-push-list')
  const row = page.getByRole('row').filter({ hasText: 'Named docks' })
  await row.getByRole('button', { name: /actions/i }).click()
  await page.getByRole('menuitem', { name: 'Name and description' }).click()
  const form = page.getByRole('dialog').filter({ hasText: 'Name the configuration' })
  await form.getByLabel('Name', { exact: true }).fill('Clocks of the docks')
  await form.getByLabel('Description').fill('Asked for by the night shift')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Clocks of the docks')

  const device = (await calls.terminal.paging({ page_size: 1, sort: 'sn', order: 'desc' })).items[0]!
  await page.goto(`/configure-level?kid=${kid}`)
  await page.getByRole('button', { name: 'Copy to …' }).click()
  const copy = page.getByRole('dialog').filter({ hasText: 'Copy configuration' })
  await copy.getByRole('searchbox', { name: 'SN, alias or IMEI' }).fill(device.sn)
  await copy.getByRole('row').filter({ hasText: device.sn }).getByRole('checkbox').check()
  await copy.getByRole('button', { name: 'Copy configuration' }).click()
  const asked = page.getByRole('dialog', { name: 'This changes 1 device. Copy?' })
  await expect(asked).toContainText(device.sn)
  await asked.getByRole('button', { name: 'Copy configuration' }).click()
  await expect(copy).toHaveCount(0)
  const set = await calls.terminalConfig.get({ ltscope: 40, terminal_kid: device.kid })
  expect(set.ntp?.value).toEqual(ntp)
  const { items } = await calls.terminalConfig.change_paging({ ltscope: 40, terminal_kid: device.kid })
  await page.goto(`/device-detail/config?kid=${device.kid}`)
  await page.getByRole('link', { name: 'Versions' }).click()
  await page.getByRole('button', { name: `Show: Version ${items[0]!.version}`, exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('time.example.com')
  await calls.terminalConfig.reset({ ltscope: 40, terminal_kid: device.kid })
})

type Typing = (form: Locator, page: Page) => Promise<unknown>
const type =
  (label: string, text: string): Typing =>
  (form) =>
    form.getByLabel(label, { exact: true }).fill(text)
const pick =
  (label: string, option: string): Typing =>
  (form, page) =>
    choose(page, form.getByRole('combobox', { name: label, exact: true }), option)
const tag =
  (label: string, text: string): Typing =>
  async (form) => {
    const field = form.getByRole('combobox', { name: label, exact: true })
    await field.fill(text)
    await field.press('Enter')
  }
const tick =
  (name: string): Typing =>
  (form) =>
    form.getByRole('checkbox', { name, exact: true }).check()
const press =
  (name: string): Typing =>
  (form) =>
    form.getByRole('button', { name, exact: true }).click()
const file: Typing = (form) =>
  form.locator('input[type=file]').setInputFiles({
    name: 'terminal.p12',
    mimeType: 'application/x-pkcs12',
    buffer: Buffer.from(pkcs12.plain, 'base64'),
  })
const hidden = 'Set, not shown'
/** What is typed into the editor of each section, and what its section says afterwards. */
const editors: readonly (readonly [section: string, shown: string | RegExp, ...typed: Typing[]])[] = [
  ['Collection', 'After a change of 7 %', type('Battery: value', '7')],
  ['Screen lock', hidden, type('Password', '4711')],
  ['Manage password', hidden, type('Password', 'depot-7')],
  ['Name of the device', 'dock-1', pick('Name', 'Custom'), type('Custom name', 'dock-1')],
  ['Wi-Fi networks', 'Open', press('Add: Networks'), type('Name (SSID)', 'Depot'), pick('Security', 'Open')],
  ['Wi-Fi channels', '149', tick('11'), tick('149')],
  ['Mobile data', 'Off', pick('Mobile data', 'Off')],
  ['Proxy', '3128', pick('Proxy', 'By host and port'), type('Server', 'proxy.example.com'), type('Port', '3128')],
  ['Time server (NTP)', 'time.example.com', type('Server', 'time.example.com')],
  ['Time zone', 'Asia/Tokyo', tag('Time zone', 'Tokyo')],
  ['Language', 'vi_VN', type('Language and region', 'vi_VN')],
  ['Display and sound', '40 %', type('Brightness', '40')],
  ['Ports and sensors', 'Forbidden', pick('Camera', 'Forbidden')],
  ['Key mapping', 'SCAN_LEFT', press('Add: Keys'), type('Key', 'SCAN_LEFT'), pick('Does', 'Home')],
  ['Factory reset', 'Forbidden', pick('By users', 'Forbidden')],
  ['URL lists', '*.example.org', type('Whitelist', 'example.com, *.example.org')],
  ['App lists', 'com.example.game', tag('Blacklist', 'com.example.game')],
  ['Kiosk', 'com.example.kiosk', pick('Kiosk', 'One app'), tag('Apps', 'com.example.kiosk')],
  ['Permissions of apps', 'Deny', pick('All apps', 'Deny')],
  [
    'Certificates',
    'terminal.example.com',
    press('Add: Certificates'),
    type('Name', 'Dock'),
    pick('Format', 'PKCS#12'),
    file,
    type('Password', pkcs12_password),
  ],
  ['Update window', '22:30', type('From', '22:30'), type('To', '05:00')],
  ['Server address', 'https://mdm.example.com:10102', type('Address', 'https://mdm.example.com:10102')],
]

test('the editor of every section saves what is typed, and shows it', async ({ open }) => {
  const calls = signedIn('lantern')
  await calls.login.confirm_password({ password: hashed(accountOf('lantern').password) })
  const { kid } = await calls.terminalGroup.insert({ name: 'Walked docks', parent_kid: 'ROOT' })
  const page = await open('lantern')
  await page.goto(`/configure-level?kid=${kid}`)
  const walk = async ([section, shown, ...typed]: (typeof editors)[number]) => {
    const part = page.getByRole('region', { name: section, exact: true })
    await part.getByRole('button', { name: `Edit: ${section}`, exact: true }).click()
    const form = page.getByRole('dialog').filter({ hasText: `${section}: ` })
    for (const typing of typed) await typing(form, page)
    await form.getByRole('button', { name: 'Add to changes' }).click()
    await expect(form).toBeHidden()
    return () => expect(part).toContainText(shown)
  }
  const saved: (() => Promise<void>)[] = []
  for (const editor of editors) saved.push(await walk(editor))
  await saveChanges(page, editors.length)
  for (const isShown of saved) await isShown()
  await page.getByText('Set here', { exact: true }).click()
  await expect(page.getByRole('button', { name: /^Edit: / })).toHaveCount(editors.length)
  // What the console itself goes by is set for the account alone.
  await page.goto('/configure-level?kid=account')
  const map = await walk(['Map', 'Baidu Maps', pick('Map', 'Baidu Maps')])
  const columns = await walk(['Columns of the device list', 'Model', tag('Hidden', 'Model')])
  await saveChanges(page, 2)
  await map()
  await columns()
  await calls.terminalConfig.reset({ ltscope: 20, sections: ['map_type', 'list_columns'] })
})

test('what is set of an app is a form made from its package; a reset says first what it changes', async ({ open }) => {
  const calls = signedIn('lantern')
  const upload_kid = await uploadFile(calls, 'scanner.apk', await configurableApk('com.example.walked'))
  await calls.appCenter.insert({ upload_kid, name: 'Depot scanner', is_listed: true })
  const { kid } = await calls.terminalGroup.insert({ name: 'Scanning docks', parent_kid: 'ROOT' })
  const page = await open('lantern')
  await page.goto(`/configure-level?kid=${kid}`)
  const part = page.getByRole('region', { name: 'Configuration of apps', exact: true })
  await part.getByRole('button', { name: 'Edit: Configuration of apps' }).click()
  const form = page.getByRole('dialog').filter({ hasText: 'Configuration of apps' })
  await choose(page, form.getByRole('combobox', { name: 'App name or package' }), 'Depot scanner (com.example.walked)')
  const app = form.getByRole('group', { name: 'Depot scanner' })
  await expect(app).toContainText('Where scans go')
  await expect(app).toContainText('One setting has others in it and cannot be set here: hosts.')
  await app.getByLabel('Server', { exact: true }).fill('https://scan.depot.example')
  await choose(page, app.getByRole('combobox', { name: 'Torch' }), 'No')
  await app.getByRole('spinbutton', { name: 'Time-out' }).fill('45')
  await choose(page, app.getByRole('combobox', { name: 'Symbologies' }), 'QR')
  await page.keyboard.press('Escape')
  await app.getByRole('button', { name: 'Add a setting by its key' }).click()
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(form.locator('.ant-form-item-explain-error')).toContainText('com.example.walked')
  await app.getByLabel('Key', { exact: true }).fill('beta')
  await app.getByRole('textbox', { name: 'Value', exact: true }).fill('on')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await expect(form).toBeHidden()
  await saveChanges(page, 1)
  await expect(part).toContainText('https://scan.depot.example')
  await expect(part.getByRole('heading', { name: 'Depot scanner' })).toBeVisible()
  const { managed_apps } = await calls.terminalConfig.get({ ltscope: 30, terminal_group_kid: kid })
  expect(managed_apps!.value.entries.map(({ key, kind, value }) => [key, kind, value])).toEqual([
    ['server', 'text', 'https://scan.depot.example'],
    ['torch', 'yes_no', 'false'],
    ['timeout', 'number', '45'],
    ['symbologies', 'several', 'QR'],
    ['beta', 'text', 'on'],
  ])

  const sn = 'E2E-CONFIG-APP'
  const device = await calls.terminal.manual_registered({ sn, registration_code: await announce(sn) })
  await calls.terminal.move_group_batch({ terminal_kids: [device.kid], terminal_group_kid: kid })
  await part.getByRole('button', { name: /^Reset: / }).click()
  await saveChanges(page, 1, sn)
  await expect(part).toContainText('Not configured')
})

test('the platform has versions too: what each changed, and a way back', async ({ open }) => {
  const calls = signedIn('operator')
  const page = await open('operator')
  await page.goto('/platform-config')
  const clock = page.getByRole('region', { name: 'Time server (NTP)', exact: true })
  await clock.getByRole('button', { name: 'Edit: Time server (NTP)' }).click()
  const form = page.getByRole('dialog').filter({ hasText: 'Time server (NTP): ' })
  await form.getByLabel('Server').fill('time.example.com')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await saveChanges(page, 1, 'This changes')
  await expect(clock).toContainText('time.example.com')
  await calls.opsTerminalConfig.reset({ sections: ['ntp'] })
  await page.getByRole('link', { name: 'Versions', exact: true }).click()
  const [reset, saved] = (await calls.opsTerminalConfig.change_paging({})).items
  await page.getByRole('button', { name: `Show: Version ${saved!.version}`, exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('time.example.com')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('cell', { name: 'Reset', exact: true }).first()).toBeVisible()
  await calls.opsTerminalConfig.revert({ kid: saved!.kid })
  expect((await calls.opsTerminalConfig.get({})).ntp?.value).toMatchObject({ server: 'time.example.com' })
  await calls.opsTerminalConfig.revert({ kid: reset!.kid })
  expect((await calls.opsTerminalConfig.get({})).ntp).toBeNull()
})

test('a profile is made, filled and used by a group; its devices say where the value comes from', async ({ open }) => {
  const calls = signedIn('lantern')
  const { kid } = await calls.terminalGroup.insert({ name: 'Profiled docks', parent_kid: 'ROOT' })
  const sn = 'E2E-PROFILE'
  const device = await calls.terminal.manual_registered({ sn, registration_code: await announce(sn) })
  await calls.terminal.move_group_batch({ terminal_kids: [device.kid], terminal_group_kid: kid })
  const page = await open('lantern')
  await page.goto('/configure-push-list?tab=profiles')
  await page.getByRole('button', { name: 'Create profile' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name', { exact: true }).fill('Dock clocks')
  await form.getByRole('button', { name: 'Create profile' }).click()
  await page.getByRole('link', { name: 'Dock clocks' }).click()
  const clock = page.getByRole('region', { name: 'Time server (NTP)', exact: true })
  await clock.getByRole('button', { name: 'Edit: Time server (NTP)' }).click()
  await form.getByLabel('Server').fill('time.example.com')
  await form.getByRole('button', { name: 'Add to changes' }).click()
  await saveChanges(page, 1)
  await expect(clock).toContainText('Profile Dock clocks')

  await page.getByRole('link', { name: 'Used by' }).click()
  await page.getByRole('button', { name: 'Use profile for …' }).click()
  await choose(page, form.getByRole('combobox', { name: 'Group', exact: true }), 'Profiled docks')
  await expect(form).toContainText('This changes 1 device:')
  await expect(form).toContainText(sn)
  await form.getByRole('button', { name: 'Use profile for …' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Profiled docks' })).toContainText('10')
  await page.goto(`/device-detail/config?kid=${device.kid}`)
  await expect(clock).toContainText('Profile Dock clocks')
})

import type { Page } from '@playwright/test'
import { enrol } from '@mdm/testbed/enrol.ts'
import type { Device } from '@mdm/testbed/enrol.ts'
import { hashed, password, signedIn } from './calls.ts'
import {
  choose,
  chooseInUserMenu,
  columnOf,
  enterCustomer,
  mainMenu,
  returnFrom,
  rowOf,
  signInByHand,
  tableRows,
} from './pages.ts'
import { expect, test } from './test.ts'
import { text } from './text.ts'

const customer = { name: 'Harbour Freight', username: 'harbour', password }
const person = { name: 'Quay Clerk', username: 'harbour.clerk', password }
const role = 'Looks only'
const groups = ['Quay', 'Warehouse']
const devices = { Quay: ['E2E-QUAY-1', 'E2E-QUAY-2'], Warehouse: ['E2E-WARE-1'] } as const
const missing = /the server responded with a status of 404 .*\/api\/terminal/

test('administration: from a new customer to a person of it who sees one group and nothing else', async ({
  open,
  complaints,
}) => {
  const page = await open('operator')
  await test.step('the operator creates a customer and finds it in the list', () => createCustomer(page))
  await test.step('reads it in Vietnamese and Chinese', () => readList(page))
  await test.step('enters it, and is told that it ends soon', async () => {
    await enterCustomer(page, customer.name)
    const banner = page.getByRole('status').filter({ hasText: 'The account expires in 30 days.' })
    await expect(banner).toHaveAttribute('data-tone', 'orange')
  })
  await test.step('makes a role with three permissions', () => makeRole(page))
  await test.step('reads the roles in Vietnamese and Chinese', () => readRoles(page))
  await using fleet = await test.step('devices register in two groups', registerDevices)
  await test.step('makes a person with that role, limited to one group', () => makePerson(page))
  await test.step('returns', () => returnFrom(page))

  const visitor = await open()
  await test.step('the person signs in and sees the menus of three permissions', async () => {
    await visitor.goto('/login')
    await signInByHand(visitor, person)
    await expect(visitor).toHaveURL('/home/index')
    await expect(mainMenu(visitor).getByRole('link')).toHaveText(['Home', 'Device list', 'File cloud'])
  })
  await test.step('sees the devices of the group, and no button that changes anything', () => lookOnly(visitor))
  await test.step('comes to nothing else by its address', async () => {
    for (const address of ['/operation-log-list', '/user-role-manage-list', '/external-user-manage-list']) {
      await visitor.goto(address)
      await expect(visitor).toHaveURL('/404')
      await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('There is no such page')
    }
    await visitor.goto(`/device-detail/task?kid=${fleet.of('E2E-QUAY-1').kid}`)
    await expect(visitor).toHaveURL('/404')
    await visitor.goto(`/device-detail/info?kid=${fleet.of('E2E-WARE-1').kid}`)
    await expect(visitor.getByRole('main').getByRole('alert')).toBeVisible()
    await expect(visitor.getByRole('main')).not.toContainText('E2E-WARE-1')
    complaints.forgive(missing)
  })
  await test.step('the customer is no longer new', async () => {
    await page.goto(`/external-user-manage-list?text=${encodeURIComponent(customer.name)}`)
    await expect(rowOf(page, customer.name)).toContainText('Normal')
    await expect(rowOf(page, customer.name)).toContainText('3 / 10')
  })
  await test.step('its page names the account with its IDs, and what it uses', async () => {
    await rowOf(page, customer.name).getByRole('link', { name: customer.name }).click()
    const account = page.getByRole('region', { name: 'Account', exact: true })
    for (const name of ['Account ID', 'Root account ID', '3 of 10']) await expect(account).toContainText(name)
  })
})

test('an operator who holds the permission of the log alone reads the log of the provider', async ({ open }) => {
  const call = signedIn('operator')
  const admin = (await call.opsRole.list({})).find(({ code }) => code === 'admin')!
  const role_draft = {
    code: 'logreader',
    name: 'Log reader',
    weight: 1,
    parent_kid: admin.kid,
    permissions: ['operationLogList'],
  }
  const { kid } = await call.opsRole.insert(role_draft)
  const reader = { username: 'log.reader', name: 'Lan Log', password }
  await call.opsInsideUser.insert({ ...reader, password: hashed(password), role_kids: [kid] })
  const page = await open()
  await page.goto(`/login?redirect=${encodeURIComponent('/operation-log-list')}`)
  await signInByHand(page, reader)
  await expect(page).toHaveURL('/operation-log-list')
  const made = page.getByRole('row').filter({ hasText: 'Create an internal user' }).first()
  await expect(made).toContainText('Olga Operator')
  await made.getByRole('link').click()
  await expect(page.getByRole('dialog')).toContainText('User account: created log.reader')
  await expect(page.getByRole('dialog')).toContainText('Account of the operator')
})

test('the operation log: who did what to what, of a device from its page, of a day by one click', async ({ open }) => {
  const call = signedIn('sunrise')
  const { items } = await call.terminal.paging({ page_size: 2, sort: 'sn' })
  const [{ kid, sn }, other] = items as [(typeof items)[0], (typeof items)[0]]
  await call.terminal.move_group_batch({ terminal_kids: [kid, other.kid], terminal_group_kid: 'NO_GROUP' })
  const page = await open('sunrise')
  await page.goto(`/device-detail/event?kid=${kid}`)
  await page.getByRole('link', { name: text('device-detail:event.operations') }).click()
  const moved = rowOf(page, sn).first()
  await expect(moved).toContainText(other.sn)
  await expect(moved).toContainText('moved to')
  await page.getByRole('button', { name: text('common:list.add_filter'), exact: true }).click()
  await page.getByRole('menuitem', { name: text('operation-log:time') }).click()
  await page.getByRole('button', { name: text('common:list.period.yesterday') }).click()
  await expect(page.getByText(text('common:list.none_match'))).toBeVisible()
  await page.getByRole('button', { name: text('common:list.period.today') }).click()
  await page.keyboard.press('Escape')
  await moved.getByRole('link', { name: sn, exact: true }).click()
  await expect(page).toHaveURL(`/device-detail/info?kid=${kid}`)
})

async function createCustomer(page: Page): Promise<void> {
  await page.goto('/external-user-manage-list')
  await page.getByRole('button', { name: 'Create customer' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(customer.name)
  await page.getByLabel('Login name').fill(customer.username)
  await page.getByLabel('Set a password now').check()
  await page.getByLabel('Password', { exact: true }).fill(customer.password)
  await page.getByLabel('Confirm password').fill(customer.password)
  await page.getByLabel('Devices', { exact: true }).fill('10')
  await page.getByLabel('Valid until').click()
  await page.getByText('30 days more').click()
  await page.getByRole('button', { name: 'Create customer' }).click()
  await expect(page).toHaveURL('/external-user-manage-list')
  await page.getByRole('searchbox', { name: 'Name, organization, login' }).fill(customer.name)
  await expect.poll(() => columnOf(page, 'Customer')).toEqual([customer.name])
  const [row] = await tableRows(page)
  expect(row).toMatchObject({ State: 'Not activated', Devices: '0 / 10', 'Login name': customer.username })
  expect(row?.['Expires']).toMatch(/30 days left$/)
}

/** What a person wrote stays, what the console says changes. */
const listWords = {
  'Tiếng Việt': { heads: ['Khách hàng', 'Trạng thái', 'Thiết bị'], state: 'Chưa kích hoạt' },
  简体中文: { heads: ['客户', '状态', '设备'], state: '未激活' },
}
async function readList(page: Page): Promise<void> {
  const english = (await tableRows(page))[0] ?? {}
  await inLanguages(page, listWords, async ({ heads, state }) => {
    await expect(rowOf(page, customer.name)).toContainText(state)
    const [row = {}] = await tableRows(page)
    expect(Object.keys(row)).toEqual(expect.arrayContaining(heads))
    expect(Object.keys(row).filter((head) => head in english)).toEqual([])
    expect(Object.values(row)).toEqual(expect.arrayContaining([customer.name, customer.username, '0 / 10']))
  })
}

const roleWords = {
  'Tiếng Việt': { title: 'Vai trò người dùng', heads: ['Tên', 'Mã', 'Trọng số'], granted: '3 quyền' },
  简体中文: { title: '用户角色', heads: ['名称', '代码', '权重'], granted: '3 项权限' },
}
const readRoles = (page: Page) =>
  inLanguages(page, roleWords, async ({ title, heads, granted }) => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
    await expect(rowOf(page, role)).toContainText(granted)
    const row = (await tableRows(page)).find((each) => Object.values(each).includes(role)) ?? {}
    expect(Object.keys(row)).toEqual(expect.arrayContaining(heads))
    expect(Object.values(row)).toEqual(expect.arrayContaining([role, 'looker', '50']))
  })

/** Reads the page in each of the languages, and leaves it in English. */
async function inLanguages<W>(
  page: Page,
  labels: Record<string, W>,
  read: (labels: W) => Promise<void>,
): Promise<void> {
  const menus: Record<string, string> = { 'Tiếng Việt': 'Ngôn ngữ', 简体中文: '语言' }
  let menu = 'Language'
  for (const [language, expected] of Object.entries(labels)) {
    await chooseInUserMenu(page, menu, language)
    await read(expected)
    menu = menus[language]!
  }
  await chooseInUserMenu(page, menu, 'English')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-GB')
}

async function makeRole(page: Page): Promise<void> {
  await mainMenu(page).getByRole('link', { name: 'User roles' }).click()
  await page.getByRole('button', { name: /Add role$/ }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel('Name', { exact: true }).fill(role)
  await drawer.getByLabel('Code').fill('looker')
  await drawer.getByLabel('Weight').fill('50')
  await drawer.getByRole('button', { name: 'Add role and choose permissions' }).click()
  const tree = page.getByRole('dialog', { name: `Permissions of the role ${role}` })
  await expect(tree).toContainText('Nobody has this role yet.')
  const item = (name: string | RegExp) => tree.getByRole('treeitem', { name })
  for (const screen of ['Device list', 'Device information', 'File cloud']) {
    await item(new RegExp(`^${screen} 0 of `)).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await expect(page.locator(':focus')).toHaveAccessibleName('Open the page')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowLeft')
    await expect(item(new RegExp(`^${screen} 1 of `))).toHaveAttribute('aria-checked', 'mixed')
  }
  await expect(tree.getByRole('status').filter({ hasText: 'granted' })).toContainText(/^3 of \d+ granted$/)
  await tree.getByRole('button', { name: 'Save permissions' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(rowOf(page, role)).toContainText('3 permissions')
}

type Fleet = AsyncDisposable & { of: (sn: string) => Device }
/** Real agents of two groups, which the operator makes for the customer. */
async function registerDevices(): Promise<Fleet> {
  const [found] = (await signedIn('operator').opsAccount.paging({ text: customer.name })).items
  const call = signedIn('operator', found!.kid)
  const all: Device[] = []
  for (const name of groups) {
    const { kid: group_kid } = await call.terminalGroup.insert({ name, parent_kid: 'ROOT' })
    for (const sn of devices[name as keyof typeof devices])
      all.push(await enrol(call, { sn, seed: all.length + 1, group_kid }))
  }
  return {
    of: (sn) => all.find((device) => device.sn === sn)!,
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map(({ agent }) => agent.stop()))),
  }
}

async function makePerson(page: Page): Promise<void> {
  await mainMenu(page).getByRole('link', { name: 'User accounts' }).click()
  await page.getByRole('button', { name: 'Add user account' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(person.name)
  await page.getByLabel('Login name').fill(person.username)
  await page.getByLabel('Set a password now').check()
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password').fill(person.password)
  await choose(page, page.getByLabel('Roles'), role)
  await page.keyboard.press('Escape')
  await choose(page, page.getByLabel('Limited to the groups'), 'Quay')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('status').filter({ hasText: 'everything below' })).toContainText('now 2 devices')
  await page.getByRole('button', { name: 'Add user account' }).click()
  await expect(page).toHaveURL('/user-account-manage-list')
  await expect(rowOf(page, person.username)).toContainText('Not activated')
  await expect(rowOf(page, person.username)).toContainText(role)
  await expect(rowOf(page, person.username)).toContainText('1 group')
}

async function lookOnly(page: Page): Promise<void> {
  await mainMenu(page).getByRole('link', { name: 'Device list' }).click()
  await page.getByRole('columnheader', { name: 'SN' }).click()
  await expect.poll(() => columnOf(page, 'SN')).toEqual([...devices.Quay])
  await expect(page.getByRole('treeitem', { name: 'All devices, 2 devices' })).toBeVisible()
  await expect(page.getByRole('treeitem', { name: /^Warehouse/ })).toHaveCount(0)
  for (const name of [/^Register device$/, /^New group$/, /^Actions for the group/])
    await expect(page.getByRole('button', { name, includeHidden: true })).toHaveCount(0)
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await expect(page.getByRole('menuitem')).toHaveText(['Open'])
  await page.getByRole('menuitem', { name: 'Open' }).click()
  await expect(page).toHaveURL(/\/device-detail\/info\?kid=/)
  await expect(page.getByRole('main')).toContainText('E2E-QUAY-')
  await expect(page.getByRole('navigation', { name: 'Sections' }).getByRole('link')).toHaveText(['Information'])
  for (const name of [/^Find$/, /^Lock$/, /^Restart$/, /^Rename$/])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await mainMenu(page).getByRole('link', { name: 'File cloud' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('File cloud')
  for (const name of [/Upload files$/, /File pushes$/]) await expect(page.getByRole('button', { name })).toHaveCount(0)
}

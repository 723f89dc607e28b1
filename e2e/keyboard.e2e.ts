import type { Locator, Page } from '@playwright/test'
import { signedIn } from './calls.ts'
import { accountOf } from './demo-server.ts'
import { arrive, chooseByKey, mainMenu, moveByKey, openMenuByKey, rowOf, settled, tabTo } from './pages.ts'
import { slide } from './puzzle.ts'
import { expect, test } from './test.ts'
import { text } from './text.ts'

const listed = (page: Page) => expect(rowOf(page, 'SIM-1-')).not.toHaveCount(0)
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
/** Enter opens it and takes the focus along, Escape closes it and brings the focus back. */
async function opensAndReturns(page: Page, opener: Locator, inside: Locator): Promise<void> {
  await opener.focus()
  await page.keyboard.press('Enter')
  await expect(inside.locator(':focus').or(inside.and(page.locator(':focus')))).toHaveCount(1)
  // In a drawer it begins at the first field, or at the title: never at the cross.
  if (await inside.locator('.ant-drawer-header').count())
    await expect(
      inside.locator('.drawer-heading:focus, .ant-drawer-body :focus:not(button:not([role=switch]))'),
    ).toHaveCount(1)
  await page.keyboard.press('Escape')
  // A drawer may have a button of the same name.
  await expect(inside).toHaveCount(0)
  await expect(opener).toBeFocused()
}

test('sign-in, list, filter, device and message with the keyboard alone', async ({ open }) => {
  const page = await open()
  const focused = page.locator(':focus')
  const press = (key: string) => page.keyboard.press(key)
  const { password } = accountOf('sunrise')

  await page.goto('/login?redirect=%2Fhome%2Findex')
  await expect(page.getByLabel(text('sign-in:username'))).toBeVisible()
  if (!(await page.getByLabel(text('sign-in:username')).evaluate((it) => it === document.activeElement)))
    await tabTo(page, text('sign-in:username'))
  await page.keyboard.type('sunrise')
  await tabTo(page, 'Password')
  await page.keyboard.type(password)
  await expect(page.getByRole('slider')).toBeVisible()
  for (let at = 0; at < 10 && (await focused.getAttribute('role')) !== 'slider'; at++) await press('Tab')
  await slide(page, { by: 'keys' })
  await expect(page.getByRole('status').filter({ hasText: 'Done' })).toBeVisible()
  await tabTo(page, 'Sign in')
  await press('Enter')
  await expect(page).toHaveURL('/home/index')

  await tabTo(page, 'Device list')
  await press('Enter')
  await listed(page)
  await tabTo(page, 'Online')
  await press('Space')
  await expect(page).toHaveURL(/is_online=true/)
  await expect(focused).toHaveAttribute('aria-pressed', 'true')

  await tabTo(page, text('common:list.add_filter'))
  await press('Enter')
  await expect(focused).toHaveText('Model')
  await press('Enter')
  const choice = page.getByRole('menuitemcheckbox')
  await expect(choice.first()).toBeFocused()
  await press('Enter')
  await expect(choice.first()).toHaveAttribute('aria-checked', 'true')
  await press('Escape')
  await expect(button(page, text('common:list.add_filter'))).toBeFocused()
  await expect(button(page, /^Model: /)).toBeVisible()
  await tabTo(page, text('common:list.remove_filter', { name: 'Model' }), 'Shift+Tab')
  await press('Enter')
  await expect(button(page, /^Model: /)).toHaveCount(0)
  await expect(page.locator('body')).not.toBeFocused()

  const first = page.getByRole('checkbox', { name: /^Select Handheld/ }).first()
  const name = (await first.getAttribute('aria-label'))!
  await tabTo(page, name)
  await press('Space')
  await expect(page.getByRole('status').filter({ hasText: '1 selected' })).toBeVisible()
  await tabTo(page, 'Push', 'Shift+Tab')
  await openMenuByKey(page, button(page, 'Push'))
  await chooseByKey(page, page.getByRole('menuitem', { name: 'Message', exact: true }))
  const bulk = page.getByRole('dialog')
  await expect(bulk).toBeVisible()
  await expect(bulk.locator(':focus').or(bulk.and(focused))).toHaveCount(1)
  await press('Escape')
  await expect(button(page, 'Push')).toBeFocused()
  await tabTo(page, text('common:list.select_none'), 'Shift+Tab')
  await press('Enter')
  await expect(page.locator('.bulk-bar')).toHaveCount(0)
  // Where one came from: something of the table.
  await expect(page.locator('.list-table :focus')).toHaveCount(1)
  const sn = /\((.+)\)$/.exec(name)![1]!
  await tabTo(page, sn)
  await press('Enter')
  await expect(page).toHaveURL(/\/device-detail\/info\?kid=/)

  await tabTo(page, 'Messages')
  await press('Enter')
  await expect(page).toHaveURL(/\/device-detail\/push-message/)
  await tabTo(page, text('device-detail:message.new'))
  await press('Enter')
  const drawer = page.getByRole('dialog').filter({ hasText: 'Send message' })
  await expect(drawer).toBeVisible()
  await expect(drawer.getByLabel('Title')).toBeFocused()
  await page.keyboard.type('By keyboard')
  await press('Escape')
  const question = page.getByRole('dialog', { name: text('common:unsaved.title') })
  await expect(question.getByRole('button', { name: text('common:unsaved.stay') })).toBeFocused()
  await press('Enter')
  await expect(question).toHaveCount(0)
  await expect(drawer.locator(':focus').or(drawer.and(focused))).toHaveCount(1)
  await expect(drawer.getByLabel('Title')).toHaveValue('By keyboard')
  await tabTo(page, 'Text')
  await page.keyboard.type('No mouse was here.')
  await tabTo(page, 'Send message')
  await press('Enter')
  await expect(drawer).toHaveCount(0)
  await expect(button(page, text('device-detail:message.new')).first()).toBeFocused()
  await expect(page.getByText('By keyboard').first()).toBeVisible()
})

test('Enter that chooses an item of a menu does nothing in the dialog that it opens', async ({ open }) => {
  const page = await open('sunrise')
  const sent: string[] = []
  page.on('request', (request) => sent.push(new URL(request.url()).pathname))
  await page.goto('/device-list?sort=sn&page_size=10')
  await listed(page)
  await page
    .getByRole('checkbox', { name: /^Select Handheld/ })
    .first()
    .click()
  // With a field, which sends its form with Enter, and without one.
  for (const name of ['Message', 'Find', 'Restart', 'Factory reset'])
    await test.step(name, async () => {
      await openMenuByKey(page, button(page, 'Push'))
      await moveByKey(page, page.getByRole('menuitem', { name, exact: true }))
      await page.keyboard.down('Enter')
      const dialog = page.getByRole('dialog')
      await expect(dialog.locator(':focus').or(dialog.and(page.locator(':focus')))).toHaveCount(1)
      await expect(page.getByRole('menu').filter({ visible: true })).toHaveCount(0)
      // Held, it repeats.
      await page.keyboard.down('Enter')
      await page.keyboard.down('Enter')
      await page.keyboard.up('Enter')
      await expect(dialog).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await expect(button(page, 'Push')).toBeFocused()
    })
  // Nor where the menu keeps the key to itself, as in the tree of groups.
  await openMenuByKey(page, page.getByRole('button', { name: 'Actions for the group North depot' }))
  await chooseByKey(page, page.getByRole('menuitem', { name: 'Rename', exact: true }))
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(sent.filter((path) => /push_task.insert|terminal_group.update/.test(path))).toEqual([])
})

test('the focus goes into what opens and back to what opened it', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/device-list?sort=sn&page_size=10')
  await listed(page)
  const tooltip = page.getByRole('tooltip').or(page.locator('.ant-popover')).filter({ visible: true }).first()
  for (const name of [text('common:list.add_filter'), text('common:list.views'), text('shell:tray')])
    await opensAndReturns(page, button(page, name), tooltip)
  for (const name of [
    text('common:list.columns'),
    text('common:list.export'),
    text('devices:register.button'),
    text('devices:register.sheet_button'),
    text('device-filters:admin.open'),
    text('devices:tree.add'),
    text('device-filters:group.add'),
  ])
    await test.step(name, () => opensAndReturns(page, button(page, name), page.getByRole('dialog')))

  // What a menu opened returns to the button of the menu.
  const actions = page.getByRole('button', { name: /^Actions for Handheld/ }).first()
  await opensAndReturns(page, actions, page.getByRole('menu').filter({ visible: true }))
  await openMenuByKey(page, actions)
  await chooseByKey(page, page.getByRole('menuitem', { name: 'Rename' }))
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(actions).toBeFocused()
})

/** What opens a drawer or a dialog on the screens beside the device list, by who may open it. */
const openers: Record<string, [path: string, ...names: string[]][]> = {
  sunrise: [
    ['account/index', 'Edit details'],
    ['account/index?part=security', 'Change password'],
    ['account/index?part=tokens', 'Create token'],
    ['alert-rule-list', 'Add rule'],
    ['app-center-list', 'Categories'],
    ['app-required-list', 'Require an app'],
    ['configure-level?kid=account', 'Edit: Collection'],
    ['electronic-fence-list', 'Add fence', 'Close fences'],
    ['push-task-list', 'Push settings'],
    ['webhook-list', 'Add webhook'],
  ],
  operator: [
    ['information-list/client-code', 'Import'],
    ['inside-role-manage-list', 'Add role'],
    ['os-issue', 'Signing keys'],
    ['policy-list', 'Create policy'],
    ['uid-list', 'Explain a UID'],
  ],
}
for (const [who, screens] of Object.entries(openers))
  test(`the focus returns from the drawers of every screen: ${who}`, async ({ open }) => {
    const page = await open(who)
    await page.goto('/account/index')
    await settled(page)
    for (const [path, ...names] of screens)
      await test.step(path, async () => {
        await arrive(page, `/${path}`)
        for (const name of names) await opensAndReturns(page, button(page, name).first(), page.getByRole('dialog'))
      })
  })

const widths = { en: [1440, 1024], vi: [1440, 1024], 'zh-cn': [1024] } as const
for (const language of ['en', 'vi', 'zh-cn'] as const)
  test(`no row moves when one is selected: ${language}`, async ({ open }) => {
    const page = await open('sunrise', { language })
    await page.setViewportSize({ width: widths[language][0], height: 900 })
    await page.goto('/device-list?sort=sn&page_size=10')
    await listed(page)
    const box = (at: number) => rowOf(page, 'SIM-1-').nth(at).getByRole('checkbox')
    const top = async () => (await rowOf(page, 'SIM-1-').nth(2).boundingBox())!.y
    for (const width of widths[language])
      await test.step(`${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 })
        // The list has its new width two frames later.
        await page.evaluate(
          () => new Promise((is_drawn) => requestAnimationFrame(() => requestAnimationFrame(is_drawn))),
        )
        const before = await top()
        for (const at of [1, 2, 3]) {
          await box(at).check()
          expect(await top()).toBe(before)
        }
        // What can be done is all there, inside the page and below the bar at its top.
        const [bar, ...buttons] = await page
          .locator('.bulk-bar, .bulk-bar button')
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as DOMRectReadOnly))
        expect(buttons.length).toBeGreaterThan(1)
        for (const each of buttons)
          expect(each.left >= bar!.left && each.right <= bar!.right && each.top >= bar!.top).toBe(true)
        for (const at of [1, 2, 3]) {
          await box(at).uncheck()
          expect(await top()).toBe(before)
        }
      })
  })

test('another group clears the selection, another page says what is selected elsewhere', async ({ open }) => {
  const page = await open('sunrise')
  await page.goto('/device-list?sort=sn&page_size=20')
  await listed(page)
  const boxes = page.getByRole('checkbox', { name: /^Select Handheld/ })
  await boxes.nth(0).check()
  await boxes.nth(1).check()
  const name = (await boxes.nth(0).getAttribute('aria-label'))!.replace('Select ', '')
  await page.getByRole('button', { name: 'Next page' }).click()
  await button(page, '2 not on this page').click()
  await page.getByRole('button', { name: `Do not select ${name}` }).click()
  await expect(page.getByRole('status').filter({ hasText: '1 selected' })).toBeVisible()
  await page.getByRole('treeitem', { name: /^North depot, / }).click()
  await expect(button(page, 'Group: North depot')).toBeVisible()
  await expect(page.locator('.bulk-bar')).toHaveCount(0)
  await page.goBack()
  await expect(button(page, 'Group: North depot')).toHaveCount(0)
  await expect(page.locator('.bulk-bar')).toHaveCount(0)
})

test('the current tab of a full strip is in view', async ({ open }) => {
  const page = await open('sunrise')
  await page.setViewportSize({ width: 1024, height: 800 })
  await page.goto('/home/index')
  const menu = mainMenu(page).getByRole('link')
  const current = page.locator('.tag-views [aria-current=page]')
  for (const link of await menu.all()) {
    const title = await link.innerText()
    await link.click()
    await expect(current).toHaveText(title)
    await expect(current).toBeInViewport({ ratio: 0.9 })
  }
  const { items } = await signedIn('sunrise').terminal.paging({ page_size: 8 })
  for (const { kid } of items) {
    await arrive(page, `/device-detail/info?kid=${kid}`)
    await expect(current).toBeInViewport({ ratio: 0.9 })
  }
  await page.reload()
  await expect(current).toBeInViewport({ ratio: 0.9 })
  const strip = page.locator('.tag-views ul')
  await expect.poll(() => strip.evaluate((it) => it.scrollWidth > it.clientWidth), 'the strip is full').toBe(true)
  await menu.first().click()
  await expect(current).toBeInViewport({ ratio: 0.9 })
})

import { expect } from '@playwright/test'
import type { Locator, Page } from '@playwright/test'
import { accountOf } from './demo-server.ts'
import { slide } from './puzzle.ts'
import { text } from './text.ts'

/** Signs in by hand: name, password, and the piece slid into its hole. The page must be the sign-in page. */
export async function signInByHand(page: Page, who: { username: string; password: string }): Promise<void> {
  await page.getByLabel(text('sign-in:username')).fill(who.username)
  await page.getByLabel(text('sign-in:password'), { exact: true }).fill(who.password)
  await slide(page)
  await expect(page.getByRole('status').filter({ hasText: 'Done' })).toBeVisible()
  await page.getByRole('button', { name: text('sign-in:submit') }).click()
}

/** Types the password again, which is asked for before many devices are hit. */
export async function confirmPassword(page: Page, username: string): Promise<void> {
  const again = page.getByRole('dialog', { name: 'Confirm with your password' })
  await again.getByLabel(`Password of ${username}`).fill(accountOf(username).password)
  await again.getByRole('button', { name: 'Confirm' }).click()
}

/** The operator enters a customer from the list of customers. */
export async function enterCustomer(page: Page, name: string): Promise<void> {
  await page.goto('/external-user-manage-list')
  await page.getByRole('button', { name: `Enter ${name}`, exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Enter ${name}` })
    .click()
  await expect(page.getByRole('status').filter({ hasText: 'Acting as' })).toContainText(name)
}

/** Back to the own account, from the bar that says whom one acts for. */
export async function returnFrom(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Return' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Return' }).click()
  await expect(page).toHaveURL('/external-user-manage-list')
  await expect(page.getByText('Acting as')).toHaveCount(0)
}

/** What a page shows while something is still on its way. */
const waiting = 'main :is(.ant-skeleton-active, [aria-busy=true], .skeleton, .arriving), .progress[data-on]'
/** Nothing is still on its way, on the page whose tab leads to `address` where one is given. */
export async function settled(page: Page, address?: string): Promise<void> {
  // Asked in the page at every frame: asking from here would wait longer between two answers than most pages load.
  await page.waitForFunction(
    ([is_busy, there]) =>
      document.querySelector('h1')?.textContent &&
      !document.querySelector(is_busy) &&
      (!there || document.querySelector('.tag-views [aria-current=page]')?.getAttribute('href') === there),
    [waiting, address] as const,
  )
}

/** As by a link inside the console, without loading it anew; a page that is empty yet loads it. */
export async function arrive(page: Page, address: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(address)
  else
    await page.evaluate((to) => {
      history.pushState({}, '', to)
      dispatchEvent(new PopStateEvent('popstate', { state: {} }))
    }, address)
  await settled(page, address)
}

/** The drawer in which devices are enrolled, with an answer to what it is. */
export async function enrolBy(
  page: Page,
  kind: 'android_own' | 'browser' | 'code' | 'headwind' | 'linux' | 'permanent' | 'qr',
): Promise<void> {
  await page.getByRole('button', { name: text('devices:register.button') }).click()
  await page.getByRole('button', { name: text(`devices/enrolment:kinds.${kind}.title`), exact: true }).click()
}

export const mainMenu = (page: Page): Locator => page.getByRole('navigation', { name: text('shell:main_menu') })

export type TableRow = Record<string, string>
/** The rows of the one table in `scope`, once it has answered, as a person reads them: by the words above the columns. */
export async function tableRows(scope: Page | Locator): Promise<TableRow[]> {
  await expect(scope.locator('.ant-table [aria-busy=true]')).toHaveCount(0)
  return scope.locator('.ant-table').evaluate((table) => {
    const textOf = (cell: Element) => (cell as HTMLElement).innerText.replaceAll(/\s+/g, ' ').trim()
    const heads = [...(table.querySelector('thead tr')?.children ?? [])].map(textOf)
    return [...table.querySelectorAll('tbody tr[data-row-key]')].map((row) =>
      Object.fromEntries([...row.children].map((cell, at) => [heads[at] || `column ${at}`, textOf(cell)])),
    )
  })
}

export const columnOf = async (scope: Page | Locator, name: string): Promise<(string | undefined)[]> =>
  (await tableRows(scope)).map((row) => row[name])

/** The row of a table that says this. */
export const rowOf = (scope: Page | Locator, text: string | RegExp): Locator =>
  scope.getByRole('row').filter({ hasText: text })

/** Chooses from the user menu at the upper right: `('Language', 'Tiếng Việt')`. */
export async function chooseInUserMenu(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: menu }).hover()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** A filter of a list: the button that adds one, its name, its value; of several values one. */
export async function addFilter(page: Page, name: string, value: string): Promise<void> {
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /Filter$/ })
    .click()
  await page.getByRole('menuitem', { name, exact: true }).click()
  const value_item = { name: value, exact: true }
  await page.getByRole('menuitem', value_item).or(page.getByRole('menuitemcheckbox', value_item)).click()
}

/** Chooses an option of a select that is found by its label. */
export async function choose(page: Page, select: Locator, option: string | RegExp): Promise<void> {
  await select.click()
  // Its own list: the one of the select before it may still be closing.
  const id = await select.getAttribute('id')
  const dropdown = page.locator('.ant-select-dropdown:visible')
  const own = id ? dropdown.filter({ has: page.locator(`[id="${id}_list"]`) }) : dropdown
  await own.getByTitle(option).first().click()
}

/** Goes on to the next step of a wizard; resolves when it is there. */
export async function nextStep(page: Page, go = (button: Locator) => button.click()): Promise<void> {
  const current = page.locator('.ant-steps-item-active')
  const before = await current.innerText()
  await go(page.getByRole('button', { name: text('common:next'), exact: true }))
  await expect(current).not.toHaveText(before, { useInnerText: true })
}

/** The sentence of a push on the last step of its wizard. */
export const pushSentence = (page: Page): Locator => page.locator('.push-sentence')

/** Leaves the content or the devices of a push for its review, whether somebody of the devices is left out or not. */
export async function reviewPush(page: Page): Promise<void> {
  await page.getByRole('button', { name: text('common:next'), exact: true }).click()
  await expect(pushSentence(page).or(page.locator('.push-check strong'))).toBeVisible()
  if (!(await pushSentence(page).isVisible())) await nextStep(page)
}

/**
 * Opens the menu of a button with the keyboard; resolves when the arrow keys move in it. A dialog that is still closing
 * over the button would take the focus back, and the key with it.
 */
export async function openMenuByKey(page: Page, button: Locator): Promise<void> {
  // Some show only while they have the focus.
  await button.focus()
  await button.click({ trial: true })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menu').locator(':focus')).toBeVisible()
}

/**
 * Moves to an item of the open menu with the arrow keys. Each press waits for the one before to have moved the focus,
 * which the menu does a frame later: pressed again too early, it goes past the item that Enter is meant for.
 */
export async function moveByKey(page: Page, item: Locator): Promise<void> {
  const focused = page.getByRole('menu').locator(':focus')
  for (let at = 0; at < 30; at++) {
    const now = await focused.elementHandle()
    if (await item.evaluate((it) => it === document.activeElement)) return
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction((it) => document.activeElement !== it, now)
  }
  throw new Error(`the arrow keys never come to ${String(item)}`)
}

/** Chooses an item of the open menu with the keyboard. */
export async function chooseByKey(page: Page, item: Locator): Promise<void> {
  await moveByKey(page, item)
  await page.keyboard.press('Enter')
}

/** A line of a CSV file, whose fields may be quoted. */
export const fieldsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  )

/** Presses Tab, or Shift+Tab, until what has the focus is called so. */
export async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const is = (called: string) => (typeof name === 'string' ? called === name : name.test(called))
  for (let at = 0; at < 120; at++) {
    await page.keyboard.press(key)
    const called = await page.evaluate(() => {
      const it = document.activeElement as HTMLElement
      const labels = 'labels' in it ? [...((it as HTMLInputElement).labels ?? [])].map((label) => label.innerText) : []
      return it.getAttribute('aria-label') ?? (labels.join(' ') || it.innerText)
    })
    if (is(called.trim())) return
  }
  throw new Error(`the Tab key never comes to ${String(name)}`)
}

/** How many colours the picture of a device's screen has, which one of nothing has not. */
export const coloursOf = (page: Page): Promise<number> =>
  page.locator('.remote-picture canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas
    if (width === 0 || height === 0) return 0
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, height)
    return new Set(new Uint32Array(data.buffer)).size
  })

/** Saves so many changes of sections that wait, once the review says this; `asked` is whom it asks for a password. */
export async function saveChanges(page: Page, count: number, says?: string, asked?: string): Promise<void> {
  await page.getByRole('button', { name: `${count} change${count === 1 ? '' : 's'}: review` }).click()
  const review = page.getByRole('dialog').filter({ hasText: `Save ${count} change${count === 1 ? '' : 's'}` })
  if (says !== undefined) await expect(review).toContainText(says)
  await review.getByRole('button', { name: 'Save configuration' }).click()
  if (asked !== undefined) await confirmPassword(page, asked)
  // A page shows what is about to be saved already; it is saved when its review closes.
  await expect(review).toBeHidden()
}

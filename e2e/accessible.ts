import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type * as Axe from 'axe-core'
import { expect } from './test.ts'

type Shade = 'light' | 'dark'
type Look = {
  /** How the failure names what was looked at. */
  where?: string
  /** Only this part of the page; all of it without. */
  within?: string
  /** Also what stands around every page of the console, which is looked at once for each who has another one. */
  with_frame?: boolean
  /** Only these rules; all of them without. */
  rules?: string[]
  /** Also whether buttons are named by the words that stand on them, for which axe has to be asked: pages as they open are. */
  with_names?: boolean
  /** By night only the rules about colours are followed: nothing else is different. */
  shade?: Shade
}

const frame = ['nav.side', 'header.top', 'nav.tag-views']
/** Twenty rows say no more than these. */
const more_rows = '.ant-table-tbody > tr:nth-child(n+9)'
const rules_of_colours = ['color-contrast', 'link-in-text-block']
/** Who speaks to a computer says the words that stand on a button. axe leaves this rule out unless it is asked for. */
const visible_words = 'label-content-name-mismatch'
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
declare global {
  interface Window {
    axe?: typeof Axe
  }
}

/** Fails the test, at its end, by what axe finds on the page as it stands. */
export async function expectAccessible(page: Page, look: Look = {}): Promise<void> {
  const {
    shade,
    within,
    with_frame = false,
    with_names = false,
    rules = shade === 'dark' ? rules_of_colours : undefined,
  } = look
  const where = `${look.where ?? page.url()}${shade ? `, ${shade}` : ''}`
  if (shade) {
    await page.emulateMedia({ colorScheme: shade })
    await page.waitForFunction((set) => document.documentElement.dataset['shade'] === set, shade)
  }
  const besides = [more_rows, ...(with_frame ? [] : frame)]
  // Reading half a megabyte takes the browser as long as following half the rules: once for each document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const violations = await page.evaluate(
    async ([include, exclude, only, visible, names]) => {
      const found = await window.axe!.run(
        { include: include ?? document, exclude },
        {
          // Selectors of all that passed, which nobody reads, take as long as the rules themselves.
          resultTypes: ['violations'],
          ...(only && { runOnly: { type: 'rule', values: only } }),
          ...(!only && names && { rules: { [visible]: { enabled: true } } }),
        },
      )
      return found.violations.flatMap(({ id, help, nodes }) => {
        // An entry of a tree is reached by its first word; what follows is its count, which its name says in words.
        const faults = nodes.filter(({ html }) => id !== visible || !html.startsWith('<li role="treeitem"'))
        const told = faults.map((n) => `${n.html} ${n.any[0]?.message ?? ''}`).join(' | ')
        return faults.length > 0 ? [`${id}: ${help}: ${told}`] : []
      })
    },
    [within, besides, rules, visible_words, with_names] as const,
  )
  expect.soft(violations, `accessibility of ${where}`).toEqual([])
}

/** By day and by night, which is switched in place; it is day again afterwards. */
export async function expectAccessibleDayAndNight(page: Page, look: Look = {}): Promise<void> {
  for (const shade of ['light', 'dark'] as const) await expectAccessible(page, { ...look, shade })
  await page.emulateMedia({ colorScheme: 'light' })
}

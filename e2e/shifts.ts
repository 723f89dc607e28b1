import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'

type Shift = { value: number; moved: string[] }
type Entry = PerformanceEntry & {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}
declare global {
  interface Window {
    shifts: Shift[]
  }
}

/** What counts as good by Web Vitals (cumulative layout shift). */
const good = 0.1

/** From the next page on, notes what moves by itself. */
export const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    window.shifts = []
    const place = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(' ')
    const noted = ({ value, sources }: Entry): Shift => ({
      value,
      moved: sources.map(({ node, previousRect, currentRect }) => {
        const { nodeName, className } = (node ?? document.body) as Element
        return `${nodeName}.${className}: ${place(previousRect)} -> ${place(currentRect)}`
      }),
    })
    new PerformanceObserver((list) => {
      const entries = list.getEntries() as Entry[]
      window.shifts.push(...entries.filter((entry) => !entry.hadRecentInput).map(noted))
    }).observe({ type: 'layout-shift', buffered: true })
  })

/** Nothing moves under the pointer while a page is loaded: a click would meet what came into its place. */
export async function expectStill(page: Page): Promise<void> {
  const shifts = await page.evaluate(() => window.shifts)
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  expect.soft(sum, `what moves on ${page.url()}: ${JSON.stringify(shifts)}`).toBeLessThan(good)
}

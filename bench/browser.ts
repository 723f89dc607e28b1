import { chromium } from '@playwright/test'
import type { Browser, Page } from '@playwright/test'

export const openBrowser = (): Promise<Browser> => {
  const executablePath = process.env['MDM_TEST_CHROMIUM']
  // As root, and without asking the Internet anything.
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args })
}

/** Milliseconds until the largest part of a page so far was painted. As text: types of Node do not know this kind of entry. */
export const largestPaint = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) =>
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
      .observe({ type: 'largest-contentful-paint', buffered: true }))`)

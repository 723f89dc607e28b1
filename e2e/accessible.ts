import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type * as Axe from 'axe-core'
import { expect } from './test.ts'

type Look = {
  /** How the failure names what was looked at. */
  where?: string
  /** Only this part of the page; all of it without. */
  within?: string
  /** Only these rules; all of them without. */
  rules?: string[]
}

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
declare global {
  interface Window {
    axe?: typeof Axe
  }
}

/** Fails the test, at its end, by what axe finds on the page as it stands. */
export async function expectAccessible(page: Page, { where = page.url(), within, rules }: Look = {}): Promise<void> {
  // Reading half a megabyte takes the browser as long as following half the rules: once for each document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const violations = await page.evaluate(
    async ([scope, only]) => {
      const found = await window.axe!.run(scope ?? document, {
        // Selectors of all that passed, which nobody reads, take as long as the rules themselves.
        resultTypes: ['violations'],
        ...(only && { runOnly: { type: 'rule', values: only } }),
      })
      return found.violations.map(
        ({ id, help, nodes }) =>
          `${id}: ${help}: ${nodes.map((n) => `${n.html} ${n.any[0]?.message ?? ''}`).join(' | ')}`,
      )
    },
    [within, rules] as const,
  )
  expect.soft(violations, `accessibility of ${where}`).toEqual([])
}

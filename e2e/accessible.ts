import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './test.ts'

type Look = {
  /** How the failure names what was looked at. */
  where?: string
  /** Only this part of the page; all of it without. */
  within?: string
  /** Only these rules; all of them without. */
  rules?: string[]
}

/** Fails the test, at its end, by what axe finds on the page as it stands. */
export async function expectAccessible(page: Page, { where = page.url(), within, rules }: Look = {}): Promise<void> {
  // Selectors of all that passed, which nobody reads, take as long as the rules themselves.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  if (within) axe.include(within)
  if (rules) axe.withRules(rules)
  const { violations } = await axe.analyze()
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((n) => `${n.html} ${n.any[0]?.message ?? ''}`).join(' | ')}`,
  )
  expect.soft(found, `accessibility of ${where}`).toEqual([])
}

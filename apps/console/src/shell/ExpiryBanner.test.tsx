// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import i18next from 'i18next'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useSessionStore } from '../core/session-store.ts'
import { ExpiryBanner } from './ExpiryBanner.tsx'
import { texts as shell } from './texts/en.ts'

beforeEach(() =>
  i18next.use(initReactI18next).init({
    lng: 'en',
    resources: { en: { shell } },
    interpolation: { escapeValue: false },
  }),
)
afterEach(cleanup)

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
function show(session: object) {
  useSessionStore.setState({
    token: 't',
    session: { expire_time: null, permissions: ['activateList'], ...session } as never,
  })
  render(
    <I18nextProvider i18n={i18next}>
      <MemoryRouter>
        <ExpiryBanner />
      </MemoryRouter>
    </I18nextProvider>,
  )
  return screen.queryAllByRole('status').map((line) => [line.dataset['tone'], line.textContent])
}

test.each([
  [{ state: 'active', ends_at: inDays(40) }, undefined],
  [{ state: 'active', ends_at: inDays(29.5) }, ['orange', /ends in 30 days\. Then it takes up no new devices/]],
  [{ state: 'active', ends_at: inDays(2.5) }, ['red', /ends in 3 days/]],
  [{ state: 'expired', ends_at: inDays(-2.5) }, ['red', /ended 2 days ago/]],
  [{ state: 'missing', ends_at: null }, ['red', /is not activated/]],
  [{ state: 'eliminated', ends_at: inDays(400) }, ['red', /was eliminated/]],
  [{ state: 'foreign_machine', ends_at: inDays(400) }, ['red', /for another machine/]],
] as const)('the activation %o', (activation, expected) => {
  const lines = show({ activation })
  if (!expected) return expect(lines).toEqual([])
  expect(lines).toEqual([[expected[0], expect.stringMatching(expected[1])]])
  expect(screen.getByRole('link', { name: 'Show activation' })).toHaveProperty('pathname', '/activate-list')
})

test('the end of the account stands above that of the server, and who may not see activations has no link', () => {
  const activation = { state: 'active', ends_at: inDays(2.5) }
  const lines = show({ expire_time: inDays(20), activation, permissions: [] })
  expect(lines.map(([tone]) => tone)).toEqual(['orange', 'red'])
  expect(screen.queryByRole('link')).toBe(null)
})

test('no activation, no line', () => expect(show({ activation: null })).toEqual([]))

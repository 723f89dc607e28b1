// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import i18next from 'i18next'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { constants } from '@mdm/contract'
import type { OwnActivation } from '@mdm/contract'
import { queryClient } from '../../core/queries.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { texts as common } from '../../i18n/common/texts/en.ts'
import { stubLayout } from '../../lib/no-layout.ts'
import { texts } from './texts/en.ts'
import { ThisServer } from './ThisServer.tsx'

const active: OwnActivation = {
  state: 'active',
  name: 'Harbour Line',
  max_accounts: 2,
  max_devices: constants.unlimited_devices,
  accounts: 1,
  devices: 1_200,
  macs: ['00:1A:2B:3C:4D:5E'],
  code_macs: [],
  starts_at: '2026-01-05T00:00:00.000Z',
  ends_at: '2027-01-05T00:00:00.000Z',
  entered_at: '2026-01-06T00:00:00.000Z',
  receipt: '1-11111-22222-33333',
  clock_back_ms: 0,
  can_report: false,
  reported_at: null,
  report_error: null,
  is_renewed: false,
}
beforeEach(async () => {
  stubLayout()
  const session = { username: 'olga', permissions: ['activateList', 'activateList:activate'], account_type: 101 }
  useSessionStore.setState({ token: 't', account_kid: 'a', session: session as never })
  await i18next.use(initReactI18next).init({
    lng: 'en',
    resources: { en: { common, 'private-deployment': texts } },
    interpolation: { escapeValue: false },
  })
})
afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

function show(data: Partial<OwnActivation>) {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ result: 1, message: '', data: { ...active, ...data } })))
  render(
    <I18nextProvider i18n={i18next}>
      <QueryClientProvider client={queryClient}>
        <MemoryRouter>
          <ThisServer choice={null} />
        </MemoryRouter>
      </QueryClientProvider>
    </I18nextProvider>,
  )
}

test('shows what is used of the limits, and the receipt for the provider', async () => {
  show({})
  expect(await screen.findByText('1 of 2')).toBeTruthy()
  expect(screen.getByText('1,200 of No limit')).toBeTruthy()
  expect(screen.getByText('1-11111-22222-33333')).toBeTruthy()
  expect(screen.getByText(texts.receipt_hint)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Enter activation code' })).toBeTruthy()
})

test('says that the clock was set back, and why the provider was not told', async () => {
  show({ clock_back_ms: 2 * 86_400_000, can_report: true, report_error: 'fetch failed' })
  expect((await screen.findByText(/clock was set back/)).textContent).toMatch(/Set back by 2 ?d/)
  expect(screen.getByText('fetch failed')).toBeTruthy()
})

test('says that the provider has issued a newer code', async () => {
  show({ is_renewed: true })
  expect(await screen.findByText(texts.renewed_here)).toBeTruthy()
})

test('without a code asks for one', async () => {
  show({ state: 'missing', name: null, max_accounts: null, max_devices: null, ends_at: null, receipt: null })
  expect(await screen.findByText(texts.own_hint.missing)).toBeTruthy()
  expect(screen.queryByText('Receipt')).toBe(null)
  expect(screen.getByRole('button', { name: 'Enter activation code' })).toBeTruthy()
})

// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { loadTexts, startTexts } from '../../i18n/i18n.ts'
import { queryClient } from '../../core/queries.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { Quarantined } from './DeviceRows.tsx'

beforeAll(async () => {
  useSessionStore.setState({ language: 'en', token: 't', account_kid: 'a' })
  await startTexts()
  await loadTexts(['home', 'device'])
})
afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

async function show(data: object[]) {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ result: 1, message: '', data })))
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <Quarantined />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0))
}

test('a device whose secret was copied is named with what to do; without one nothing is said', async () => {
  await show([])
  expect(document.body.textContent).toBe('')
  cleanup()
  queryClient.clear()
  await show([{ kid: 'k', sn: 'SN-1', name: 'Till', model: '', quarantined_until: '2026-03-01T10:00:00Z' }])
  expect(await screen.findByText('SN-1')).toBeDefined()
  expect(screen.getByRole('heading', { name: 'Quarantined devices' })).toBeDefined()
  expect(screen.getByTitle(/renew the secret/)).toBeDefined()
})

// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { FacetShares } from '@mdm/contract'
import { loadTexts, startTexts } from '../../i18n/i18n.ts'
import { queryClient } from '../../core/queries.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { GroupShares, ModelShares, SystemShares } from './DeviceShares.tsx'

beforeAll(async () => {
  useSessionStore.setState({ language: 'en', token: 't', account_kid: 'a' })
  await startTexts()
  await loadTexts(['home'])
})
afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

async function show(models: FacetShares, versions: FacetShares) {
  const asked: string[] = []
  const data = { models: [], os_versions: [], total: 0, online: 0, model_shares: models, os_version_shares: versions }
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(String(url))
    return Promise.resolve(Response.json({ result: 1, message: '', data }))
  })
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <ModelShares />
        <SystemShares />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0))
  return asked
}
const none: FacetShares = { top: [], rest: 0 }

test('one call brings models and versions; bars are shares of all devices, also of those not named', async () => {
  const asked = await show(
    {
      top: [
        { value: 'CT 60', count: 30 },
        { value: 'X', count: 10 },
      ],
      rest: 60,
    },
    none,
  )
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('with_shares=true')
  const link = await screen.findByRole('link', { name: 'CT 60' })
  expect(link.getAttribute('href')).toMatch(/\?model=CT(\+|%20)60$/)
  const row = link.closest('li')!
  expect(row.querySelector<HTMLElement>('.bar i')?.style.width).toBe('30%')
  expect(row.textContent).toContain('30')
  expect(screen.getAllByRole('link', { name: 'See all' })).toHaveLength(1)
  expect(screen.getAllByText('No device has reported it yet.')).toHaveLength(1)
})

test('groups at the top of the tree are shares of all devices, and lead to their devices', async () => {
  const group = (kid: string, name: string, total_count: number) => ({
    kid,
    name,
    parent_kid: null,
    is_no_group: kid === 'NO_GROUP',
    has_child: false,
    terminal_count: total_count,
    total_count,
  })
  const data = [group('NO_GROUP', '', 30), group('g1', 'Kho', 70), group('g2', 'Empty', 0)]
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ result: 1, message: '', data })))
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <GroupShares />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const links = await screen.findAllByRole('link')
  expect(links.map((each) => each.textContent)).toEqual(['Kho', 'No group'])
  expect(links[0]!.getAttribute('href')).toMatch(/\?terminal_group_kid=g1$/)
  expect(links[0]!.closest('li')!.querySelector<HTMLElement>('.bar i')?.style.width).toBe('70%')
})

test('a long list goes on without bars', async () => {
  const top = Array.from({ length: 50 }, (_, n) => ({ value: `v${n}`, count: 100 - n }))
  await show(none, { top, rest: 0 })
  await screen.findByRole('link', { name: 'v49' })
  expect(screen.getAllByRole('listitem')).toHaveLength(12)
  expect(screen.getAllByRole('link')).toHaveLength(50)
  expect(screen.getByRole('link', { name: 'v12' }).parentElement?.textContent).toBe('v12 88')
})

// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLayout } from '../lib/no-layout.ts'
import { queryClient } from '../core/queries.ts'
import { useSessionStore } from '../core/session-store.ts'
import { useJump } from './jump.ts'
import { JumpTo } from './JumpTo.tsx'

const fleet = ['SIM-1', 'SIM-12'].map((sn) => ({ kid: `kid-${sn}`, sn, name: '', model: '' }))
let waiting: (() => void)[]
let is_slow: boolean

beforeEach(() => {
  waiting = []
  is_slow = false
  useSessionStore.setState({
    token: 't',
    account_kid: 'a',
    language: 'en',
    session: { permissions: ['deviceDetailInfo'] } as never,
  })
  stubLayout()
  Element.prototype.scrollIntoView = () => {}
  // The edge of the world: a server whose answer can be kept waiting.
  vi.stubGlobal('fetch', async (_path: string, { body }: RequestInit) => {
    if (is_slow) await new Promise<void>((resolve) => waiting.push(resolve))
    const { text } = JSON.parse(String(body)) as { text: string }
    const items = fleet.filter(({ sn }) => sn.includes(text))
    return Response.json({ result: 1, message: '', data: { items, total: items.length, next: null } })
  })
})
afterEach(() => {
  cleanup()
  useJump.getState().close()
  queryClient.clear()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView')
})

function Place() {
  const { pathname, search } = useLocation()
  return <p>{`At ${pathname}${search}`}</p>
}
function open() {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <Place />
        <JumpTo />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
}
const field = () => screen.getByRole('combobox')
const type = (value: string) => fireEvent.change(field(), { target: { value } })
const place = () => screen.getByText(/^At /).textContent

test('what is typed at once after Ctrl K is found, though the dialog is still on its way', async () => {
  open()
  const early = screen.getByRole('textbox')
  expect(document.activeElement).toBe(early)
  fireEvent.change(early, { target: { value: 'SIM-12' } })
  fireEvent.keyDown(early, { key: 'Enter' })
  await waitFor(() => expect(place()).toContain('kid-SIM-12'))
})

test('Enter before the answer opens what was typed, not what was found before', async () => {
  open()
  await screen.findByRole('combobox')
  type('SIM-1')
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(2))
  is_slow = true
  type('SIM-12')
  await waitFor(() => expect(waiting).toHaveLength(1))
  fireEvent.keyDown(field(), { key: 'Enter' })
  expect(place()).toBe('At /')
  await act(async () => waiting.forEach((answer) => answer()))
  await waitFor(() => expect(place()).toContain('kid-SIM-12'))
})

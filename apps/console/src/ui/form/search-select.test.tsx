// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Select } from 'antd'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { api, useCall } from '../../core/api.ts'
import { queryClient } from '../../core/queries.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { searchSelect, useTyped } from './search-select.ts'
import { stubLayout } from '../../lib/no-layout.ts'

const devices = ['Alpha', 'Beta'].map((name) => ({ kid: name.toLowerCase(), name }))
let held: (() => void)[]

beforeEach(() => {
  held = []
  useSessionStore.setState({ token: 't', account_kid: 'a', language: 'en' })
  stubLayout()
  // The edge of the world: a server that searches, and lets each search wait.
  vi.stubGlobal('fetch', async (_path: string, { body }: RequestInit) => {
    const { text } = JSON.parse(String(body)) as { text?: string }
    if (text) await new Promise<void>((resolve) => held.push(resolve))
    const items = devices.filter(({ name }) => !text || name.toLowerCase().startsWith(text))
    return Response.json({ result: 1, message: '', data: { items, total: items.length, next: null } })
  })
})
afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

function Choice({ mode, onChoose }: { mode?: 'multiple'; onChoose: (kids: unknown) => void }) {
  const typed = useTyped()
  const { text } = typed
  const query = useCall(api.terminal.paging, { page_size: 20, ...(text && { text }) }, { keepPrevious: true })
  const [value, setValue] = useState<unknown>(mode && ['alpha'])
  const found = (query.data?.items ?? []).map(({ kid, name }) => ({ value: kid, label: name }))
  return (
    <Select
      aria-label="Device"
      {...(mode && { mode })}
      {...searchSelect(typed, query, found, [{ value: 'alpha', label: 'Alpha' }])}
      value={value}
      onChange={(kids) => {
        setValue(kids)
        onChoose(kids)
      }}
    />
  )
}
async function open(mode?: 'multiple') {
  const onChoose = vi.fn()
  render(
    <QueryClientProvider client={queryClient}>
      <Choice {...(mode && { mode })} onChoose={onChoose} />
    </QueryClientProvider>,
  )
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  const user = userEvent.setup()
  await user.click(screen.getByRole('combobox'))
  return { user, onChoose }
}
const answered = async () => {
  await waitFor(() => expect(held).toHaveLength(1))
  await act(async () => held[0]!())
  await waitFor(() => expect(screen.getByRole('combobox').getAttribute('aria-activedescendant')).toMatch(/_0$/))
}

// antd reads `which`, which user-event leaves out.
const enter = () => {
  const key = { key: 'Enter', keyCode: 13, which: 13 }
  fireEvent.keyDown(screen.getByRole('combobox'), key)
  fireEvent.keyUp(screen.getByRole('combobox'), key)
}

test('Enter before the answer chooses nothing of what was found before', async () => {
  const { user, onChoose } = await open()
  await user.keyboard('be')
  await waitFor(() => expect(held).toHaveLength(1))
  enter()
  expect(onChoose).not.toHaveBeenCalled()
  await act(async () => held[0]!())
  expect(onChoose).not.toHaveBeenCalled()
})

test('Enter after the answer takes what was searched for, and does not take out what is chosen', async () => {
  const { user, onChoose } = await open('multiple')
  await user.keyboard('be')
  await answered()
  enter()
  expect(onChoose.mock.calls.map(([kids]) => kids as string[])).toEqual([['alpha', 'beta']])
  expect(document.querySelector('.ant-select-selection-item, .ant-select-content-item')?.textContent).toBe('Alpha')
})

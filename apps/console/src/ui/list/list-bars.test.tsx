// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { Button } from 'antd'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { api } from '../../core/api.ts'
import { queryClient } from '../../core/queries.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { BulkBar } from './list-bars.tsx'
import { useListTable } from './use-list-table.ts'

const found = ['a', 'b', 'c'].map((kid) => ({ kid, name: kid }))
let slow: (() => void)[]
let is_slow: boolean

beforeEach(() => {
  is_slow = false
  slow = []
  useSessionStore.setState({ token: 't', account_kid: 'a', language: 'en' })
  // The edge of the world: a server whose answer can be kept waiting.
  vi.stubGlobal('fetch', async () => {
    if (is_slow) await new Promise<void>((resolve) => slow.push(resolve))
    return Response.json({ result: 1, message: '', data: { items: found, total: found.length, next: null } })
  })
})
afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

async function open(onMove: (kids: readonly string[]) => void) {
  function List() {
    const list = useListTable(api.terminal.paging, { id: 'list', filters: {} })
    const { selection, rows } = list
    return (
      <>
        <Button onClick={() => selection.set(rows.slice(0, 1))}>First</Button>
        <BulkBar list={list} nameOf={(row) => row.kid}>
          <Button onClick={() => onMove(selection.kids)}>Move</Button>
        </BulkBar>
      </>
    )
  }
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <List />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  fireEvent.click(screen.getByText('First'))
  is_slow = true
  fireEvent.click(screen.getByText('list.select_all'))
  await waitFor(() => expect(slow).toHaveLength(1))
}
const answer = () => act(async () => slow.forEach((resolve) => resolve()))

test('no action is taken on the row selected before, while all that match are asked for', async () => {
  const onMove = vi.fn()
  await open(onMove)
  fireEvent.click(screen.getByText('Move'))
  expect(onMove).not.toHaveBeenCalled()
  await answer()
  await waitFor(() => expect(screen.queryByText('list.select_all')).toBeNull())
  fireEvent.click(screen.getByText('Move'))
  expect(onMove).toHaveBeenCalledExactlyOnceWith(['a', 'b', 'c'])
})

test('what was cleared while all that match were asked for stays cleared', async () => {
  const onMove = vi.fn()
  await open(onMove)
  fireEvent.click(screen.getByTitle('list.select_none'))
  await answer()
  await waitFor(() => expect(document.querySelector('.ant-btn-loading')).toBeNull())
  fireEvent.click(screen.getByText('Move'))
  expect(onMove).toHaveBeenCalledExactlyOnceWith([])
})

// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TerminalRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { queryClient } from '../../core/queries.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { firstRows } from './first-rows.ts'
import { max_selected, useListTable } from './use-list-table.ts'

const fleet_size = 2_600
const kidOf = (n: number) => `kid-${n}`
/** Each device is registered before the one after it; by name they stand the other way round. */
const fleet = Array.from({ length: fleet_size }, (_, n) => ({
  kid: kidOf(n),
  sn: `SN-${n}`,
  name: String(fleet_size - n).padStart(5, '0'),
  model: n % 2 === 0 ? 'even' : 'odd',
})) as TerminalRow[]
type Asked = {
  page?: number
  after?: string
  page_size: number
  sort?: 'name'
  order?: 'asc' | 'desc'
  model?: string[]
}
let arrive: () => void

beforeEach(() => {
  arrive = () => {}
  useSessionStore.setState({ token: 't', account_kid: 'a', language: 'en' })
  // The edge of the world: a server that sorts, filters and pages by cursor as ours does.
  vi.stubGlobal('fetch', (_path: string, { body }: RequestInit) => {
    const { page = 1, after, page_size, sort, order, model } = JSON.parse(String(body)) as Asked
    const found = fleet.filter((row) => !model || model.includes(row.model))
    const sorted = sort ? found.toSorted((a, b) => (order === 'desc' ? -1 : 1) * a.name.localeCompare(b.name)) : found
    const from = after === undefined ? (page - 1) * page_size : sorted.findIndex(({ kid }) => kid === after) + 1
    const items = sorted.slice(from, from + page_size)
    const next = from + page_size < sorted.length ? items.at(-1)!.kid : null
    arrive()
    return Promise.resolve(Response.json({ result: 1, message: '', data: { items, total: found.length, next } }))
  })
})
afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

async function open(address: string) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[address]}>{children}</MemoryRouter>
    </QueryClientProvider>
  )
  const hook = () => useListTable(api.terminal.paging, { id: 'list', filters: { model: 'texts' } })
  const { result } = renderHook(hook, { wrapper })
  await settled()
  return result
}
const settled = () => act(() => vi.waitFor(() => expect(queryClient.isFetching()).toBe(0)))

test.each([
  ['?sort=name&order=asc', fleet.toReversed()],
  ['?sort=name&order=desc', fleet],
  ['', fleet],
  ['?sort=name&order=asc&model=odd', fleet.toReversed().filter(({ model }) => model === 'odd')],
])('the first that match are the first of the list as it is on screen: %s', async (address, listed) => {
  const list = await open(`/${address}`)
  expect(list.current.rows[0]).toEqual(listed[0])
  await act(() => list.current.selection.all())
  expect(list.current.selection.kids).toEqual(listed.slice(0, max_selected).map(({ kid }) => kid))
  expect(list.current.selection.is_all).toBe(true)
})

test('a row that comes first while they are read pushes none of them out, and none is taken twice', async () => {
  let pages = 0
  arrive = () => {
    pages += 1
    if (pages === 2) fleet.unshift({ ...fleet[0]!, kid: 'new' })
  }
  const found = await firstRows(api.terminal.paging, {}, 500)
  fleet.shift()
  expect(found.map(({ kid }) => kid)).toEqual(Array.from({ length: 500 }, (_, n) => kidOf(n)))
})

test('other filters clear the selection; another page or order keeps it and says what is not on screen', async () => {
  const list = await open('/?page_size=50')
  act(() => list.current.selection.set(list.current.rows.slice(0, 2)))
  expect(list.current.selection).toMatchObject({ kids: [kidOf(0), kidOf(1)], elsewhere: [] })
  act(() => list.current.params.set({ page: 2 }))
  await settled()
  expect(list.current.selection.elsewhere.map(({ kid }) => kid)).toEqual([kidOf(0), kidOf(1)])
  act(() => list.current.params.set({ sort: 'name', order: 'desc' }))
  await settled()
  expect(list.current.selection).toMatchObject({ kids: [kidOf(0), kidOf(1)], elsewhere: [] })
  act(() => list.current.set({ model: ['odd'] }))
  expect(list.current.selection.kids).toEqual([])
  await settled()
  act(() => list.current.set({ model: null }))
  await settled()
  expect(list.current.selection.kids).toEqual([])
})

test('rows that were asked for under other filters do not arrive as a selection under these', async () => {
  const list = await open('/')
  act(() => list.current.selection.take_match())
  expect(list.current.selection.is_match).toBe(true)
  const late = list.current.selection.all
  act(() => list.current.set({ model: ['odd'] }))
  expect(list.current.selection.is_match).toBe(false)
  await act(() => late())
  expect(list.current.selection.kids).toEqual([])
})

test('no row of the filters before is selected under new ones', async () => {
  const list = await open('/')
  const answered = fetch
  let answer = () => {}
  const slow = new Promise<void>((resolve) => (answer = resolve))
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => slow.then(() => answered(path, init)))
  await act(async () => list.current.set({ model: ['odd'] }))
  expect(list.current.rows[0]!.model).toBe('even')
  expect(list.current.selection.is_closed).toBe(true)
  answer()
  await settled()
  expect(list.current.rows[0]!.model).toBe('odd')
  expect(list.current.selection.is_closed).toBe(false)
})

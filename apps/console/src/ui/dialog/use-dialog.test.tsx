// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { create } from 'zustand'
import type { Session } from '@mdm/contract'
import { useSessionStore } from '../../core/session-store.ts'
import { useUnsavedGuard } from '../form/unsaved.ts'
import { useListParams } from '../list/params.ts'
import { useDialog } from './use-dialog.ts'
import { useQuestion } from './question.ts'

const rows = [
  { kid: 'a', name: 'Anna' },
  { kid: 'b', name: 'Boris' },
]
const needs = { add: 'webhookList:edit', edit: 'webhookList:edit', delete: 'policyList:delete' } as const
const signIn = (...permissions: string[]) =>
  useSessionStore.setState({ session: { permissions } as unknown as Session })

beforeEach(() => {
  signIn('webhookList:edit')
  usePage.setState({ rows, is_dirty: false })
})
afterEach(cleanup)

/** What the page has, and whether something is typed into its drawer. */
const usePage = create(() => ({ rows, is_dirty: false }))

function pageAt(address: string) {
  let inside: ReactNode = null
  const router = createMemoryRouter([{ path: '*', Component: () => inside }], { initialEntries: [address] })
  const wrapper = ({ children }: { children: ReactNode }) => {
    inside = children
    return <RouterProvider router={router} />
  }
  const hook = renderHook(
    () => {
      const page = usePage()
      const filters = useListParams({ text: 'text' })
      const inner = useListParams({ type: 'text' }, 'edit')
      return { dialog: useDialog(needs, page.rows), leave: useUnsavedGuard(page.is_dirty), filters, inner }
    },
    { wrapper },
  )
  return { ...hook, router }
}
const addressOf = ({ router }: ReturnType<typeof pageAt>) => router.state.location.search

test('a dialog that opens is in the address, and going back closes it', async () => {
  const page = pageAt('/list?text=x')
  act(() => page.result.current.dialog.open('edit', rows[1]))
  expect(addressOf(page)).toBe('?text=x&dialog=edit&of=b')
  expect(page.result.current.dialog.of('edit')).toBe(rows[1])
  expect(page.result.current.dialog.of('delete')).toBeUndefined()
  await act(() => page.router.navigate(-1))
  expect(addressOf(page)).toBe('?text=x')
  expect(page.result.current.dialog.opened).toBeNull()
})

test('closing keeps what a filter was set to in the same moment', async () => {
  const page = pageAt('/list?text=x&dialog=edit&of=b')
  const { dialog, filters } = page.result.current
  await act(async () => {
    filters.set({ text: null }, { replace: true })
    await Promise.resolve()
    dialog.close()
  })
  expect(addressOf(page)).toBe('')
})

test('a list in a dialog is set apart from that of the page, and goes with the dialog', () => {
  const page = pageAt('/list?text=x&page=2&sort=name&dialog=edit&of=b&edit.type=left')
  expect(page.result.current.inner).toMatchObject({ values: { type: 'left' }, page: 1, sort: undefined })
  act(() => page.result.current.inner.set({ sort: 'at', page: 3 }))
  expect(page.result.current.inner).toMatchObject({ values: { type: 'left' }, page: 3, sort: 'at' })
  expect(page.result.current.filters).toMatchObject({ values: { text: 'x' }, page: 2, sort: 'name' })
  act(() => page.result.current.dialog.close())
  expect(addressOf(page)).toBe('?text=x&page=2&sort=name')
})

test('a dialog that closes late leaves the one alone that opened meanwhile', async () => {
  const page = pageAt('/list?dialog=edit&of=a')
  const { dialog } = page.result.current
  act(() => dialog.open('edit', rows[1]))
  act(() => dialog.close())
  expect(addressOf(page)).toBe('?dialog=edit&of=b')
})

test('a dialog that was closed does not come back with the back button', async () => {
  const page = pageAt('/list')
  act(() => page.result.current.dialog.open('add'))
  expect(page.result.current.dialog.is('add')).toBe(true)
  act(() => page.result.current.dialog.close())
  expect(page.result.current.dialog.is('add')).toBe(false)
  await act(() => page.router.navigate(-1))
  expect(page.result.current.dialog.is('add')).toBe(false)
})

test('an address opens a dialog as soon as its row is there, and shows that row until it is closed', () => {
  usePage.setState({ rows: [] })
  const page = pageAt('/list?dialog=edit&of=a')
  expect(page.result.current.dialog.of('edit')).toBeUndefined()
  act(() => usePage.setState({ rows }))
  expect(page.result.current.dialog.of('edit')).toBe(rows[0])
  act(() => usePage.setState({ rows: [] }))
  expect(page.result.current.dialog.of('edit')).toBe(rows[0])
})

test('an address opens nothing that the person may not do, and nothing that the page does not have', () => {
  expect(pageAt('/list?dialog=delete&of=a').result.current.dialog.opened).toBeNull()
  expect(pageAt('/list?dialog=toString&of=a').result.current.dialog.opened).toBeNull()
  signIn()
  expect(pageAt('/list?dialog=add').result.current.dialog.is('add')).toBe(false)
})

test('going back asks before it closes a drawer with something unsaved; closing it is asked once', async () => {
  const page = pageAt('/list')
  act(() => page.result.current.dialog.open('edit', rows[0]))
  act(() => usePage.setState({ is_dirty: true }))
  await act(() => page.router.navigate(-1))
  expect(page.result.current.dialog.of('edit')).toBe(rows[0])
  await act(async () => useQuestion.getState().open?.answer(false))
  expect(page.result.current.dialog.of('edit')).toBe(rows[0])
  act(() => page.result.current.leave(page.result.current.dialog.close))
  await act(async () => useQuestion.getState().open?.answer(true))
  expect(page.result.current.dialog.opened).toBeNull()
  expect(useQuestion.getState().open).toBeNull()
})

test('a drawer whose unsaved changes kept another from opening still closes when it is saved', async () => {
  const page = pageAt('/list')
  act(() => page.result.current.dialog.open('edit', rows[0]))
  act(() => usePage.setState({ is_dirty: true }))
  await act(async () => page.result.current.dialog.open('edit', rows[1]))
  await act(async () => useQuestion.getState().open?.answer(false))
  expect(addressOf(page)).toBe('?dialog=edit&of=a')
  act(() => usePage.setState({ is_dirty: false }))
  act(() => page.result.current.dialog.close())
  expect(page.result.current.dialog.opened).toBeNull()
})

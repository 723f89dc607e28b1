import type { Paged, PushTaskTerminal, TerminalRow } from '@mdm/contract'
import { afterEach, expect, test } from 'vitest'
import { api, keyOf } from './api.ts'
import { take } from './live.ts'
import { queryClient } from './queries.ts'

const page = <T>(items: T[]) => ({ items, total: items.length }) as Paged<T>
afterEach(() => queryClient.clear())

test('a state patches the row in place, in every list that shows it, and leaves the others alone', () => {
  const key = keyOf(api.terminal.paging, { page: 1 })
  const other = keyOf(api.terminal.paging, { page: 2 })
  const rows = [
    { kid: 'a', sn: 'A', is_online: false },
    { kid: 'b', sn: 'B', is_online: false },
  ] as TerminalRow[]
  const untouched = page([{ kid: 'c', is_online: false } as TerminalRow])
  queryClient.setQueryData(key, page(rows))
  queryClient.setQueryData(other, untouched)
  take({
    type: 'terminal_state',
    kid: 'b',
    is_online: true,
    last_online_at: null,
    battery_level: 7,
    network_type: 'wifi',
    signal: -50,
  })
  const after = queryClient.getQueryData<Paged<TerminalRow>>(key)
  expect(after?.items.map(({ sn, is_online, battery_level }) => [sn, is_online, battery_level])).toEqual([
    ['A', false, undefined],
    ['B', true, 7],
  ])
  expect(after?.items[1]).not.toHaveProperty('type')
  expect(after?.items[0]).toBe(rows[0])
  expect(queryClient.getQueryData(other)).toBe(untouched)
})

test('progress of a push moves the row of that device only', () => {
  const key = keyOf(api.pushTask.paging_terminal, { push_task_kid: 't' })
  const row = (terminal_kid: string) =>
    ({ push_task_kid: 't', terminal_kid, state: 'receipt', progress: 0 }) as PushTaskTerminal
  queryClient.setQueryData(key, page([row('a'), row('b')]))
  take({
    type: 'push_task_terminal',
    push_task_kid: 't',
    terminal_kid: 'a',
    state: 'downloading',
    progress: 40,
    attempt: 1,
  })
  const after = queryClient.getQueryData<Paged<PushTaskTerminal>>(key)
  expect(after?.items.map(({ state, progress }) => [state, progress])).toEqual([
    ['downloading', 40],
    ['receipt', 0],
  ])
})

test('after lost events everything is old; an event of a newer server is passed over', () => {
  const key = keyOf(api.terminal.facets, {})
  queryClient.setQueryData(key, {})
  take({ type: 'from_the_future' } as never)
  expect(queryClient.getQueryState(key)?.isInvalidated).toBe(false)
  take({ type: 'lagged' })
  expect(queryClient.getQueryState(key)?.isInvalidated).toBe(true)
})

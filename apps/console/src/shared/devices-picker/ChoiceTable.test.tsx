// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useSessionStore } from '../../core/session-store.ts'
import { stubLayout } from '../../lib/no-layout.ts'
import { ChoiceTable } from './ChoiceTable.tsx'

type Row = { kid: string }
const found: Row[] = ['a', 'b', 'c'].map((kid) => ({ kid }))
let answer = () => {}

beforeEach(() => {
  useSessionStore.setState({ session: { permissions: [] } as never })
  stubLayout()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** A table whose 'Select all' is answered by `answer`. */
function open() {
  function Choice() {
    const [value, setValue] = useState<readonly Row[]>(found.slice(0, 1))
    const [is_open, setOpen] = useState(true)
    return (
      <>
        <p>Chosen: {value.map(({ kid }) => kid).join(' ')}</p>
        <button type="button" onClick={() => setOpen(false)}>
          Turn
        </button>
        {is_open && (
          <ChoiceTable<Row>
            label="Rows"
            query={{
              data: { items: found, total: 3, next: null } as never,
              error: null,
              isPending: false,
              refetch: (() => undefined) as never,
            }}
            columns={[{ key: 'kid', title: 'Row', render: (_, row) => row.kid }]}
            nameOf={({ kid }) => kid}
            page={1}
            onPage={() => undefined}
            value={value}
            onChange={setValue}
            max={10}
            findAll={() => new Promise((resolve) => (answer = () => resolve(found)))}
            chosen={(count) => `${count} chosen`}
            full="Full"
            empty="None"
          />
        )}
      </>
    )
  }
  render(<Choice />)
  fireEvent.click(screen.getByText('list.select_all'))
}
const chosen = () => screen.getByText(/^Chosen:/).textContent

test('all that match are chosen when they are there', async () => {
  open()
  await act(async () => answer())
  expect(chosen()).toBe('Chosen: a b c')
})

test('what was cleared while all that match were asked for stays cleared', async () => {
  open()
  fireEvent.click(screen.getByText('list.select_none'))
  await act(async () => answer())
  expect(chosen()).toBe('Chosen: ')
})

test('what was chosen by hand meanwhile stays as it is', async () => {
  open()
  fireEvent.click(screen.getAllByRole('checkbox', { name: 'list.select_row' })[1]!)
  await act(async () => answer())
  expect(chosen()).toBe('Chosen: a b')
})

test('an answer that comes after the choice was left changes nothing', async () => {
  open()
  fireEvent.click(screen.getByText('Turn'))
  await act(async () => answer())
  expect(chosen()).toBe('Chosen: a')
})

// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useSessionStore } from '../../core/session-store.ts'
import { stubLayout } from '../../lib/no-layout.ts'
import { ListTable } from './ListTable.tsx'

beforeEach(() => {
  stubLayout()
  useSessionStore.setState({ session: { permissions: [] } as never })
})
afterEach(cleanup)

const long = 'Handhelds of the northern sorting centre that nobody has seen since the last shift'

test('a cell that is plain text is cut where it is long and can be read in full; nothing is a dash', () => {
  render(
    <ListTable
      rows={[{ kid: 'a', name: long, remark: '', place: 'Depot', mark: 'new' }]}
      columns={[
        { key: 'name', title: 'Name', dataIndex: 'name' },
        { key: 'place', title: 'Place', render: (_, row) => row.place },
        { key: 'remark', title: 'Remark', render: (_, row) => row.remark },
        { key: 'mark', title: 'Mark', render: (_, row) => <b>{row.mark}</b> },
      ]}
    />,
  )
  const [name, place, remark, mark] = screen.getAllByRole('cell')
  expect(name?.querySelector('.clipped')?.getAttribute('title')).toBe(long)
  // What is never cut has nothing to tell.
  expect(place?.querySelector('.clipped')?.hasAttribute('title')).toBe(false)
  expect(remark?.textContent).toBe('–')
  expect(mark?.innerHTML).toBe('<b>new</b>')
})

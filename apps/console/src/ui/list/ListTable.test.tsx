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
      rows={[{ kid: 'a', name: long, remark: '', place: 'Depot', count: 3 }]}
      columns={[
        { key: 'name', title: 'Name', dataIndex: 'name' },
        { key: 'place', title: 'Place', render: (_, row) => row.place },
        { key: 'remark', title: 'Remark', render: (_, row) => row.remark },
        { key: 'count', title: 'Count', render: (_, row) => <b>{row.count}</b> },
      ]}
    />,
  )
  const [name, place, remark, count] = screen.getAllByRole('cell')
  expect(name?.querySelector('.clipped')?.getAttribute('title')).toBe(long)
  // What is never cut has nothing to tell.
  expect(place?.querySelector('.clipped')?.hasAttribute('title')).toBe(false)
  expect(remark?.textContent).toBe('–')
  expect(count?.innerHTML).toBe('<b>3</b>')
})

import type { ReactNode } from 'react'
import type { CallFailed } from '../../core/call-failed.ts'
import { Failure } from '../Failure.tsx'
import { Empty } from '../Empty.tsx'
import type { Column } from './ListPage.tsx'
import { ListTable } from './ListTable.tsx'
import type { RowAction } from './RowActions.tsx'
import { SkeletonRows } from './SkeletonRows.tsx'

type Props<R> = {
  title: string
  query: { isPending: boolean; error: CallFailed | null; refetch: () => unknown }
  rows: readonly R[]
  columns: readonly Column<R>[]
  rowActions: (row: R) => readonly RowAction[]
  empty: { title: string; hint: string; action?: ReactNode }
}

/** A list that is read whole, as a section of a page. */
export function WholeList<R extends { kid: string; name: string }>(props: Props<R>) {
  const { title, query, rows, columns, rowActions, empty } = props
  if (query.isPending) return <SkeletonRows columns={columns.length} label={title} />
  if (query.error && rows.length === 0) return <Failure error={query.error} retry={query.refetch} />
  if (rows.length === 0)
    return (
      <Empty title={empty.title} hint={empty.hint}>
        {empty.action}
      </Empty>
    )
  return (
    <section aria-label={title} className="whole-list">
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      <ListTable<R> rows={rows} columns={columns} rowActions={rowActions} nameOf={({ name }) => name} />
    </section>
  )
}

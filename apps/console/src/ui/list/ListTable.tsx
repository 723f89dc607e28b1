import { Table } from 'antd'
import type { TableProps } from 'antd'
import { useLayoutEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { useActionsColumn } from './RowActions.tsx'
import type { RowAction } from './RowActions.tsx'
import type { Column } from './ListPage.tsx'
import { Clipped } from '../value/values.tsx'

type Props<R extends object> = Omit<
  TableProps<R>,
  'dataSource' | 'columns' | 'pagination' | 'size' | 'rowKey' | 'scroll'
> & {
  rows: readonly R[]
  columns: readonly Column<R>[]
  /** The field that tells rows apart, or what makes one; `kid` by itself. */
  rowKey?: (keyof R & string) | ((row: R) => string)
  /** Rows of a page, where they are not all shown: of rows that are all here, or of `total` that are read page by page. */
  page_size?: number
  paging?: { page: number; total: number; onPage: (page: number) => void }
  scroll?: TableProps<R>['scroll']
  /** What can be done with a row, in the last column. */
  rowActions?: (row: R) => readonly RowAction[]
  /** What a person calls a row; goes with `rowActions`. */
  nameOf?: (row: R) => string
}

/** A cell that is plain text, or nothing. */
const isText = (cell: unknown): cell is string | null | undefined => (cell ?? '') === '' || typeof cell === 'string'

/** Rows under columns, wherever they stand: a page of a list, all there are, or a tree. */
export function ListTable<R extends object>(props: Props<R>) {
  const { rows, columns, rowKey, page_size, paging, scroll, rowActions, nameOf, className, ...rest } = props
  const actions = useActionsColumn<R>({ rowActions, rows, nameOf })
  const all = [...columns, ...actions]
  const isAsDrawn = useDrawn(all)
  return (
    <Table<R>
      {...rest}
      className={['list-table', className].filter(Boolean).join(' ')}
      rowKey={rowKey ?? ('kid' as keyof R & string)}
      size="small"
      scroll={scroll ?? { x: 'max-content' }}
      pagination={
        page_size === undefined
          ? false
          : {
              pageSize: page_size,
              showSizeChanger: false,
              hideOnSinglePage: true,
              ...(paging && { current: paging.page, total: paging.total, onChange: paging.onPage }),
            }
      }
      dataSource={[...rows]}
      columns={all.map((column) => ({
        // Beside names that run from right to left as well.
        align: 'left',
        ...column,
        render: (value: unknown, row, at) => {
          const cell = column.render ? column.render(value as never, row, at) : (value as ReactNode)
          return isText(cell) ? <Clipped text={cell} /> : cell
        },
        shouldCellUpdate: (row, before) => row !== before || !isAsDrawn(column),
        // What people and devices are called may run from right to left.
        onCell: (row, at) => ({ dir: 'auto', ...column.onCell?.(row, at) }),
      }))}
    />
  )
}

/**
 * Whether a column draws its cells by the same function as when the table was drawn last: then a row that is the same has the same
 * cells, and 100 rows need not be drawn anew because a column has gone.
 */
function useDrawn<R>(columns: readonly Column<R>[]): (column: Column<R>) => boolean {
  const drawn = useRef<ReadonlyMap<string, Column<R>['render']>>(new Map())
  useLayoutEffect(() => {
    drawn.current = new Map(columns.map(({ key, render }) => [key, render]))
  })
  const before = drawn.current
  return ({ key, render }) => before.has(key) && before.get(key) === render
}

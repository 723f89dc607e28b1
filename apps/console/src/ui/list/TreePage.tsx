import { useState } from 'react'
import type { HTMLAttributes, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Page } from '@mdm/contract'
import type { AnyCall } from '../../core/api.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { pageIcon } from '../icons.tsx'
import { ColumnsButton, useColumns } from './columns.tsx'
import { ExportButton } from './ExportButton.tsx'
import { Failure } from '../Failure.tsx'
import { ListBody } from './ListBody.tsx'
import type { EmptyText } from './ListBody.tsx'
import { ListSearch } from './ListSearch.tsx'
import type { Column } from './ListPage.tsx'
import { ListTable } from './ListTable.tsx'
import { Refresh } from './ListTools.tsx'
import { useActionsColumn } from './RowActions.tsx'
import type { RowAction } from './RowActions.tsx'
import { PageHead } from '../PageHead.tsx'
import { useListParams } from './params.ts'
import { flattened, matching } from './tree.ts'
import type { TreeNode } from './tree.ts'
import type { List } from './use-list-table.ts'
import './tree-page.css'

type Props<R extends { kid: string }> = {
  /** Under which the columns are remembered. */
  id: string
  /** The page's row of the contract: title and icon are the same as in the menu. */
  page: Page
  /** What answers the rows, all at once and for nothing asked. */
  call: AnyCall
  query: List<R>['query']
  nodes: readonly TreeNode<R>[]
  columns: readonly Column<TreeNode<R>>[]
  /** What can be done with a row, in the last column. */
  rowActions?: (row: TreeNode<R>) => readonly RowAction[]
  /** What a person calls a row. */
  nameOf: (row: R) => string
  /** Placeholder of the search field. */
  search: string
  isMatch: (row: R, text: string) => boolean
  /** Branches that are closed until they are opened. */
  isClosed?: (row: R) => boolean
  primary?: ReactNode
  empty: EmptyText
  /** Under the tools: what is worth knowing about the whole. */
  note?: string
  row?: (row: TreeNode<R>) => HTMLAttributes<HTMLElement>
}

/** A tree that is read whole, as a table: the anatomy of a list without its pages. */
export function TreePage<R extends { kid: string }>(props: Props<R>) {
  const { page, query, nodes, search, primary, note, rowActions, nameOf } = props
  const { t } = useTranslation('common')
  const title = useTextOf()(page.title)
  const actions = useActionsColumn({ rowActions, rows: flattened(nodes), nameOf })
  const columns = useColumns(props.id, [...props.columns, ...actions])
  const { values, set } = useListParams({ text: 'text' })
  const text = values.text ?? ''
  const onText = (typed: string) => set({ text: typed }, { replace: true })
  const found = text ? matching(nodes, (row) => props.isMatch(row, text)) : nodes
  return (
    <section className="list-page">
      <PageHead
        title={title}
        icon={pageIcon(page.name)}
        count={query.isPending || query.error ? undefined : flattened(nodes).length}
      />
      <div className="list-main">
        <div className="list-tools" role="toolbar" aria-label={t('list.tools')}>
          <Refresh query={query} />
          <ListSearch label={search} text={text} onText={onText} />
          <span className="list-tools-end">
            <ColumnsButton columns={columns} />
            <ExportButton
              list={{ call: props.call, input: {} }}
              kids={flattened(found).map(({ kid }) => kid)}
              is_empty={found.length === 0}
              title={title}
              filter={text}
              columns={columns.shown}
            />
            {primary}
          </span>
        </div>
        {note && <p className="tree-note dim">{note}</p>}
        <Rows {...props} nodes={found} columns={columns.shown} is_search={text !== ''} onClear={() => onText('')} />
      </div>
    </section>
  )
}

type RowsProps<R extends { kid: string }> = Props<R> & { is_search: boolean; onClear: () => void }
function Rows<R extends { kid: string }>(props: RowsProps<R>) {
  const { query, nodes, columns, empty, is_search, isClosed, row } = props
  /** Only what was opened or closed by hand. */
  const [turned, setTurned] = useState<Record<string, boolean>>({})
  const branches = flattened(nodes).filter(({ children }) => children)
  const open = branches.filter((node) => is_search || (turned[node.kid] ?? !isClosed?.(node)))
  return (
    <ListBody
      query={query}
      columns={columns.length}
      is_empty={nodes.length === 0}
      is_filtered={is_search}
      onClear={props.onClear}
      empty={empty}
    >
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      <ListTable<TreeNode<R>>
        sticky={{ offsetHeader: 48 }}
        rows={nodes}
        columns={columns}
        onRow={row}
        expandable={{
          indentSize: 22,
          expandedRowKeys: open.map(({ kid }) => kid),
          onExpand: (is_open, { kid }) => setTurned((now) => ({ ...now, [kid]: is_open })),
        }}
      />
    </ListBody>
  )
}

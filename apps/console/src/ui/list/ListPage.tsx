import { lazy, Suspense, useMemo, useState } from 'react'
import type { TableColumnType } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Page } from '@mdm/contract'
import { useIsAddressPending } from '../../core/address.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { pageIcon } from '../icons.tsx'
import { useColumns } from './columns.tsx'
import type { Columns } from './columns.tsx'
import { Failure } from '../Failure.tsx'
import type { Filter } from './filters.tsx'
import type { ColumnExport } from './list-export.ts'
import { ListBody } from './ListBody.tsx'
import type { EmptyText } from './ListBody.tsx'
import { ListTools } from './ListTools.tsx'
import { ListTable } from './ListTable.tsx'
import { BulkBar, PagingBar } from './list-bars.tsx'
import type { Preset } from './Presets.tsx'
import { PageHead } from '../PageHead.tsx'
import { useActionsColumn } from './RowActions.tsx'
import type { RowAction } from './RowActions.tsx'
import { useIsNarrow } from './use-is-narrow.ts'
import type { List } from './use-list-table.ts'

const AsideDrawer = lazy(() => import('./AsideDrawer.tsx').then((m) => ({ default: m.AsideDrawer })))

/** `key` is the column's name in the remembered choice; `sorter: true` sorts on the server by that key. */
export type Column<R> = Omit<TableColumnType<R>, 'key' | 'title'> & {
  key: string
  title: string
  /** Offered in the column dialog, but not shown until chosen. */
  is_hidden?: boolean
  /** Always shown, first. */
  is_fixed?: boolean
  /** What it is in an exported file; by itself the field of the row that is called like it, if there is one. */
  export?: ColumnExport<R>
}

export type ListPageProps<R extends { kid: string }> = {
  list: List<R>
  /** The page's row of the contract: title and icon are the same as in the menu. */
  page?: Page
  /** Of a part of a page, and of a page that calls itself otherwise than the menu does; so is the icon. */
  title?: string
  icon?: ReactNode
  /** Far right of the title. */
  actions?: ReactNode
  columns: readonly Column<R>[]
  /** Placeholder of the search field, which is bound to the `text` filter. No search without it. */
  search?: string
  filters?: readonly Filter[]
  /** Filters under one word, beside the search. */
  presets?: readonly Preset[]
  /** The one primary action of the page. */
  primary?: ReactNode
  /** What can be done with the selected rows; rows can be selected only when given. */
  bulk?: (list: List<R>) => ReactNode
  /** What can be done with a row, in the last column. */
  rowActions?: (row: R) => readonly RowAction[]
  /** What a person calls a row; goes with `bulk` and `rowActions`. */
  nameOf?: (row: R) => string
  /** `bulk` can also act on everything that matches, however many there are. */
  can_match?: boolean
  /** Why a row cannot be selected, or undefined. */
  unselectable?: (row: R) => string | undefined
  empty: EmptyText
  /** Beside the table: a tree of groups. On narrow screens it is drawn over the page, so that the table keeps its width. */
  aside?: { title: string; icon: ReactNode; content: ReactNode }
  onRow?: (row: R) => void
  /** Instead of the table and its pages: the same rows seen in another way. */
  body?: ReactNode
  /** Where a list has more to offer than its rows as a file at once; gets the columns as they are chosen. */
  onExport?: (columns: Columns<R>) => void
  /** Inside a tab of a detail page: no title of its own. */
  is_part?: boolean
}

export function ListPage<R extends { kid: string }>(props: ListPageProps<R>) {
  const { list, page, aside, is_part, rowActions } = props
  const textOf = useTextOf()
  const title = props.title ?? (page ? textOf(page.title) : '')
  const nameOf = props.nameOf ?? ((row: R) => row.kid)
  const actions = useActionsColumn({ rowActions, rows: list.rows, nameOf })
  const columns = useColumns(list.id, [...props.columns, ...actions])
  const is_narrow = useIsNarrow()
  // Choosing something in it filters the list, which puts it away.
  const [drawn_at, setDrawnAt] = useState<string | null>(null)
  const is_selected = props.bulk !== undefined && (list.selection.kids.length > 0 || list.selection.is_match)
  const head = !is_part && (
    <PageHead
      title={title}
      icon={props.icon ?? (page && pageIcon(page.name))}
      count={list.query.isPending ? undefined : list.total}
      at_least={!list.total_is_exact}
    >
      {props.actions}
    </PageHead>
  )
  return (
    <section className="list-page" data-part={is_part || undefined} aria-label={is_part ? title : undefined}>
      {head}
      <div className="list-body">
        {aside && !is_narrow && (
          <aside className="list-aside" aria-label={aside.title}>
            {aside.content}
          </aside>
        )}
        {aside && is_narrow && drawn_at === list.params.text && (
          <Suspense>
            <AsideDrawer title={aside.title} onClose={() => setDrawnAt(null)}>
              {aside.content}
            </AsideDrawer>
          </Suspense>
        )}
        <div className="list-main">
          {/* One place for both: nothing below it moves when something is selected. */}
          <div className="list-bar" data-selected={is_selected || undefined}>
            <ListTools
              list={list}
              title={title}
              columns={columns}
              search={props.search}
              filters={props.filters}
              presets={props.presets}
              primary={props.primary}
              onExport={props.onExport}
              aside={aside && is_narrow ? { ...aside, open: () => setDrawnAt(list.params.text) } : undefined}
            />
            {is_selected && (
              <BulkBar
                list={list}
                can_match={props.can_match}
                nameOf={nameOf}
                onExport={props.onExport && (() => props.onExport?.(columns))}
              >
                {props.bulk?.(list)}
              </BulkBar>
            )}
          </div>
          {list.query.error && list.rows.length > 0 && (
            <Failure error={list.query.error} retry={list.query.refetch} is_line />
          )}
          {props.body ?? (
            <>
              <Rows {...props} columns={columns.shown} nameOf={nameOf} />
              <PagingBar list={list} />
            </>
          )}
        </div>
      </div>
    </section>
  )
}

function Rows<R extends { kid: string }>(props: ListPageProps<R> & { nameOf: (row: R) => string }) {
  const { list, columns, empty, onRow } = props
  const { t } = useTranslation('common')
  const { params, selection, rows } = list
  // A list of keys that is new each time makes the table draw itself twice.
  const selected = useMemo(
    () => (selection.is_match ? rows.map((row) => row.kid) : [...selection.kids]),
    [selection.is_match, selection.kids, rows],
  )
  const is_pending = useIsAddressPending()
  return (
    <ListBody
      query={list.query}
      columns={columns.length}
      is_empty={list.rows.length === 0}
      is_filtered={list.is_filtered}
      onClear={params.clear}
      none_match_hint={t('list.none_match_hint')}
      empty={empty}
    >
      <ListTable<R>
        // Until the answer is there, these are the rows of the question before.
        aria-busy={is_pending || list.query.isPlaceholderData}
        // Under the top bar, and its own scroll bar above the paging bar.
        sticky={{ offsetHeader: 48, offsetScroll: 44 }}
        rows={rows}
        columns={columns.map((column) => ({
          ...column,
          showSorterTooltip: false,
          sortOrder: params.sort === column.key ? (params.order === 'desc' ? 'descend' : 'ascend') : null,
        }))}
        onChange={(_page, _filters, sorter, { action }) => {
          if (action !== 'sort' || Array.isArray(sorter)) return
          params.set({
            sort: sorter.order ? String(sorter.columnKey) : null,
            order: sorter.order ? (sorter.order === 'descend' ? 'desc' : 'asc') : null,
          })
        }}
        onRow={
          onRow && ((row) => ({ onClick: (event) => isPlainClick(event) && onRow(row), className: 'is-clickable' }))
        }
        rowSelection={
          props.bulk && {
            selectedRowKeys: selected,
            preserveSelectedRowKeys: true,
            columnWidth: 36,
            onChange: (_kids, chosen) => selection.set(chosen.filter(Boolean)),
            getCheckboxProps: (row) => {
              const reason = props.unselectable?.(row)
              return {
                disabled: reason !== undefined || selection.is_closed,
                title: reason,
                'aria-label': t('list.select_row', { name: props.nameOf(row) }),
              }
            },
          }
        }
      />
    </ListBody>
  )
}

/** A click on a link, button or checkbox in the row, or one that ends a text selection, is not a click on the row. */
const isPlainClick = (event: React.MouseEvent): boolean =>
  !(event.target as Element).closest('a,button,input,label,[role=button],[role=menuitem]') &&
  getSelection()?.type !== 'Range'

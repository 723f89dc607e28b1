import { SearchOutlined } from '@ant-design/icons'
import { Button, Input, Pagination } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { Paged } from '@mdm/contract'
import type { ReadResult, AnyCall } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { Failure } from '../../ui/Failure.tsx'
import type { Typed } from '../../ui/form/search-select.ts'
import { useFormWaits } from '../../ui/form/waits.ts'
import { useCount } from '../../ui/value/format.ts'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import './choice.css'

export const choice_page_size = 20

type Query<R> = Pick<ReadResult<AnyCall>, 'error' | 'isPending' | 'refetch'> & { data: Paged<R> | undefined }
type Props<R extends { kid: string }> = {
  /** Names the table: 'Devices'. */
  label: string
  query: Query<R>
  columns: Column<R>[]
  /** What a person calls a row. */
  nameOf: (row: R) => string
  page: number
  onPage: (page: number) => void
  value: readonly R[]
  onChange: (rows: readonly R[]) => void
  max: number
  /** Without it nothing is searched. */
  search?: Typed & { label: string }
  /** Beside the search field. */
  filters?: ReactNode
  /** All that match, at most `max`; without it only single rows are chosen. */
  findAll?: () => Promise<readonly R[]>
  /** Says what is chosen: '12 devices chosen'. */
  chosen: (count: number) => string
  /** Why no more can be chosen. */
  full: string
  empty: string
  /** Between the tools and the rows. */
  below?: ReactNode
}

/** Rows to choose from inside a step of a wizard; its state is its own, not the address's. */
export function ChoiceTable<R extends { kid: string }>(props: Props<R>) {
  const { label, query, columns, page, onPage, value, onChange, max, search, filters, findAll, chosen, nameOf } = props
  const { t } = useTranslation('common')
  const count = useCount()
  const [is_loading, setLoading] = useState(false)
  useFormWaits(is_loading)
  /** What is chosen now; null once another choice has taken this one's place. */
  const latest = useRef<readonly R[] | null>(null)
  useEffect(() => {
    latest.current = value
    return () => {
      latest.current = null
    }
  }, [value])
  const data = query.data
  const is_full = value.length >= max
  const total = data?.total ?? 0
  const all = () => {
    setLoading(true)
    findAll?.()
      // What was chosen or cleared since then counts.
      .then((rows) => latest.current && isSame(latest.current, value) && onChange(rows), notify.fail)
      .finally(() => setLoading(false))
  }
  return (
    <section className="choice" aria-label={label}>
      <div className="choice-tools">
        {search && (
          <Input
            type="search"
            allowClear
            className="choice-search"
            maxLength={100}
            prefix={<SearchOutlined aria-hidden />}
            placeholder={search.label}
            aria-label={search.label}
            value={search.typed}
            onChange={(event) => {
              search.setTyped(event.target.value)
              onPage(1)
            }}
          />
        )}
        {filters}
        <span className="choice-count" role="status">
          <strong>{chosen(value.length)}</strong>
          {findAll && total > 0 && value.length < Math.min(total, max) && (
            <Button type="link" size="small" loading={is_loading} onClick={all}>
              {total <= max
                ? t('list.select_all', { total: count(total) })
                : t('list.select_most', { max: count(max) })}
            </Button>
          )}
          {value.length > 0 && (
            <Button type="link" size="small" onClick={() => onChange([])}>
              {t('list.select_none')}
            </Button>
          )}
        </span>
      </div>
      {props.below}
      {is_full && <p className="choice-full">{props.full}</p>}
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.isPending && <SkeletonRows columns={columns.length} label={t('list.loading')} />}
      {data && data.items.length === 0 && <p className="choice-empty dim">{props.empty}</p>}
      {data && data.items.length > 0 && (
        <ListTable<R>
          rows={data.items}
          columns={columns}
          rowSelection={{
            selectedRowKeys: value.map(({ kid }) => kid),
            preserveSelectedRowKeys: true,
            columnWidth: 36,
            onChange: (kids, rows) => onChange(keptRows(kids as string[], [...value, ...rows]).slice(0, max)),
            getCheckboxProps: (row) => {
              const is_closed = is_full && !value.some(({ kid }) => kid === row.kid)
              return {
                disabled: is_closed,
                title: is_closed ? props.full : undefined,
                'aria-label': t('list.select_row', { name: nameOf(row) }),
              }
            },
          }}
        />
      )}
      {total > choice_page_size && (
        <Pagination
          size="small"
          align="end"
          current={page}
          pageSize={choice_page_size}
          total={total}
          showSizeChanger={false}
          onChange={onPage}
        />
      )}
    </section>
  )
}

const isSame = (rows: readonly { kid: string }[], others: readonly { kid: string }[]): boolean =>
  rows.length === others.length && rows.every(({ kid }, at) => kid === others[at]?.kid)

/** antd knows the rows of this page only; those chosen on others come from what was chosen before. */
function keptRows<R extends { kid: string }>(kids: readonly string[], rows: readonly (R | undefined)[]): R[] {
  const known = new Map(rows.flatMap((row) => (row ? [[row.kid, row] as const] : [])))
  return kids.flatMap((kid) => known.get(kid) ?? [])
}

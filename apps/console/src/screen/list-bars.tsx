import { DoubleLeftOutlined, DoubleRightOutlined, LeftOutlined, RightOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../notice.ts'
import { useCount } from './format.ts'
import { max_selected } from './use-list-table.ts'
import type { List } from './use-list-table.ts'

type Props<R extends { kid: string }> = { list: List<R> }

/** '12 selected, select all 4,318 that match', and what can be done with them. */
export function BulkBar<R extends { kid: string }>({ list, children }: Props<R> & { children: ReactNode }) {
  const { t } = useTranslation('common')
  const count = useCount()
  const [is_loading, setLoading] = useState(false)
  const { selection, total } = list
  const most = Math.min(total, max_selected)
  const all = () => {
    setLoading(true)
    selection
      .all()
      .catch(notify.fail)
      .finally(() => setLoading(false))
  }
  return (
    <div className="bulk-bar" role="status">
      <strong>{t('list.selected', { count: selection.kids.length })}</strong>
      {selection.kids.length < most && (
        <Button type="link" size="small" loading={is_loading} onClick={all}>
          {total <= max_selected
            ? t('list.select_all', { total: count(total) })
            : t('list.select_most', { max: count(max_selected) })}
        </Button>
      )}
      <Button type="link" size="small" onClick={selection.clear}>
        {t('list.select_none')}
      </Button>
      <span className="bulk-actions">{children}</span>
    </div>
  )
}

/** Where one is in the list; stays at the bottom. */
export function PagingBar<R extends { kid: string }>({ list }: Props<R>) {
  const { t } = useTranslation('common')
  const count = useCount()
  const { page, page_size, set } = list.params
  if (list.query.isPending || list.rows.length === 0) return <div className="paging-bar" />
  const more = list.total_is_exact ? '' : '+'
  // Beyond an inexact total the next page exists as long as this one is full.
  const pages = Math.max(1, Math.ceil(list.total / page_size))
  const is_last = list.total_is_exact ? page >= pages : list.rows.length < page_size
  const from = list.rows.length === 0 ? 0 : (page - 1) * page_size + 1
  const range = {
    from: count(from),
    to: count(from + Math.max(0, list.rows.length - 1)),
    total: count(list.total) + more,
  }
  const to = (next: number) => set({ page: next })
  return (
    <nav className="paging-bar" aria-label={t('list.paging')}>
      <span className="dim" aria-live="polite">
        {t('list.range', range)}
      </span>
      <span className="paging-buttons">
        <Button
          type="text"
          size="small"
          icon={<DoubleLeftOutlined />}
          aria-label={t('list.first')}
          disabled={page <= 1}
          onClick={() => to(1)}
        />
        <Button
          type="text"
          size="small"
          icon={<LeftOutlined />}
          aria-label={t('list.previous')}
          disabled={page <= 1}
          onClick={() => to(page - 1)}
        />
        <span className="number">{t('list.page', { page: count(page), pages: count(pages) + more })}</span>
        <Button
          type="text"
          size="small"
          icon={<RightOutlined />}
          aria-label={t('list.following')}
          disabled={is_last}
          onClick={() => to(page + 1)}
        />
        <Button
          type="text"
          size="small"
          icon={<DoubleRightOutlined />}
          aria-label={t('list.last')}
          disabled={is_last || !list.total_is_exact}
          onClick={() => to(pages)}
        />
      </span>
      <Select
        size="small"
        aria-label={t('list.page_size')}
        value={page_size}
        options={[20, 50, 100, 200].map((value) => ({ value, label: count(value) }))}
        onChange={(value: number) => set({ page_size: value })}
      />
    </nav>
  )
}

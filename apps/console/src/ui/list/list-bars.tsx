import {
  CloseOutlined,
  DoubleLeftOutlined,
  DoubleRightOutlined,
  DownloadOutlined,
  LeftOutlined,
  RightOutlined,
} from '@ant-design/icons'
import { Button, ConfigProvider, Select } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../core/notices.ts'
import { useCount } from '../value/format.ts'
import { lastNumbered } from './params.ts'
import { Popup } from '../dialog/Popup.tsx'
import { max_selected } from './use-list-table.ts'
import type { List, Selection } from './use-list-table.ts'

type Props<R extends { kid: string }> = { list: List<R> }

type BulkProps<R extends { kid: string }> = Props<R> & {
  can_match?: boolean
  nameOf: (row: R) => string
  onExport?: () => void
  children: ReactNode
}
/** '12 selected, select all 4,318 that match', and what can be done with them. */
export function BulkBar<R extends { kid: string }>({ list, can_match, nameOf, onExport, children }: BulkProps<R>) {
  const { t } = useTranslation('common')
  const count = useCount()
  const [is_loading, setLoading] = useState(false)
  const { selection, total } = list
  const most = Math.min(total, max_selected)
  const is_match = selection.is_match
  const all_total = list.total_is_exact ? count(total) : `${count(total)}+`
  const is_full = selection.kids.length >= max_selected && total > max_selected
  const all = () => {
    setLoading(true)
    selection
      .all()
      .catch(notify.fail)
      .finally(() => setLoading(false))
  }
  return (
    <div className="bulk-bar" role="group" aria-label={t('list.selection')}>
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('list.select_none')}
        title={t('list.select_none')}
        onClick={selection.clear}
      />
      <strong role="status">
        {is_match
          ? t('list.selected_match', { total: all_total })
          : is_full && selection.is_all
            ? t('list.selected_first', { max: count(max_selected) })
            : t('list.selected', { count: selection.kids.length, shown: count(selection.kids.length) })}
      </strong>
      {selection.elsewhere.length > 0 && <Elsewhere selection={selection} nameOf={nameOf} />}
      {is_full && !can_match && <span className="dim">{t('list.selected_most', { max: count(max_selected) })}</span>}
      {can_match && !is_match && total > max_selected && (
        <Button type="link" size="small" onClick={selection.take_match}>
          {t('list.select_all', { total: all_total })}
        </Button>
      )}
      {!is_match && selection.kids.length < most && (
        <Button type="link" size="small" loading={is_loading} aria-disabled={is_loading} onClick={all}>
          {total <= max_selected
            ? t('list.select_all', { total: count(total) })
            : t('list.select_most', { max: count(max_selected) })}
        </Button>
      )}
      <span className="bulk-actions">
        {/* Until those asked for are there, an action would be taken on the few that were selected before. */}
        <ConfigProvider componentDisabled={is_loading}>
          {onExport && (
            <Button
              size="small"
              icon={<DownloadOutlined aria-hidden />}
              aria-label={t('list.export')}
              title={t('list.export')}
              aria-haspopup="dialog"
              onClick={onExport}
            />
          )}
          {children}
        </ConfigProvider>
      </span>
    </div>
  )
}

/** Of more than that, one looks at the pages of the list. */
const named_max = 200
type ElsewhereProps<R> = { selection: Selection<R>; nameOf: (row: R) => string }
/** What is selected and not on screen, by name; one that was not meant is taken out here. */
function Elsewhere<R extends { kid: string }>({ selection, nameOf }: ElsewhereProps<R>) {
  const { t } = useTranslation('common')
  const count = useCount()
  const { elsewhere, rows, set } = selection
  const more = elsewhere.length - named_max
  return (
    <Popup
      placement="bottomLeft"
      title={t('list.elsewhere_title')}
      content={
        <ul className="elsewhere">
          {elsewhere.slice(0, named_max).map((row) => (
            <li key={row.kid}>
              <span>{nameOf(row)}</span>
              <button
                type="button"
                className="icon-button"
                aria-label={t('list.unselect', { name: nameOf(row) })}
                onClick={() => set(rows.filter(({ kid }) => kid !== row.kid))}
              >
                <CloseOutlined aria-hidden />
              </button>
            </li>
          ))}
          {more > 0 && <li className="dim">{t('list.elsewhere_more', { shown: count(more) })}</li>}
        </ul>
      }
    >
      <Button type="link" size="small" aria-haspopup="dialog">
        {t('list.elsewhere', { shown: count(elsewhere.length) })}
      </Button>
    </Popup>
  )
}

/** Where one is in the list; stays at the bottom. */
export function PagingBar<R extends { kid: string }>({ list }: Props<R>) {
  const { t } = useTranslation('common')
  const count = useCount()
  const { page, page_size, after, trail, set, follow } = list.params
  if (list.query.isPending || list.rows.length === 0) return <div className="paging-bar" />
  const more = list.total_is_exact ? '' : '+'
  const pages = Math.max(1, Math.ceil(list.total / page_size))
  const numbered = lastNumbered(page_size)
  const has_last = list.total_is_exact && pages <= numbered
  const is_last = list.next === null || (page >= numbered && list.query.isPlaceholderData)
  const from = list.rows.length === 0 ? 0 : (page - 1) * page_size + 1
  const range = {
    from: count(from),
    to: count(from + Math.max(0, list.rows.length - 1)),
    total: count(list.total) + more,
  }
  const to = (number: number) => set({ page: number })
  const following = () => (page < numbered ? to(page + 1) : list.next && follow(page + 1, [...trail, list.next]))
  // Beyond the numbered pages the way back is the way one came; whoever came by a link can go to the first page.
  const previous = () => (page - 1 <= numbered ? to(page - 1) : follow(page - 1, trail.slice(0, -1)))
  const has_previous = page > 1 && (after === undefined || page - 1 <= numbered || trail.length > 1)
  return (
    <nav className="paging-bar" aria-label={t('list.paging')}>
      <span className="dim" aria-live="polite">
        {t('list.range', range)}
      </span>
      <span className="paging-buttons">
        <Button
          type="text"
          size="small"
          icon={<DoubleLeftOutlined aria-hidden />}
          aria-label={t('list.first')}
          disabled={page <= 1}
          onClick={() => to(1)}
        />
        <Button
          type="text"
          size="small"
          icon={<LeftOutlined aria-hidden />}
          aria-label={t('list.previous')}
          disabled={!has_previous}
          onClick={previous}
        />
        <span className="number">
          {list.total_is_exact
            ? t('list.page', { page: count(page), pages: count(pages) })
            : t('list.page_only', { page: count(page) })}
        </span>
        <Button
          type="text"
          size="small"
          icon={<RightOutlined aria-hidden />}
          aria-label={t('list.following')}
          disabled={is_last}
          onClick={following}
        />
        {has_last && (
          <Button
            type="text"
            size="small"
            icon={<DoubleRightOutlined aria-hidden />}
            aria-label={t('list.last')}
            disabled={is_last}
            onClick={() => to(pages)}
          />
        )}
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

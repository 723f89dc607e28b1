import { DownloadOutlined, ReloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useZone } from '../../core/session.tsx'
import { ColumnsButton } from './columns.tsx'
import type { Columns } from './columns.tsx'
import { ExportButton } from './ExportButton.tsx'
import { FilterChips, useFilterSummary } from './filters.tsx'
import type { Filter } from './filters.tsx'
import { ListSearch } from './ListSearch.tsx'
import { ReportButton } from './ReportButton.tsx'
import { dateParts } from '../value/format.ts'
import { Presets } from './Presets.tsx'
import type { Preset } from './Presets.tsx'
import type { List } from './use-list-table.ts'
import { ViewsButton } from './views.tsx'

type Props<R extends { kid: string }> = {
  list: List<R>
  /** Of the list: what a file of it is called. */
  title: string
  columns: Columns<R>
  search?: string
  filters?: readonly Filter[]
  presets?: readonly Preset[]
  primary?: ReactNode
  onExport?: (columns: Columns<R>) => void
  /** Opens what has no room beside the table. */
  aside?: { title: string; icon: ReactNode; open: () => void }
}

/** One line: refresh and its age, search, filters, views, columns, export, and the primary action at the end. */
export function ListTools<R extends { kid: string }>(props: Props<R>) {
  const { list, title, columns, search, filters, presets, primary, aside, onExport } = props
  const { t } = useTranslation('common')
  const filterSummary = useFilterSummary(filters, list.params)
  const { text } = list.params.values
  return (
    <div className="list-tools" role="toolbar" aria-label={t('list.tools')}>
      {aside && (
        <Button icon={aside.icon} aria-haspopup="dialog" onClick={aside.open}>
          {aside.title}
        </Button>
      )}
      <Refresh query={list.query} />
      {search && (
        <ListSearch
          label={search}
          text={typeof text === 'string' ? text : ''}
          onText={(typed) => list.params.set({ text: typed }, { replace: true })}
        />
      )}
      {presets && <Presets presets={presets} params={list.params} />}
      {filters && filters.length > 0 && <FilterChips filters={filters} params={list.params} />}
      <span className="list-tools-end">
        <ViewsButton id={list.id} params={list.params} />
        <ColumnsButton columns={columns} />
        {onExport ? (
          <Button
            type="text"
            icon={<DownloadOutlined aria-hidden />}
            aria-label={t('list.export')}
            title={t('list.export')}
            aria-haspopup="dialog"
            onClick={() => onExport(columns)}
          />
        ) : (
          <ExportButton
            list={list}
            is_empty={list.rows.length === 0}
            title={title}
            filter={filterSummary}
            columns={columns.shown}
          />
        )}
        <ReportButton
          list={list}
          title={title}
          filter={filterSummary}
          time={filters?.find((each) => each.kind === 'time')}
          columns={columns.shown}
        />
        {primary}
      </span>
    </div>
  )
}

export function Refresh({ query }: { query: List<{ kid: string }>['query'] }) {
  const { t } = useTranslation('common')
  const zone = useZone()
  const time = query.dataUpdatedAt ? dateParts(query.dataUpdatedAt, zone)[1].slice(0, 5) : undefined
  const updated = t('list.updated', { time: time ?? '00:00' })
  return (
    <Button
      type="text"
      className="refresh"
      icon={<ReloadOutlined aria-hidden spin={query.isFetching} />}
      aria-label={time ? `${t('refresh')}. ${updated}` : t('refresh')}
      title={t('refresh')}
      onClick={() => void query.refetch()}
    >
      {/* Its room is kept until there is a time, so that nothing beside it moves under somebody's pointer. */}
      <span className="dim" style={{ visibility: time ? 'visible' : 'hidden' }}>
        {updated}
      </span>
    </Button>
  )
}

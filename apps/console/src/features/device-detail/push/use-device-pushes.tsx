import { useTranslation } from 'react-i18next'
import { pushTaskTypes, pushTitles } from '@mdm/contract'
import type { PushTaskTerminal, PushTaskType } from '@mdm/contract'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { api } from '../../../core/api.ts'
import { PushProgress, PushStateBadge, useDeviceLabels } from '../../push-task/public.ts'
import { usePushLabels } from '../../../shared/push/push-labels.ts'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import type { List } from '../../../ui/list/use-list-table.ts'
import { useOpened } from '../../../ui/dialog/use-opened.ts'
import { Clipped, DateTime } from '../../../ui/value/values.tsx'
import { PushDrawer } from './PushDrawer.tsx'

export type PushRow = PushTaskTerminal & { kid: string }

/** The pushes to one device; a row is named by its task. Which one is open stands in the address. */
export function useDevicePushes(terminal_kid: string, types?: PushTaskType[]) {
  const raw = useListTable(api.pushTask.paging_terminal, {
    id: types ? `device-${types.join('-')}` : 'device-task',
    filters: types ? { states: 'texts' } : { states: 'texts', types: 'texts' },
    fixed: { terminal_kid, ...(types && { types }) },
    enabled: terminal_kid !== '',
  })
  const rows = raw.rows.map((row) => ({ ...row, kid: row.push_task_kid }))
  const list = { ...raw, rows } as unknown as List<PushRow>
  const { opened, open } = useOpened()
  const row = rows.find(({ kid }) => kid === opened)
  return { list, open, drawer: row && <PushDrawer row={row} onClose={() => open(null)} /> }
}

type Texts = { summary: string; created_at: string; with_type: boolean }
export function usePushColumns(
  { summary, created_at, with_type }: Texts,
  open: (kid: string) => void,
): Column<PushRow>[] {
  const { t } = useTranslation(['device-detail', 'push', 'common'])
  const { stateLabels, reason } = usePushLabels()
  const { waits } = useDeviceLabels()
  const textOf = useTextOf()
  const typeOf = (type: PushTaskType) => textOf(pushTitles[type])
  const name = (row: PushRow) => (with_type ? typeOf(row.type) : row.summary)
  const first: Column<PushRow> = {
    key: with_type ? 'type' : 'summary',
    title: with_type ? t('task.type') : summary,
    is_fixed: true,
    export: { labels: Object.fromEntries(pushTaskTypes.map((type) => [type, typeOf(type)])) },
    render: (_, row) => (
      <button type="button" className="link" title={t('task.open')} onClick={() => open(row.kid)}>
        <Clipped text={name(row) || typeOf(row.type)} />
      </button>
    ),
  }
  const content: Column<PushRow> = {
    key: 'summary',
    title: summary,
    render: (_, row) => row.summary,
  }
  return [
    first,
    ...(with_type ? [content] : []),
    {
      key: 'state_at',
      title: t('common:state'),
      sorter: true,
      export: [
        { key: 'state', labels: stateLabels(with_type ? undefined : 'message') },
        { key: 'state_at', title: t('common:updated_at') },
      ],
      render: (_, row) => (
        <span className="push-device-state">
          <PushStateBadge type={row.type} state={row.state} since={row.state_at} cancel_asked={row.cancel_asked} />
          {waits(row) && <span className="push-waits">{waits(row)}</span>}
        </span>
      ),
    },
    {
      key: 'progress',
      title: t('task.progress'),
      export: [
        { title: t('common:list.export_unit', { name: t('task.progress'), unit: '%' }) },
        { key: 'code', title: t('task.reason'), labels: t('push:code', { returnObjects: true }) },
        { key: 'message', title: t('common:list.export_detail', { name: t('task.reason') }) },
      ],
      render: (_, row) => {
        if (row.state === 'failed') return <Clipped className="failed-why" text={reason(row)} />
        return <PushProgress state={row.state} progress={row.progress} />
      },
    },
    { key: 'attempt', title: t('task.attempt'), align: 'right', render: (_, row) => row.attempt },
    { key: 'created_at', title: created_at, sorter: true, render: (_, row) => <DateTime at={row.created_at} /> },
  ]
}

import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { PushTaskRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { CountsBar } from '../../shared/push/CountsBar.tsx'
import { PushResultBadge } from '../../shared/push/PushStateBadge.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { DateTime, OrDash } from '../../ui/value/values.tsx'

export function OsPushes() {
  const { t } = useTranslation(['os-push', 'push', 'common'])
  const count = useCount()
  const navigate = useNavigate()
  const list = useListTable(api.pushTask.paging, {
    id: 'user-os-push-list',
    filters: { text: 'text', is_running: 'boolean' },
    fixed: { types: ['os'] },
  })
  const open = (row: PushTaskRow) => link.userOsPush.to({ task: row.kid })
  const columns: Column<PushTaskRow>[] = [
    {
      key: 'summary',
      title: t('column.version'),
      is_fixed: true,
      render: (_, row) => <Link to={open(row)}>{row.summary}</Link>,
    },
    {
      key: 'result',
      title: t('column.result'),
      export: { labels: t('push:result', { returnObjects: true }) },
      render: (_, row) => <PushResultBadge result={row.result} />,
    },
    {
      key: 'progress',
      title: t('column.progress'),
      export: {
        key: 'counts',
        labels: {
          ...t('push:state', { returnObjects: true }),
          total: t('column.devices'),
          running: t('push:result.running'),
        },
      },
      render: (_, row) => <CountsBar counts={row.counts} />,
    },
    {
      key: 'meant',
      title: t('column.devices'),
      align: 'right',
      render: (_, row) => <span className="number">{count(row.meant)}</span>,
    },
    {
      key: 'left_out',
      title: t('column.left_out'),
      align: 'right',
      render: (_, row) => <span className="number">{count(row.left_out)}</span>,
    },
    { key: 'description', title: t('column.description'), render: (_, row) => <OrDash>{row.description}</OrDash> },
    { key: 'created_by', title: t('column.created_by'), dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
  return (
    <ListPage
      is_part
      list={list}
      title={t('tab.pushes')}
      columns={columns}
      search={t('search')}
      filters={[
        {
          key: 'is_running',
          kind: 'yes_no',
          label: t('common:state'),
          yes: t('push:result.running'),
          no: t('ended'),
        },
      ]}
      empty={{ title: t('empty'), hint: t('empty_hint') }}
      onRow={(row) => void navigate(open(row))}
    />
  )
}

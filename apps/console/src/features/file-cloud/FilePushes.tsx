import { CloudOutlined, PlusOutlined, SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { pages } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { CountsBar } from '../../shared/push/CountsBar.tsx'
import { PushResultBadge } from '../../shared/push/PushStateBadge.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { DateTime, OrDash } from '../../ui/value/values.tsx'
import { May } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

export function FilePushes() {
  const { t } = useTranslation(['file-cloud', 'push', 'common'])
  const count = useCount()
  const navigate = useNavigate()
  const list = useListTable(api.pushTask.paging, {
    id: 'file-cloud-push',
    filters: { text: 'text', is_running: 'boolean' },
    fixed: { types: ['file'] },
  })
  const open = (row: PushTaskRow) => link.fileCloudPush.to({ task: row.kid })
  const columns: Column<PushTaskRow>[] = [
    {
      key: 'summary',
      title: t('column.files'),
      is_fixed: true,
      render: (_, row) => (
        <Link className="file-name" to={open(row)} title={row.summary}>
          {row.summary}
        </Link>
      ),
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
      key: 'devices',
      title: t('column.devices'),
      align: 'right',
      render: (_, row) => <span className="number">{count(row.counts.total)}</span>,
    },
    {
      key: 'description',
      title: t('push.description'),
      render: (_, row) => (
        <OrDash>
          {row.description && (
            <span className="file-name" title={row.description}>
              {row.description}
            </span>
          )}
        </OrDash>
      ),
    },
    { key: 'created_by', title: t('column.created_by'), dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
  const filters: Filter[] = [
    {
      key: 'is_running',
      kind: 'yes_no',
      label: t('common:state'),
      yes: t('push:result.running'),
      no: t('push.ended'),
    },
  ]
  const create = (
    <May needs="fileCloudPush:push">
      <Button
        type="primary"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => void navigate(link.fileCloudPush.to({ new: true }))}
      >
        {t('push.new')}
      </Button>
    </May>
  )
  return (
    <ListPage
      list={list}
      page={pages.fileCloudPush}
      title={t('pushes')}
      icon={<SendOutlined aria-hidden />}
      actions={
        <May needs="fileCloudList">
          <Button icon={<CloudOutlined aria-hidden />} onClick={() => void navigate(link.fileCloudList.to())}>
            {t('title')}
          </Button>
        </May>
      }
      columns={columns}
      search={t('push.search')}
      filters={filters}
      primary={create}
      empty={{ title: t('push.empty'), hint: t('push.empty_hint'), action: create }}
      onRow={(row) => void navigate(open(row))}
    />
  )
}

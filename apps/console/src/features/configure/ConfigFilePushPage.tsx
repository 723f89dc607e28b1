import { FileTextOutlined, PlusOutlined, SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May, useMay } from '../../core/session.tsx'
import { CountsBar } from '../../shared/push/CountsBar.tsx'
import { PushResultBadge } from '../../shared/push/PushStateBadge.tsx'
import { TaskView } from '../../shared/push/task/TaskView.tsx'
import { PushWizard } from '../../shared/push/wizard/PushWizard.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { DateTime, OrDash } from '../../ui/value/values.tsx'

const only = ['config_file'] as const

/** One screen, three views: the pushes, `?file=…` or `?new=true` a new one, `?task=…` one with its devices. */
export default function ConfigFilePushPage() {
  const { t } = useTranslation('device-config/files')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const may_push = useMay('configureFilePush:push')
  const [task, file] = [search.get('task'), search.get('file')]
  const all = link.configureFilePush.to()
  if (task) return <TaskView key={task} kid={task} back={{ to: all, text: t('all_pushes') }} />
  if (may_push && (file || search.has('new')))
    return (
      <PushWizard
        key={file ?? 'new'}
        title={t('push_title')}
        only={only}
        beginning={{ type: 'config_file', values: file ? { config_file_kid: file } : {} }}
        onCancel={() => void navigate(all)}
      />
    )
  return <ConfigFilePushes />
}

function ConfigFilePushes() {
  const { t } = useTranslation(['device-config/files', 'push', 'common'])
  const navigate = useNavigate()
  const list = useListTable(api.pushTask.paging, {
    id: 'config-file-push',
    filters: { text: 'text' },
    fixed: { types: ['config_file'] },
  })
  const open = (row: PushTaskRow) => link.configureFilePush.to({ task: row.kid })
  const columns: Column<PushTaskRow>[] = [
    {
      key: 'summary',
      title: t('common:name'),
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
      export: false,
      render: (_, row) => <CountsBar counts={row.counts} />,
    },
    {
      key: 'description',
      title: t('field.description'),
      render: (_, row) => <OrDash>{row.description}</OrDash>,
    },
    { key: 'created_by', title: t('column.by'), dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
  const create = (
    <May needs="configureFilePush:push">
      <Button
        type="primary"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => void navigate(link.configureFilePush.to({ new: true }))}
      >
        {t('new_push')}
      </Button>
    </May>
  )
  return (
    <ListPage
      list={list}
      page={pages.configureFilePush}
      title={t('pushes')}
      icon={<SendOutlined aria-hidden />}
      actions={
        <May needs="configureFilePushList">
          <Button
            icon={<FileTextOutlined aria-hidden />}
            onClick={() => void navigate(link.configureFilePushList.to())}
          >
            {t('files')}
          </Button>
        </May>
      }
      columns={columns}
      search={t('search')}
      primary={create}
      empty={{ title: t('no_pushes'), action: create }}
      onRow={(row) => void navigate(open(row))}
    />
  )
}

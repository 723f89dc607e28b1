import { DeleteOutlined, DownloadOutlined, SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { pages } from '@mdm/contract'
import type { ConfigFile } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { startDownload } from '../../core/start-download.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { Bytes, Code, CopyId, DateTime } from '../../ui/value/values.tsx'

/** Files that devices read their configuration from. */
export default function ConfigFilesPage() {
  const { t } = useTranslation(['config-file', 'common'])
  const navigate = useNavigate()
  const list = useListTable(api.configFile.paging, { id: 'config-files', filters: { text: 'text' } })
  const dialog = useDialog({ delete: 'configureFilePushList:delete' }, list.rows)
  const deleting = dialog.of('delete')
  const download = useWrite(api.configFile.download, { onSuccess: startDownload })
  const add = (
    <AddButton needs="configureFilePushAdd" to={link.configureFilePushAdd.to()}>
      {t('add')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.configureFilePushList}
        actions={
          <May needs="configureFilePush">
            <Button icon={<SendOutlined aria-hidden />} onClick={() => void navigate(link.configureFilePush.to())}>
              {t('pushes')}
            </Button>
          </May>
        }
        columns={useColumns()}
        search={t('search')}
        primary={add}
        nameOf={({ name }) => name}
        rowActions={(row) => [
          {
            icon: <DownloadOutlined aria-hidden />,
            label: t('download_file', { name: row.name }),
            hint: t('download'),
            onSelect: () => void download.run({ kid: row.kid }),
          },
          {
            needs: 'configureFilePush:push',
            icon: <SendOutlined aria-hidden />,
            label: t('push_file', { name: row.name }),
            hint: t('push'),
            to: link.configureFilePush.to({ file: row.kid }),
          },
          {
            needs: 'configureFilePushList:delete',
            icon: <DeleteOutlined aria-hidden />,
            label: t('delete_file', { name: row.name }),
            hint: t('common:delete'),
            onSelect: () => dialog.open('delete', row),
          },
        ]}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {deleting && (
        <ConfirmWrite
          call={api.configFile.delete}
          input={{ kid: deleting.kid }}
          title={t('delete_title', { name: deleting.name })}
          submit={t('common:delete')}
          done={t('deleted')}
          onClose={dialog.close}
        >
          <p>{t('delete_text')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(): Column<ConfigFile>[] {
  const { t } = useTranslation(['config-file', 'common'])
  const count = useCount()
  return [
    { key: 'name', title: t('common:name'), sorter: true, is_fixed: true, render: (_, { name }) => name },
    { key: 'path', title: t('column.path'), render: (_, { path }) => <Code value={path} /> },
    {
      key: 'size',
      title: t('column.size'),
      sorter: true,
      align: 'right',
      export: { title: t('common:list.export_unit', { name: t('column.size'), unit: 'B' }) },
      render: (_, { size }) => <Bytes value={size} />,
    },
    {
      key: 'sha256',
      title: 'SHA-256',
      is_hidden: true,
      render: (_, { sha256 }) => <CopyId value={sha256} short={8} />,
    },
    {
      key: 'description',
      title: t('field.description'),
      render: (_, { description }) => description,
    },
    {
      key: 'push_count',
      title: t('column.pushes'),
      align: 'right',
      render: (_, { push_count, name }) =>
        push_count === 0 ? (
          <span className="dim">0</span>
        ) : (
          <Link className="number" to={link.configureFilePush.to({ text: name.slice(0, 100) })}>
            {count(push_count)}
          </Link>
        ),
    },
    { key: 'created_by', title: t('column.by'), dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, { created_at }) => <DateTime at={created_at} />,
    },
  ]
}

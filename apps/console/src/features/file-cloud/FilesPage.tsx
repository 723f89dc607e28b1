import { CloudOutlined, DeleteOutlined, DownloadOutlined, SendOutlined, UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { CloudFile } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Bytes, CopyId, DateTime, Unit } from '../../ui/value/values.tsx'
import { May, useMay, useSession } from '../../core/session.tsx'
import { DeleteFile } from './DeleteFile.tsx'
import { useFileDrop } from './file-drop.ts'
import { max_files } from './FilesChoice.tsx'
import { InterruptedLines, useInterrupted } from './InterruptedLines.tsx'
import { RenameDialog } from './RenameDialog.tsx'
import { UploadDialog } from './UploadDialog.tsx'
import '../../shared/device/device.css'
import './file-cloud.css'
import { link } from '../../core/links.ts'

export default function FilesPage() {
  const { t } = useTranslation(['file-cloud', 'common'])
  const navigate = useNavigate()
  const { account_name } = useSession()
  const list = useListTable(api.fileCloud.paging, { id: 'file-cloud-list', filters: { text: 'text' } })
  const [chosen, setChosen] = useState<File[] | null>(null)
  const [doomed, setDoomed] = useState<CloudFile | null>(null)
  const may_push = useMay('fileCloudPush:push')
  const may_upload = useMay('fileCloudList:upload')
  const input = useRef<HTMLInputElement>(null)
  const interrupted = useInterrupted()
  const drop = useFileDrop(setChosen, may_upload)
  const columns = useFileColumns(list.query.dataUpdatedAt, () => list.query.refetch(), setDoomed)
  const choose = () => input.current?.click()

  const upload = (
    <May needs="fileCloudList:upload">
      <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={choose}>
        {t('upload.button')}
      </Button>
    </May>
  )
  return (
    <div className="files-page" {...drop.handlers}>
      <InterruptedLines of={interrupted} onChoose={choose} />
      <ListPage
        list={list}
        title={t('title')}
        icon={<CloudOutlined aria-hidden />}
        actions={
          <May needs="fileCloudPush">
            <Button icon={<SendOutlined aria-hidden />} onClick={() => void navigate(link.fileCloudPush.to())}>
              {t('pushes')}
            </Button>
          </May>
        }
        columns={columns}
        search={t('search')}
        primary={upload}
        nameOf={({ name }) => name}
        bulk={
          may_push
            ? ({ selection }) => {
                const because =
                  selection.kids.length > max_files ? t('push.too_many_files', { max: max_files }) : undefined
                return (
                  <DisabledReason because={because}>
                    <Button
                      icon={<SendOutlined aria-hidden />}
                      disabled={because !== undefined}
                      onClick={() => void navigate(link.fileCloudPush.to({ file: selection.kids }))}
                    >
                      {t('push_files', { count: selection.kids.length })}
                    </Button>
                  </DisabledReason>
                )
              }
            : undefined
        }
        empty={{ title: t('empty'), hint: may_upload ? t('empty_hint') : undefined, action: upload }}
      />
      {may_upload && (
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t('upload.button')}
          onChange={(event) => {
            setChosen([...(event.target.files ?? [])])
            // The same file may be chosen again later.
            event.target.value = ''
          }}
        />
      )}
      {drop.is_over && (
        <div className="files-drop" role="status">
          <UploadOutlined aria-hidden />
          {t('upload.drop', { account: account_name })}
        </div>
      )}
      {chosen && chosen.length > 0 && (
        <UploadDialog files={chosen} interrupted={interrupted.all} onClose={() => setChosen(null)} />
      )}
      {doomed && <DeleteFile file={doomed} onClose={() => setDoomed(null)} />}
      <RenameDialog />
    </div>
  )
}

/** Signed addresses live an hour; an older row is read again before its file is fetched. */
const url_lives_ms = 50 * 60_000

function useFileColumns(
  read_at: number,
  reread: () => unknown,
  onDelete: (file: CloudFile) => void,
): Column<CloudFile>[] {
  const { t } = useTranslation(['file-cloud', 'common'])
  const count = useCount()
  const may_push = useMay('fileCloudPush:push')
  const may_see_pushes = useMay('fileCloudPush')
  const may_delete = useMay('fileCloudList:delete')
  const fetchFile = (event: React.MouseEvent<HTMLAnchorElement>) => {
    if (Date.now() - read_at < url_lives_ms) return
    event.preventDefault()
    const link = event.currentTarget
    void Promise.resolve(reread()).then(() => link.click())
  }
  return [
    {
      key: 'name',
      title: t('common:name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <span className="file-name" title={row.name}>
          {row.name}
        </span>
      ),
    },
    {
      key: 'size',
      title: t('column.size'),
      sorter: true,
      export: { title: t('common:list.export_unit', { name: t('column.size'), unit: 'B' }) },
      align: 'right',
      render: (_, row) => <Bytes value={row.size} />,
    },
    { key: 'md5', title: t('column.md5'), render: (_, row) => <CopyId value={row.md5} short={8} /> },
    { key: 'sha256', title: t('column.sha256'), render: (_, row) => <CopyId value={row.sha256} short={8} /> },
    { key: 'content_type', title: t('column.content_type'), is_hidden: true, dataIndex: 'content_type' },
    {
      key: 'push_count',
      title: t('column.pushes'),
      align: 'right',
      render: (_, row) => {
        if (row.push_count === 0) return <span className="dim">0</span>
        if (!may_see_pushes) return <Unit value={count(row.push_count)} unit="" />
        return (
          <Link className="number" to={link.fileCloudPush.to({ text: row.name.slice(0, 100) })}>
            {count(row.push_count)}
          </Link>
        )
      },
    },
    { key: 'created_by', title: t('column.created_by'), dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
    {
      key: 'actions',
      title: t('common:actions'),
      align: 'right',
      fixed: 'right',
      width: 108,
      className: 'column-actions',
      render: (_, row) => (
        <span className="row-actions">
          <a
            href={row.url}
            download={row.name}
            onClick={fetchFile}
            aria-label={t('download_file', { name: row.name })}
            title={t('download')}
          >
            <DownloadOutlined aria-hidden />
          </a>
          {may_push && (
            <Link
              to={link.fileCloudPush.to({ file: row.kid })}
              aria-label={t('push_file', { name: row.name })}
              title={t('push_short')}
            >
              <SendOutlined aria-hidden />
            </Link>
          )}
          {may_delete && (
            <Button
              type="text"
              size="small"
              icon={<DeleteOutlined aria-hidden />}
              aria-label={t('delete_file', { name: row.name })}
              title={t('common:delete')}
              onClick={() => onDelete(row)}
            />
          )}
        </span>
      ),
    },
  ]
}

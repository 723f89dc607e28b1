import { DeleteOutlined, DownloadOutlined, SendOutlined, UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { pages } from '@mdm/contract'
import type { CloudFile } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Bytes, CopyId, DateTime, Unit } from '../../ui/value/values.tsx'
import { May, useMay, useSession } from '../../core/session.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { DeleteFile } from './DeleteFile.tsx'
import { useFileDrop } from './file-drop.ts'
import { max_files } from '../../shared/push/wizard/max-files.ts'
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
  const dialog = useDialog({ delete: 'fileCloudList:delete' }, list.rows)
  const doomed = dialog.of('delete')
  const may_push = useMay('fileCloudPush:push')
  const may_upload = useMay('fileCloudList:upload')
  const input = useRef<HTMLInputElement>(null)
  const interrupted = useInterrupted()
  const drop = useFileDrop(setChosen, may_upload)
  const rowActions = useRowActions({
    read_at: list.query.dataUpdatedAt,
    reread: () => list.query.refetch(),
    onDelete: (file) => dialog.open('delete', file),
  })
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
        page={pages.fileCloudList}
        actions={
          <May needs="fileCloudPush">
            <Button icon={<SendOutlined aria-hidden />} onClick={() => void navigate(link.fileCloudPush.to())}>
              {t('pushes')}
            </Button>
          </May>
        }
        columns={useFileColumns()}
        rowActions={rowActions}
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
      {doomed && <DeleteFile file={doomed} onClose={dialog.close} />}
      <RenameDialog />
    </div>
  )
}

/** Signed addresses live an hour; an older row is read again before its file is fetched. */
const url_lives_ms = 50 * 60_000

type Rows = { read_at: number; reread: () => unknown; onDelete: (file: CloudFile) => void }
function useRowActions({ read_at, reread, onDelete }: Rows): (file: CloudFile) => RowAction[] {
  const { t } = useTranslation(['file-cloud', 'common'])
  const fetchFile = (event: React.MouseEvent<HTMLAnchorElement>) => {
    if (Date.now() - read_at < url_lives_ms) return
    event.preventDefault()
    const anchor = event.currentTarget
    void Promise.resolve(reread()).then(() => anchor.click())
  }
  return (row) => {
    const { name } = row
    const download = t('download_file', { name })
    return [
      {
        label: download,
        own: (
          <a href={row.url} download={name} onClick={fetchFile} aria-label={download} title={t('download')}>
            <DownloadOutlined aria-hidden />
          </a>
        ),
      },
      {
        needs: 'fileCloudPush:push',
        icon: <SendOutlined aria-hidden />,
        label: t('push_file', { name }),
        hint: t('push_short'),
        to: link.fileCloudPush.to({ file: row.kid }),
      },
      {
        needs: 'fileCloudList:delete',
        icon: <DeleteOutlined aria-hidden />,
        label: t('delete_file', { name }),
        hint: t('common:delete'),
        onSelect: () => onDelete(row),
      },
    ]
  }
}

function useFileColumns(): Column<CloudFile>[] {
  const { t } = useTranslation(['file-cloud', 'common'])
  const count = useCount()
  const may_see_pushes = useMay('fileCloudPush')
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
  ]
}

import { FolderAddOutlined, FolderOpenOutlined, SendOutlined, UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { CloudFile } from '@mdm/contract'
import { useSearch } from '../../core/address.ts'
import { link } from '../../core/links.ts'
import { May, useMay, useSession } from '../../core/session.tsx'
import { max_files } from '../push-task/public.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useFileColumns, useFileFilters } from './columns.tsx'
import { DeleteFile, DeleteFiles } from './DeleteFile.tsx'
import { useFileDrop } from '../../shared/upload/file-drop.ts'
import { filesChosen } from '../../shared/upload/folder-drop.ts'
import { FolderBar } from './folders/FolderBar.tsx'
import { FolderUpload } from './upload/FolderUpload.tsx'
import type { Dropped } from './upload/FolderUpload.tsx'
import { InterruptedLines, useInterrupted } from './upload/InterruptedLines.tsx'
import { MoveFiles } from './folders/MoveFiles.tsx'
import { Preview } from './preview/Preview.tsx'
import { RenameDialog } from './upload/RenameDialog.tsx'
import { placeToPush, useRowActions } from './row-actions.tsx'
import { fileSides } from './sides.ts'
import type { FileSide, SideProps } from './sides.ts'
import { UploadDialog } from './upload/UploadDialog.tsx'
import '../../shared/device/device.css'
import './file-cloud.css'

type Many = { how: 'move' | 'copy' | 'delete'; files: readonly CloudFile[] }

/** What is in one folder, or what is found below it. */
export function Files({ side }: SideProps) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const navigate = useNavigate()
  const { calls, id, page, needs, links } = fileSides[side]
  const [search] = useSearch()
  const folder_kid = search.get('folder_kid') ?? undefined
  const list = useListTable(calls.paging, {
    id,
    filters: { text: 'text', origin: 'text', is_visible: 'boolean', is_broken: 'boolean' },
    fixed: { ...(folder_kid !== undefined && { folder_kid }) },
  })
  const may_upload = useMay(needs.add)
  const may_act = useMayAct(side)
  const dialog = useDialog({ delete: needs.delete, move: needs.edit, copy: needs.add, preview: needs.list }, list.rows)
  const [deleting, moved, copied] = [dialog.of('delete'), dialog.of('move'), dialog.of('copy')]
  const previewed = dialog.of('preview')
  const [many, setMany] = useState<Many | null>(null)
  const uploading = useUploading(side, folder_kid ?? null)
  const rowActions = useRowActions({
    side,
    read_at: list.query.dataUpdatedAt,
    reread: () => list.query.refetch(),
    open: dialog.open,
  })
  const primary = (
    <May needs={needs.add}>
      <Button icon={<FolderAddOutlined aria-hidden />} onClick={() => void navigate(links.add.to({ folder_kid }))}>
        {t('folder.new')}
      </Button>
      <Button icon={<FolderOpenOutlined aria-hidden />} onClick={uploading.chooseFolder}>
        {t('folder_upload.button')}
      </Button>
      <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={uploading.choose}>
        {t('upload.button')}
      </Button>
    </May>
  )
  const done = () => list.selection.clear()
  return (
    <div className="files-page" {...uploading.drop.handlers}>
      <InterruptedLines of={uploading.interrupted} onChoose={uploading.choose} />
      <FolderBar side={side} folder_kid={folder_kid} />
      <ListPage
        list={list}
        page={page}
        actions={
          side === 'account' && (
            <May needs="fileCloudPush">
              <Button icon={<SendOutlined aria-hidden />} onClick={() => void navigate(link.fileCloudPush.to())}>
                {t('pushes')}
              </Button>
            </May>
          )
        }
        columns={useFileColumns(side, {
          is_found: Boolean(list.values.text) || list.values.is_broken === true,
          onPreview: (file) => dialog.open('preview', file),
        })}
        filters={useFileFilters(side)}
        rowActions={rowActions}
        search={t('search')}
        primary={primary}
        nameOf={({ name }) => name}
        bulk={may_act ? ({ selection }) => <BulkActions side={side} files={selection.rows} on={setMany} /> : undefined}
        empty={{
          title: t(folder_kid === undefined ? 'empty' : 'folder.empty'),
          hint: may_upload ? t('empty_hint') : undefined,
          action: primary,
        }}
      />
      {uploading.elements}
      {deleting && <DeleteFile side={side} file={deleting} onClose={dialog.close} />}
      {previewed && <Preview side={side} file={previewed} onClose={dialog.close} />}
      {moved && <MoveFiles side={side} how="move" files={[moved]} folder_kid={folder_kid} onClose={dialog.close} />}
      {copied && <MoveFiles side={side} how="copy" files={[copied]} folder_kid={folder_kid} onClose={dialog.close} />}
      {many?.how === 'delete' && (
        <DeleteFiles side={side} files={many.files} onDone={done} onClose={() => setMany(null)} />
      )}
      {many && many.how !== 'delete' && (
        <MoveFiles
          side={side}
          how={many.how}
          files={many.files}
          folder_kid={folder_kid}
          onDone={done}
          onClose={() => setMany(null)}
        />
      )}
      <RenameDialog />
    </div>
  )
}

/** Whether there is anything that somebody may do with selected files. */
function useMayAct(side: FileSide): boolean {
  const { needs } = fileSides[side]
  const may = [useMay(needs.edit), useMay(needs.add), useMay(needs.delete)]
  const may_push = useMay('fileCloudPush:push')
  return may.includes(true) || (side === 'account' && may_push)
}

type BulkProps = { side: FileSide; files: readonly CloudFile[]; on: (many: Many) => void }
function BulkActions({ side, files, on }: BulkProps) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const navigate = useNavigate()
  const may_push = useMay('fileCloudPush:push')
  const { needs } = fileSides[side]
  const platform = files.some(({ origin }) => origin === 'platform') ? t('why_not.platform') : undefined
  const pushable = files.some(({ is_broken }) => is_broken)
    ? t('why_not.broken')
    : files.length > max_files
      ? t('push.too_many_files', { max: max_files })
      : undefined
  const has_folders = files.some(({ is_folder }) => is_folder)
  return (
    <>
      {side === 'account' && may_push && (
        <DisabledReason disabled_reason={pushable}>
          <Button
            icon={<SendOutlined aria-hidden />}
            disabled={pushable !== undefined}
            onClick={() =>
              void navigate(
                link.fileCloudPush.to({ file: files.map(({ kid }) => kid), path: files[0] && placeToPush(files[0]) }),
              )
            }
          >
            {t(has_folders ? 'push_entries' : 'push_files', { count: files.length })}
          </Button>
        </DisabledReason>
      )}
      <May needs={needs.edit}>
        <DisabledReason disabled_reason={platform}>
          <Button disabled={platform !== undefined} onClick={() => on({ how: 'move', files })}>
            {t('move.action')}
          </Button>
        </DisabledReason>
      </May>
      <May needs={needs.add}>
        <Button onClick={() => on({ how: 'copy', files })}>{t('copy.action')}</Button>
      </May>
      <May needs={needs.delete}>
        <DisabledReason disabled_reason={platform}>
          <Button danger disabled={platform !== undefined} onClick={() => on({ how: 'delete', files })}>
            {t('common:delete')}
          </Button>
        </DisabledReason>
      </May>
    </>
  )
}

/** Files and folders that are chosen or dropped, and what asks about them. */
function useUploading(side: FileSide, folder_kid: string | null) {
  const { t } = useTranslation('file-cloud')
  const { account_name } = useSession()
  const may_upload = useMay(fileSides[side].needs.add)
  const [chosen, setChosen] = useState<File[] | null>(null)
  const [dropped, setDropped] = useState<Dropped | null>(null)
  const [files, folders] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)]
  const interrupted = useInterrupted(side)
  const drop = useFileDrop({ onFiles: setChosen, onFolders: setDropped }, may_upload)
  const taken = (take: (all: File[]) => void) => (event: React.ChangeEvent<HTMLInputElement>) => {
    take([...(event.target.files ?? [])])
    // The same file may be chosen again later.
    event.target.value = ''
  }
  const takeFolder = (all: File[]) => all.length > 0 && setDropped({ found: filesChosen(all), empty: [] })
  const elements = (
    <>
      {may_upload && (
        <>
          <input ref={files} type="file" multiple hidden aria-label={t('upload.button')} onChange={taken(setChosen)} />
          <input
            ref={folders}
            type="file"
            hidden
            aria-label={t('folder_upload.button')}
            onChange={taken(takeFolder)}
            {...{ webkitdirectory: '' }}
          />
        </>
      )}
      {drop.is_over && (
        <div className="files-drop" role="status">
          <UploadOutlined aria-hidden />
          {t('upload.drop', { account: account_name })}
        </div>
      )}
      {chosen && chosen.length > 0 && (
        <UploadDialog
          side={side}
          files={chosen}
          folder_kid={folder_kid}
          interrupted={interrupted.all}
          onClose={() => setChosen(null)}
        />
      )}
      {dropped && (
        <FolderUpload side={side} dropped={dropped} folder_kid={folder_kid} onClose={() => setDropped(null)} />
      )}
    </>
  )
  return {
    interrupted,
    drop,
    elements,
    choose: () => files.current?.click(),
    chooseFolder: () => folders.current?.click(),
  }
}

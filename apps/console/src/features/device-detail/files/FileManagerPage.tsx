import { DownloadOutlined, FolderAddOutlined, UploadOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { DeviceFile } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { nameFault } from '../../../lib/file-names.ts'
import { notify } from '../../../core/notices.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { FileButton } from '../../../ui/form/FileButton.tsx'
import { Refresh } from '../../../ui/list/ListTools.tsx'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { May, useMay } from '../../../core/session.tsx'
import { useInability } from '../../../shared/device/inability.ts'
import { visibleName } from './device-names.ts'
import { sendToDevice, useDeviceUpload } from '../../../shared/device/device-upload.ts'
import { DeleteDeviceFile, NewFolderDrawer, RenameFileDrawer } from './file-dialogs.tsx'
import { useFileDrop } from '../../../shared/upload/file-drop.ts'
import { filesChosen } from '../../../shared/upload/folder-drop.ts'
import { useManyFiles } from './many-files.ts'
import { FilePath } from './FilePath.tsx'
import { FilesByPath } from './FilesByPath.tsx'
import { FileTable } from './FileTable.tsx'
import { FileTransfers } from './FileTransfers.tsx'
import { LastReport, NotReported } from '../info/LastReport.tsx'
import { useDevice } from '../use-device.ts'
import './device-files.css'
import { link } from '../../../core/links.ts'

/** As many entries as one answer of a device may have. */
const part = 1000
type OpenDialog = { kind: 'folder' } | { kind: 'rename' | 'delete'; file: DeviceFile } | null

export default function FileManagerPage() {
  const { kid, device } = useDevice()
  const [search] = useSearchParams()
  const path = search.get('path') ?? '/'
  const disabled_reason = useInability()(device ? [device] : [], 'file_list')
  if (disabled_reason && device?.tunnels?.includes('files')) return <FilesByPath device={device} />
  if (disabled_reason) return <Empty title={disabled_reason} />
  return (
    <>
      {/* Another folder begins with its first part, and so does what the device last said. */}
      <Folder
        key={`${kid} ${path} ${device?.is_online ?? ''}`}
        kid={kid}
        path={path}
        sn={device?.sn ?? ''}
        has_sessions={device?.tunnels?.includes('files') ?? false}
      />
      <FileTransfers kid={kid} />
    </>
  )
}

type FolderProps = { kid: string; path: string; sn: string; has_sessions: boolean }
function Folder({ kid, path, sn, has_sessions }: FolderProps) {
  const { t } = useTranslation(['device-detail/files', 'common'])
  /** Where each part after the first begins. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const [selected, setSelected] = useState<readonly string[]>([])
  const may_write = useMay('deviceDetailFileManager:write')
  const after = cursors.at(-1)
  const query = useCall(
    api.terminalFile.list,
    { terminal_kid: kid, path, ...(after === undefined ? {} : { after }) },
    { enabled: kid !== '' },
  )
  const files = query.data?.items ?? []
  const next = query.data?.next ?? null
  const offline = query.data?.reported_at ? t('offline') : undefined
  const close = () => setDialog(null)
  const many = useManyFiles({ kid, path, sn, files })
  const disabled_reason = offline ?? (has_sessions ? undefined : t('bulk.not_offered'))
  const drop = useFileDrop(
    {
      onFiles: (dropped) => void many.put(filesChosen(dropped), []),
      onFolders: (all) => void many.put(all.found, all.empty),
    },
    may_write && disabled_reason === undefined,
  )
  const no_download = disabled_reason ?? (selected.length === 0 ? t('bulk.choose') : undefined)
  return (
    <section aria-label={t('title')} className="device-files" {...drop.handlers}>
      <div className="list-tools" role="toolbar" aria-label={t('title')}>
        <Refresh query={query} />
        <FilePath kid={kid} path={path} />
        <span className="list-tools-end">
          <DisabledReason disabled_reason={no_download}>
            <Button
              icon={<DownloadOutlined aria-hidden />}
              disabled={no_download !== undefined}
              onClick={() => many.download(files.filter(({ name }) => selected.includes(name)))}
            >
              {t('bulk.download')}
            </Button>
          </DisabledReason>
          <May needs="deviceDetailFileManager:write">
            <DisabledReason disabled_reason={offline}>
              <Button
                icon={<FolderAddOutlined aria-hidden />}
                disabled={offline !== undefined}
                onClick={() => setDialog({ kind: 'folder' })}
              >
                {t('new_folder')}
              </Button>
            </DisabledReason>
            <UploadButton
              kid={kid}
              path={path}
              files={files}
              offline={offline}
              {...(has_sessions && { onMany: (chosen) => void many.put(filesChosen(chosen), []) })}
            />
          </May>
        </span>
      </div>
      <LastReport at={query.data?.reported_at} />
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 6 }} />}
      {query.error && <NotReported error={query.error} retry={query.refetch} is_line={files.length > 0} />}
      {query.data && files.length === 0 && cursors.length === 0 && (
        <Empty title={t('empty')} hint={may_write && !offline ? t('empty_hint') : undefined} />
      )}
      {files.length > 0 && (
        <FileTable
          kid={kid}
          path={path}
          files={files}
          offline={offline}
          selected={selected}
          onSelect={setSelected}
          onRename={(file) => setDialog({ kind: 'rename', file })}
          onDelete={(file) => setDialog({ kind: 'delete', file })}
        />
      )}
      {(next !== null || cursors.length > 0) && (
        <p className="device-file-parts">
          {cursors.length > 0 && (
            <Button onClick={() => setCursors(cursors.slice(0, -1))}>{t('part_previous', { max: part })}</Button>
          )}
          <span className="dim">{t('part', { number: cursors.length + 1 })}</span>
          {next !== null && (
            <Button onClick={() => setCursors([...cursors, next])}>{t('part_next', { max: part })}</Button>
          )}
        </p>
      )}
      {drop.is_over && (
        <div className="files-drop" role="status">
          <UploadOutlined aria-hidden />
          {t('bulk.drop')}
        </div>
      )}
      {dialog?.kind === 'folder' && <NewFolderDrawer terminal_kid={kid} path={path} onClose={close} />}
      {dialog?.kind === 'rename' && (
        <RenameFileDrawer terminal_kid={kid} path={path} file={dialog.file} onClose={close} />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteDeviceFile terminal_kid={kid} path={path} file={dialog.file} onClose={close} />
      )}
    </section>
  )
}

type UploadProps = {
  kid: string
  path: string
  files: readonly DeviceFile[]
  offline: string | undefined
  onMany?: (files: readonly File[]) => void
}
function UploadButton({ kid, path, files, offline, onMany }: UploadProps) {
  const { t } = useTranslation(['device-detail/files', 'common'])
  const is_busy = useDeviceUpload((s) => s.running !== null)
  const disabled_reason = offline ?? (is_busy ? t('upload_busy') : undefined)
  const choose = async (file: File) => {
    const name = file.name.normalize('NFC').trim()
    const fault = nameFault(name)
    if (fault) return notify.fail(new Error(t(`fault.${fault}`, { max: 255 })))
    const is_there = files.some((other) => other.name === name)
    const ask = useQuestion.getState().ask
    const title = t('replace_title', { name: visibleName(name) })
    if (
      is_there &&
      !(await ask({ title, text: t('replace_text'), yes: t('replace_yes'), no: t('common:cancel'), is_danger: true }))
    )
      return undefined
    return sendToDevice({ file, name, path, terminal_kid: kid, to: link.deviceDetailFileManager.to({ kid, path }) })
  }
  return (
    <FileButton
      label={t('upload')}
      icon={<UploadOutlined aria-hidden />}
      look="primary"
      disabled_reason={disabled_reason}
      onChoose={(file) => void choose(file)}
      {...(onMany && { onChooseMany: onMany })}
    />
  )
}

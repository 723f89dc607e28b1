import { DownloadOutlined, FileExcelOutlined } from '@ant-design/icons'
import { Button, Drawer, Progress } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { batch_limits } from '@mdm/contract'
import type { BatchPreview } from '@mdm/contract'
import { api, download, sendForFile, useCall, useWrite } from '../../api.ts'
import { CallFailed } from '../../call-failed.ts'
import { notify } from '../../notice.ts'
import { Failure } from '../../screen/Failure.tsx'
import { bytesParts, useCount } from '../../screen/format.ts'
import { localeOf } from '../../i18n/language.ts'
import { useSessionStore } from '../../session-store.ts'
import { BulkJobs } from './BulkJobs.tsx'
import { BulkPreview } from './BulkPreview.tsx'
import { watch } from './bulk-watch.ts'
import './bulk.css'
import { useApkUpload } from './use-apk-upload.ts'

type Props = { group: string | undefined; onClose: () => void }

/** Many devices at once: choose a sheet, look at what would become of every row, start. Earlier sheets stand below. */
export function BulkRegister({ group = 'NO_GROUP', onClose }: Props) {
  const { t } = useTranslation(['device-batch', 'common'])
  const jobs = useCall(api.terminalBatch.list_batch_registered, {})
  const [checked, setChecked] = useState<BatchPreview | null>(null)
  const [error, setError] = useState<CallFailed | null>(null)
  const [is_starting, setStarting] = useState(false)
  const running = jobs.data?.find(({ state }) => state === 'running')
  useEffect(() => {
    if (running) watch(running)
  }, [running])

  const start = async (terminalGroupKid: string) => {
    setError(null)
    setStarting(true)
    try {
      const terminalDtos = checked!.rows.filter(({ faults }) => !faults)
      const schedule_version = crypto.randomUUID()
      const reply = await sendForFile(api.terminalBatch.batch_registered, { terminalDtos, terminalGroupKid, schedule_version }) // prettier-ignore
      // The job goes on by itself, and its result can be had at any time.
      void reply.body?.cancel()
      setChecked(null)
      await jobs.refetch()
      watch({ schedule_version })
    } catch (reason) {
      if (reason instanceof CallFailed) setError(reason)
    } finally {
      setStarting(false)
    }
  }
  return (
    <Drawer
      open
      rootClassName="drawer-in-place"
      className="form-drawer"
      size={checked ? 860 : 640}
      title={t('title')}
      onClose={onClose}
    >
      {error && <Failure error={error} is_line />}
      {checked ? (
        <BulkPreview
          preview={checked}
          group={group}
          because={running && t('blocked')}
          is_starting={is_starting}
          onStart={(kid) => void start(kid)}
          onAnother={() => setChecked(null)}
        />
      ) : (
        <>
          <p className="dim bulk-hint">{t('hint')}</p>
          <Button
            icon={<DownloadOutlined />}
            onClick={() => void download(api.terminalBatch.batch_template, {}).catch(notify.fail)}
          >
            {t('template')}
          </Button>
          <SheetChoice onChecked={setChecked} />
          {jobs.error && <Failure error={jobs.error} retry={() => void jobs.refetch()} />}
          <BulkJobs jobs={jobs.data ?? []} />
        </>
      )}
    </Drawer>
  )
}

/** One file, by button or dropped; it is sent and read at once. */
function SheetChoice({ onChecked }: { onChecked: (preview: BatchPreview) => void }) {
  const { t } = useTranslation('device-batch')
  const input = useRef<HTMLInputElement>(null)
  const [name, setName] = useState('')
  const [error, setError] = useState<CallFailed | null>(null)
  const { upload, percent } = useApkUpload()
  const read = useWrite(api.terminalBatch.preview_batch)
  const count = useCount()
  const locale = useSessionStore((s) => localeOf[s.language])
  const size = bytesParts(batch_limits.sheet_bytes, locale).join(' ')
  const is_busy = percent !== null || read.isPending
  const take = async (file: File | undefined) => {
    if (!file || is_busy) return
    setName(file.name)
    setError(null)
    try {
      onChecked(await read.mutateAsync({ upload_kid: await upload(file) }))
    } catch (reason) {
      if (reason instanceof CallFailed) setError(reason)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    void take(event.dataTransfer.files[0])
  }
  return (
    <div className="bulk-choice" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <Button icon={<FileExcelOutlined />} loading={is_busy} onClick={() => input.current?.click()}>
        {t('choose')}
      </Button>
      <p className="dim">{t('drop', { size, rows: count(batch_limits.rows) })}</p>
      <input
        ref={input}
        type="file"
        hidden
        accept=".xlsx,.csv"
        aria-label={t('choose')}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          void take(file)
          event.target.value = ''
        }}
      />
      {is_busy && (
        <div role="status">
          <p>{t('reading', { name })}</p>
          <Progress
            percent={percent ?? 100}
            size="small"
            status="active"
            showInfo={false}
            aria-label={t('reading', { name })}
          />
        </div>
      )}
      {error && <Failure error={error} is_line />}
    </div>
  )
}

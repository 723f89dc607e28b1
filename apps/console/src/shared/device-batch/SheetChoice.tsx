import { FileExcelOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { CallFailed } from '../../core/call-failed.ts'
import { localeOf } from '../../i18n/language.ts'
import { Failure } from '../../ui/Failure.tsx'
import { bytesParts, useCount } from '../../ui/value/format.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { useUpload } from './use-upload.ts'

type Props<P> = {
  rows_max: number
  bytes_max: number
  /** Reads the sheet that was uploaded. */
  preview: (upload_kid: string) => Promise<P>
  onChecked: (preview: P, name: string) => void
}

/** One file, by button or dropped; it is sent and read at once. */
export function SheetChoice<P>({ rows_max, bytes_max, preview, onChecked }: Props<P>) {
  const { t } = useTranslation('device-batch')
  const input = useRef<HTMLInputElement>(null)
  const [name, setName] = useState('')
  const [error, setError] = useState<CallFailed | null>(null)
  const [is_over, setOver] = useState(false)
  const [is_reading, setReading] = useState(false)
  const { upload, percent } = useUpload()
  const count = useCount()
  const locale = useSessionStore((s) => localeOf[s.language])
  const size = bytesParts(bytes_max, locale).join(' ')
  const take = async (file: File | undefined) => {
    if (!file || is_reading) return
    setName(file.name)
    setError(null)
    setReading(true)
    try {
      onChecked(await preview(await upload(file)), file.name)
    } catch (reason) {
      if (!(reason instanceof CallFailed)) throw reason
      setError(reason)
    } finally {
      setReading(false)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    <div
      className="bulk-choice"
      data-over={is_over || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Button
        type="primary"
        icon={<FileExcelOutlined aria-hidden />}
        loading={is_reading}
        onClick={() => input.current?.click()}
      >
        {t('choose')}
      </Button>
      <p className="dim">{t('drop', { size, rows: count(rows_max) })}</p>
      <input
        ref={input}
        type="file"
        hidden
        accept=".xlsx,.ods,.csv"
        aria-label={t('choose')}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          void take(file)
          event.target.value = ''
        }}
      />
      {is_reading && (
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
      {error && (
        <div className="bulk-refused">
          <strong>{name}</strong>
          <Failure error={error} is_line />
        </div>
      )}
    </div>
  )
}

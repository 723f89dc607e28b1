import { DownloadOutlined } from '@ant-design/icons'
import { Skeleton } from 'antd'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CloudFile } from '@mdm/contract'
import { useCall } from '../../../core/api.ts'
import { CallFailed, localResults } from '../../../core/call-failed.ts'
import { Empty } from '../../../ui/Empty.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Bytes } from '../../../ui/value/values.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { decoded, previewOf, text_bytes } from './preview-kind.ts'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'

const PdfPreview = lazy(() => import('./PdfPreview.tsx').then((m) => ({ default: m.PdfPreview })))

/** A picture, a text or a PDF in place. Nothing of a file runs: a text stays text, whatever it says. */
export function Preview({ side, file, onClose }: { side: FileSide; file: CloudFile; onClose: () => void }) {
  const { t } = useTranslation('file-cloud')
  // Its address anew: that of the row may be an hour old.
  const query = useCall(fileSides[side].calls.get, { kid: file.kid })
  const url = query.data?.url
  return (
    <Drawer
      size={820}
      title={file.name}
      onClose={onClose}
      extra={
        url && (
          <a href={url} download={file.name}>
            <DownloadOutlined aria-hidden /> {t('download')}
          </a>
        )
      }
    >
      <p className="dim">
        <Bytes value={file.size} /> · {file.content_type}
      </p>
      {query.error && <Failure error={query.error} retry={query.refetch} />}
      {query.isPending && <Skeleton active />}
      {url && <Shown file={file} url={url} />}
    </Drawer>
  )
}

function Shown({ file, url }: { file: CloudFile; url: string }) {
  const { t } = useTranslation('file-cloud')
  switch (previewOf(file)) {
    case 'picture':
      return <Picture name={file.name} url={url} />
    case 'text':
      return <Text file={file} url={url} />
    case 'pdf':
      return (
        <Suspense fallback={<Skeleton active />}>
          <PdfPreview url={url} />
        </Suspense>
      )
    default:
      return <Empty title={t('preview.none')} hint={t('preview.none_hint')} />
  }
}

function Picture({ name, url }: { name: string; url: string }) {
  const { t } = useTranslation('file-cloud')
  const [is_broken, setBroken] = useState(false)
  if (is_broken) return <Empty title={t('preview.unreadable')} hint={t('preview.none_hint')} />
  return <img className="file-picture" src={url} alt={name} onError={() => setBroken(true)} />
}

function Text({ file, url }: { file: CloudFile; url: string }) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const [text, setText] = useState<string>()
  const [error, setError] = useState<CallFailed | null>(null)
  useEffect(() => {
    const left = new AbortController()
    const read = async () => {
      const reply = await fetch(url, { headers: { range: `bytes=0-${text_bytes - 1}` }, signal: left.signal })
      if (!reply.ok) throw new Error(`HTTP ${reply.status}`)
      setText(decoded(new Uint8Array(await reply.arrayBuffer())))
    }
    read().catch((reason: unknown) => {
      if (!left.signal.aborted)
        setError(new CallFailed(localResults.offline, t('common:failed.offline'), {}, { cause: reason }))
    })
    return () => left.abort()
  }, [url, t])
  if (error) return <Failure error={error} />
  if (text === undefined) return <Skeleton active />
  return (
    <>
      {file.size > text_bytes && <p className="form-note">{t('preview.cut')}</p>}
      {/* Scrolled by keyboard too. */}
      <pre className="file-text" tabIndex={0} aria-label={file.name}>
        {text}
      </pre>
    </>
  )
}

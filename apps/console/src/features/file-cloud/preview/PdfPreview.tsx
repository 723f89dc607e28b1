import { Button, Skeleton } from 'antd'
import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist'
import type { PDFDocumentProxy } from 'pdfjs-dist'
// oxlint-disable-next-line import/default -- an address, which the bundler makes
import worker from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../../ui/Empty.tsx'

GlobalWorkerOptions.workerSrc = worker

/** One page of a PDF at a time, drawn by pdf.js: read in pieces as they are needed, its scripts and links never followed. */
export function PdfPreview({ url }: { url: string }) {
  const { t } = useTranslation('file-cloud')
  const [pdf, setPdf] = useState<PDFDocumentProxy>()
  const [page, setPage] = useState(1)
  const [has_failed, setFailed] = useState(false)
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const loading = getDocument({ url, isEvalSupported: false, useWasm: false, disableAutoFetch: true })
    let is_gone = false
    loading.promise.then(
      (read) => is_gone || setPdf(read),
      () => is_gone || setFailed(true),
    )
    return () => {
      is_gone = true
      void loading.destroy()
    }
  }, [url])
  useEffect(() => {
    if (!pdf || !canvas.current) return
    const place = canvas.current
    let is_gone = false
    let stop: (() => void) | undefined
    const draw = async () => {
      const one = await pdf.getPage(page)
      if (is_gone) return
      const { width } = one.getViewport({ scale: 1 })
      const viewport = one.getViewport({
        scale: ((place.parentElement?.clientWidth ?? 760) / width) * devicePixelRatio,
      })
      place.width = viewport.width
      place.height = viewport.height
      const drawing = one.render({ canvas: place, viewport })
      stop = () => drawing.cancel()
      await drawing.promise
    }
    draw().catch(() => is_gone || setFailed(true))
    return () => {
      is_gone = true
      stop?.()
    }
  }, [pdf, page])
  if (has_failed) return <Empty title={t('preview.unreadable')} hint={t('preview.none_hint')} />
  if (!pdf) return <Skeleton active />
  const pages = pdf.numPages
  return (
    <div className="file-pdf">
      <div className="file-pdf-pages">
        <Button size="small" disabled={page <= 1} onClick={() => setPage(page - 1)}>
          {t('preview.previous')}
        </Button>
        <span aria-live="polite">{t('preview.page', { page, pages })}</span>
        <Button size="small" disabled={page >= pages} onClick={() => setPage(page + 1)}>
          {t('preview.next')}
        </Button>
      </div>
      <canvas ref={canvas} role="img" aria-label={t('preview.page', { page, pages })} />
    </div>
  )
}

import { useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../core/notices.ts'

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

/** Files dragged onto the page. A folder is refused with a word, not taken as an empty file. */
export function useFileDrop(onFiles: (files: File[]) => void, is_allowed: boolean) {
  const { t } = useTranslation('file-cloud')
  const [is_over, setOver] = useState(false)
  // Moving over a child leaves and enters; only the outermost leave is one.
  const depth = useRef(0)
  const turn = (event: DragEvent, by: number) => {
    if (!hasFiles(event)) return
    depth.current = Math.max(0, depth.current + by)
    setOver(depth.current > 0)
  }
  const take = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    depth.current = 0
    setOver(false)
    const items = [...event.dataTransfer.items].filter(({ kind }) => kind === 'file')
    const files = items.flatMap((item) => (item.webkitGetAsEntry()?.isDirectory ? [] : (item.getAsFile() ?? [])))
    if (files.length < items.length) notify.fail(new Error(t('upload.no_folders')))
    if (files.length > 0) onFiles(files)
  }
  const handlers = {
    onDragEnter: (event: DragEvent) => turn(event, 1),
    onDragLeave: (event: DragEvent) => turn(event, -1),
    onDragOver: (event: DragEvent) => hasFiles(event) && event.preventDefault(),
    onDrop: take,
  }
  return { is_over, handlers: is_allowed ? handlers : {} }
}

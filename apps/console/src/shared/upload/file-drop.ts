import { useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { notify } from '../../core/notices.ts'
import { filesBelow } from './folder-drop.ts'
import type { Found } from './folder-drop.ts'
import './upload.css'

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

type Taker = { onFiles: (files: File[]) => void; onFolders: (dropped: { found: Found[]; empty: string[][] }) => void }
/** Files dragged onto the page, or folders with all that is in them. */
export function useFileDrop({ onFiles, onFolders }: Taker, is_allowed: boolean) {
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
    const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? [])
    if (entries.some(({ isDirectory }) => isDirectory)) {
      filesBelow(entries).then(onFolders, (error: unknown) => notify.fail(error as Error))
      return
    }
    const files = items.flatMap((item) => item.getAsFile() ?? [])
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

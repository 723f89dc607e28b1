import { FileAnswer, file_frame_bytes, fileFrame, fileFrames, noteOfFrame } from '@mdm/device-link'
import type { FileQuestion } from '@mdm/device-link'
import type { End } from './remote.ts'

type Without<T> = T extends unknown ? Omit<T, 'id'> : never
export type Said = FileAnswer & { bytes?: Buffer }

/** A viewer of a device's files, who asks one question after the other. */
export function fileViewer({ socket }: Pick<End, 'socket'>) {
  const take = fileFrames(file_frame_bytes.note)
  const waiting = new Map<number, (said: Said) => void>()
  let read: FileAnswer | undefined
  let count = 0
  socket.on('message', (data, is_binary) => {
    if (!is_binary) return
    for (const frame of take(data as Buffer)) {
      const said = read ?? FileAnswer.parse(noteOfFrame(frame))
      if (read === undefined && 'read' in said) {
        read = said
        continue
      }
      read = undefined
      waiting.get(said.id)?.({ ...said, ...(frame.type === 'piece' && { bytes: Buffer.from(frame.body) }) })
    }
  })
  const send = (frame: Uint8Array) => socket.send(frame)
  return {
    send,
    ask(question: Without<FileQuestion>, bytes?: Uint8Array): Promise<Said> {
      const id = (count += 1)
      const said = new Promise<Said>((resolve) => waiting.set(id, resolve))
      send(fileFrame({ id, ...question } as FileQuestion))
      if (bytes) send(fileFrame(bytes))
      return said
    },
  }
}
export type FileViewer = ReturnType<typeof fileViewer>

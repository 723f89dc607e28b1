import { file_frame_bytes, FileAnswer, fileFrame, fileFrames, noteOfFrame } from '@mdm/contract/tunnel.ts'
import type { FileQuestion } from '@mdm/contract/tunnel.ts'
import type { RemoteConnection } from '../../../remote/public.ts'

type Without<T> = T extends unknown ? Omit<T, 'id'> : never
export type Question = Without<FileQuestion>
export type Said = FileAnswer & { bytes?: Uint8Array }
type Channel = NonNullable<ReturnType<RemoteConnection['current']>['channel']>
type Waiting = {
  frames: Uint8Array<ArrayBuffer>[]
  may_repeat: boolean
  resolve: (said: Said) => void
  reject: (error: Error) => void
}

/** The device answered that it cannot do it; `code` is its word for why. */
export class FileRefused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
/** The connection broke after something was sent whose answer is not known. */
export class LinkLost extends Error {}
/** The session is over; the message says why where the server did. */
export class SessionOver extends Error {}

/** As many questions of one job may be unanswered: what a long line needs to be full, and the memory that it costs. */
export const questions_at_once = 8

/**
 * Questions about the files of a device, over a connection that comes back by itself when it breaks. What only reads is asked again
 * then; what changes something ends with LinkLost, and whoever asked looks how far it came.
 */
export function fileLink(connection: Pick<RemoteConnection, 'current' | 'subscribe' | 'leave'>) {
  const waiting = new Map<number, Waiting>()
  let count = 0
  let heard: Channel | null = null
  /** Whose end of the tunnel is open. */
  let open: Channel | null = null
  let read: FileAnswer | undefined
  let over: Error | undefined

  const settle = (id: number, how: (each: Waiting) => void) => {
    const each = waiting.get(id)
    waiting.delete(id)
    if (each) how(each)
  }
  const failAll = (error: Error, which: (each: Waiting) => boolean = () => true) => {
    for (const [id, each] of [...waiting]) if (which(each)) settle(id, ({ reject }) => reject(error))
  }
  const say = (each: Waiting) => {
    for (const frame of each.frames) open?.send(frame)
  }
  function listen(channel: Channel): void {
    const take = fileFrames(file_frame_bytes.note)
    read = undefined
    const hear = (data: ArrayBuffer) => {
      for (const frame of take(new Uint8Array(data))) {
        if (frame.type === 'note') {
          const said = FileAnswer.parse(noteOfFrame(frame))
          if (read) throw new Error('an answer where bytes were announced')
          if ('read' in said) read = said
          else if ('error' in said)
            settle(said.id, ({ reject }) => reject(new FileRefused(said.error.code, said.error.message)))
          else settle(said.id, ({ resolve }) => resolve(said))
        } else {
          const said = read
          read = undefined
          if (!said || !('read' in said) || said.read.length !== frame.body.length)
            throw new Error('other bytes than were announced')
          settle(said.id, ({ resolve }) => resolve({ ...said, bytes: frame.body }))
        }
      }
    }
    channel.onmessage = ({ data }) => {
      try {
        hear(data)
      } catch (error) {
        // A device that says what makes no sense is asked nothing more.
        over = new FileRefused('bad_answer', error instanceof Error ? error.message : String(error))
        failAll(over)
        connection.leave()
      }
    }
    channel.begin()
  }
  function look(): void {
    const { channel, status } = connection.current()
    if (channel !== heard) {
      heard = channel
      open = null
      failAll(new LinkLost(), ({ may_repeat }) => !may_repeat)
      if (channel) listen(channel)
    }
    if (status.name === 'connected' && channel && open !== channel) {
      open = channel
      for (const each of waiting.values()) say(each)
    }
    if (status.name === 'ended' || status.name === 'refused') {
      over ??= new SessionOver(status.name === 'refused' ? status.message : '')
      failAll(over)
    }
  }
  const stop = connection.subscribe(look)
  look()

  return {
    ask(question: Question, bytes?: Uint8Array): Promise<Said> {
      if (over) return Promise.reject(over)
      const id = (count += 1)
      const frames = [fileFrame({ id, ...question } as FileQuestion), ...(bytes ? [fileFrame(bytes)] : [])]
      const may_repeat = 'list' in question || 'read' in question || 'put' in question
      return new Promise((resolve, reject) => {
        const each = { frames, may_repeat, resolve, reject }
        waiting.set(id, each)
        if (open) say(each)
      })
    },
    close(): void {
      stop()
      over ??= new SessionOver('')
      failAll(over)
    },
  }
}
export type FileLink = ReturnType<typeof fileLink>

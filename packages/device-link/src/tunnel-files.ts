import * as z from 'zod'
import { FileEntry } from './requests.ts'

/**
 * The stream of a tunnel of the kind `files`, both ways: frames of a type (0: a note in JSON, 1: bytes of a file), the length of
 * what follows (4 bytes, the first one highest), and that. A viewer asks, a device answers each question in its order.
 */
export const file_frame_bytes = { header: 5, note: 192 * 1024, question: 8 * 1024, piece: 128 * 1024 } as const
export type FileFrame = { type: 'note' | 'piece'; body: Uint8Array }
const types = ['note', 'piece'] as const

const path = z.string().min(1).max(4096)
const size = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const id = z
  .number()
  .int()
  .min(1)
  .max(2 ** 32)

/** What a viewer asks for. `write` is followed by a frame with so many bytes, which go to the file that `put` opened last. */
export const FileQuestion = z.union([
  z.strictObject({ id, list: z.object({ path, after: z.string().max(1000).optional() }) }),
  z.strictObject({
    id,
    read: z.object({ path, offset: size, length: z.number().int().min(0).max(file_frame_bytes.piece) }),
  }),
  z.strictObject({
    id,
    put: z.object({ path, name: z.string().min(1).max(255), size, sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  }),
  z.strictObject({ id, write: z.object({ length: z.number().int().min(1).max(file_frame_bytes.piece) }) }),
  z.strictObject({ id, place: z.literal(true) }),
  z.strictObject({ id, make_folder: z.object({ path }) }),
])
export type FileQuestion = z.infer<typeof FileQuestion>

/** What changes the device; the others only read. */
export const changesFiles = (question: FileQuestion): boolean => !('list' in question || 'read' in question)

/** `read` is followed by a frame with so many bytes; fewer than were asked for at the end of the file. */
export const FileAnswer = z.union([
  z.object({ id, error: z.object({ code: z.string().max(60), message: z.string().max(4000) }) }),
  z.object({ id, list: z.object({ items: z.array(FileEntry), next: z.string().nullable() }) }),
  z.object({
    id,
    read: z.object({ length: size, size, modified_at: z.iso.datetime({ offset: true }).describe('of the file now') }),
  }),
  z.object({ id, position: size.describe('how many bytes of the file are there: the next ones begin here') }),
  z.object({ id, done: z.string().max(5000).describe('path of what is there now') }),
])
export type FileAnswer = z.infer<typeof FileAnswer>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function fileFrame(content: FileQuestion | FileAnswer | Uint8Array): Uint8Array<ArrayBuffer> {
  const is_piece = content instanceof Uint8Array
  const body = is_piece ? content : encoder.encode(JSON.stringify(content))
  const { header } = file_frame_bytes
  const frame = new Uint8Array(header + body.length)
  frame[0] = is_piece ? 1 : 0
  new DataView(frame.buffer).setUint32(1, body.length)
  frame.set(body, header)
  return frame
}

export const noteOfFrame = ({ body }: FileFrame): unknown => JSON.parse(decoder.decode(body))

/** Takes bytes as they come and gives the frames that are whole. Throws at what is no frame, or a longer one than may be. */
export function fileFrames(most_note_bytes: number): (bytes: Uint8Array) => FileFrame[] {
  const { header, piece } = file_frame_bytes
  let rest: Uint8Array = new Uint8Array(0)
  return (bytes) => {
    const all = new Uint8Array(rest.length + bytes.length)
    all.set(rest)
    all.set(bytes, rest.length)
    const frames: FileFrame[] = []
    let at = 0
    while (all.length - at >= header) {
      const type = types[all[at]!]
      const length = new DataView(all.buffer, at).getUint32(1)
      if (!type || length > (type === 'piece' ? piece : most_note_bytes)) throw new Error('no frame of files')
      if (all.length - at < header + length) break
      frames.push({ type, body: all.subarray(at + header, at + header + length) })
      at += header + length
    }
    rest = all.subarray(at)
    return frames
  }
}

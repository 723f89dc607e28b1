import { changesFiles, file_frame_bytes, fileFrames, FileQuestion, noteOfFrame } from './tunnel-files.ts'
import type { FileAnswer } from './tunnel-files.ts'

type QuestionOf<K extends string> = Extract<FileQuestion, Record<K, unknown>> extends Record<K, infer T> ? T : never
export type FilePart = QuestionOf<'read'>
export type FilePut = QuestionOf<'put'>
type FileList = Extract<FileAnswer, { list: unknown }>['list']
type Fault = Extract<FileAnswer, { error: unknown }>['error']

/** What a device does with its files for one viewer. */
export type FileWork = {
  list(path: string, after: string | undefined): Promise<FileList>
  read(part: FilePart): Promise<{ bytes: Uint8Array; size: number; modified_at: string }>
  /** How many bytes of it are there: the next ones begin there. */
  put(file: FilePut): Promise<number>
  /** Bytes for the file that was put last; how many are there then. */
  write(bytes: Uint8Array): Promise<number>
  /** Its path, once it is whole. */
  place(): Promise<string>
  make_folder(path: string): Promise<void>
}
type Options = {
  work: FileWork
  may_change: boolean
  say(content: FileAnswer | Uint8Array): Promise<void>
  /** How the viewer is told what `work` has thrown. */
  faultOf(error: unknown): Fault
  /** False once the viewer has gone. */
  is_asked(): boolean
}

/**
 * Answers a viewer's questions about files, as their bytes come: one after the other, each before the next is read, so a viewer that
 * does not take the answers costs a piece. Who may only look is refused what changes something, whatever the server lets pass. Throws at
 * what is no question.
 */
export function answerFiles({
  work,
  may_change,
  say,
  faultOf,
  is_asked,
}: Options): (chunk: Uint8Array) => Promise<void> {
  const take = fileFrames(file_frame_bytes.question)
  /** The `write` whose bytes come next. */
  let expected: { id: number; length: number } | undefined
  const may_not = { code: 'permission_missing', message: 'This viewer may not change files of the device' }

  async function answer(question: FileQuestion): Promise<void> {
    const { id } = question
    if (changesFiles(question) && !may_change) return say({ id, error: may_not })
    if ('list' in question) return say({ id, list: await work.list(question.list.path, question.list.after) })
    if ('read' in question) {
      const { bytes, size, modified_at } = await work.read(question.read)
      await say({ id, read: { length: bytes.length, size, modified_at } })
      return say(bytes)
    }
    if ('put' in question) return say({ id, position: await work.put(question.put) })
    if ('place' in question) return say({ id, done: await work.place() })
    if ('make_folder' in question) {
      await work.make_folder(question.make_folder.path)
      return say({ id, done: question.make_folder.path })
    }
  }
  async function write({ id, length }: { id: number; length: number }, body: Uint8Array): Promise<void> {
    if (!may_change) return say({ id, error: may_not })
    if (body.length !== length)
      return say({ id, error: { code: 'bad_params', message: `${body.length} bytes came, not ${length}` } })
    // What a frame holds is a view of what came; whoever writes may keep it.
    return say({ id, position: await work.write(body.slice()) })
  }
  const told = (id: number, done: Promise<void>): Promise<void> =>
    done.catch((error: unknown) => say({ id, error: faultOf(error) }))

  return async (chunk) => {
    for (const frame of take(chunk)) {
      if (!is_asked()) return
      const wanted = expected
      expected = undefined
      if (frame.type === 'piece') {
        if (!wanted) throw new Error('bytes that nothing announced')
        await told(wanted.id, write(wanted, frame.body))
        continue
      }
      if (wanted) throw new Error('a question where bytes were announced')
      const question = FileQuestion.parse(noteOfFrame(frame))
      if ('write' in question) expected = { id: question.id, ...question.write }
      else await told(question.id, answer(question))
    }
  }
}

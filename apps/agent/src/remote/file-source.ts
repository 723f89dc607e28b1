import { Duplex } from 'node:stream'
import { changesFiles, file_frame_bytes, fileFrame, fileFrames, FileQuestion, noteOfFrame } from '@mdm/device-link'
import type { FileAnswer, FileFrame } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import type { Body, Landing } from '../body/body.ts'
import { placeOf } from '../place.ts'
import { listFolder } from '../requests/files.ts'
import type { Turns } from '../turns.ts'
import type { RemoteSource } from './source.ts'

type Put = Extract<FileQuestion, { put: unknown }>['put']
/** A file on its way to the device: nobody else writes it until `free`. */
type Arriving = { file: Put; landing: Landing; free: () => void }

/**
 * Files of this device for one viewer. Questions are answered one after the other, each before the next is read, so a viewer that does
 * not take the answers costs a piece. Who may only look is refused what changes something, whatever the server lets pass.
 */
export function fileSource(
  { files, land }: Pick<Body, 'files' | 'land'>,
  { turns, may_change }: { turns: Turns; may_change: boolean },
): RemoteSource {
  const take = fileFrames(file_frame_bytes.question)
  let arriving: Arriving | undefined
  /** The `write` whose bytes come next. */
  let expected: { id: number; length: number } | undefined
  let taken = () => {}

  async function say(content: FileAnswer | Uint8Array): Promise<void> {
    if (stream.destroyed || stream.push(fileFrame(content))) return
    await new Promise<void>((resolve) => (taken = resolve))
  }
  async function leave(): Promise<void> {
    const left = arriving
    arriving = undefined
    await left?.landing.close().finally(left.free)
  }
  /** The bytes of an earlier try that was cut off are there already. */
  async function begin(file: Put): Promise<number> {
    await leave()
    const landing = await new Promise<Landing>((resolve, reject) => {
      turns(placeOf(file), async () => {
        const opened = await land(file, { is_kept: true })
        await new Promise<void>((free) => {
          arriving = { file, landing: opened, free }
          resolve(opened)
        })
      }).catch(reject)
    })
    // The viewer has gone while it waited for its turn.
    if (stream.destroyed) await leave()
    if (landing.position > file.size) await landing.reset()
    return landing.position
  }
  const needed = (): Arriving => {
    if (!arriving) throw new TaskFailure('refused', 'No file is on its way')
    return arriving
  }
  async function write({ id, length }: { id: number; length: number }, body: Uint8Array): Promise<FileAnswer> {
    if (body.length !== length) throw new TaskFailure('bad_params', `${body.length} bytes came, not ${length}`)
    const { file, landing } = needed()
    if (landing.position + length > file.size)
      throw new TaskFailure('too_large', `${file.name} is longer than was said`)
    // What a frame holds is a view of what came; a body may keep it.
    await landing.write(body.slice())
    return { id, position: landing.position }
  }
  async function place(): Promise<string> {
    const { file, landing } = needed()
    if (landing.position !== file.size || landing.digests().sha256 !== file.sha256) {
      await landing.reset()
      await leave()
      throw new TaskFailure('hash_mismatch', `${file.name}: the bytes are not those that were announced`)
    }
    const path = await landing.place()
    await leave()
    return path
  }
  async function read(id: number, { path, offset, length }: { path: string; offset: number; length: number }) {
    const file = await files.read(path)
    const pieces: Uint8Array[] = []
    for await (const piece of file.open({ from: offset, length })) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    const { size, modified_at } = file
    await say({ id, read: { length: bytes.length, size, modified_at: modified_at.toISOString() } })
    await say(bytes)
  }

  async function answer(question: FileQuestion): Promise<FileAnswer | undefined> {
    const { id } = question
    if (changesFiles(question) && !may_change)
      throw new TaskFailure('permission_missing', 'This viewer may not change files of the device')
    if ('list' in question) return { id, list: await listFolder(files, question.list.path, question.list.after) }
    if ('read' in question) return void (await read(id, question.read))
    if ('put' in question) return { id, position: await begin(question.put) }
    if ('place' in question) return { id, done: await place() }
    if ('make_folder' in question) {
      await files.make_folder(question.make_folder.path)
      return { id, done: question.make_folder.path }
    }
    return undefined
  }
  async function told(id: number, work: () => Promise<FileAnswer | undefined>): Promise<void> {
    const said = await work().catch((error: unknown): FileAnswer => {
      const code = error instanceof TaskFailure ? error.code : 'internal'
      return { id, error: { code, message: String((error as Error).message).slice(0, 1000) } }
    })
    if (said) await say(said)
  }
  async function hear(frame: FileFrame): Promise<void> {
    if (frame.type === 'piece') {
      const wanted = expected
      expected = undefined
      if (!wanted) throw new Error('bytes that nothing announced')
      return told(wanted.id, async () => {
        if (!may_change) throw new TaskFailure('permission_missing', 'This viewer may not change files of the device')
        return write(wanted, frame.body)
      })
    }
    if (expected) throw new Error('a question where bytes were announced')
    const question = FileQuestion.parse(noteOfFrame(frame))
    if ('write' in question) expected = { id: question.id, ...question.write }
    else await told(question.id, () => answer(question))
  }

  const stream = new Duplex({
    read: () => taken(),
    write(chunk: Buffer, _encoding, done) {
      void (async () => {
        for (const frame of take(chunk)) if (!stream.destroyed) await hear(frame)
      })().then(() => done(), done)
    },
    destroy(error, done) {
      taken()
      void leave().then(
        () => done(error),
        () => done(error),
      )
    },
  })
  return { stream }
}

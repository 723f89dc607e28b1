import { Duplex } from 'node:stream'
import { answerFiles, fileFrame } from '@mdm/device-link'
import type { FileAnswer, FilePut } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import type { Body, Landing } from '../body/body.ts'
import { placeOf } from '../place.ts'
import { listFolder } from '../requests/files.ts'
import type { Turns } from '../turns.ts'
import type { RemoteSource } from './source.ts'

/** A file on its way to the device: nobody else writes it until `free`. */
type Arriving = { file: FilePut; landing: Landing; free: () => void }

/** Files of this device for one viewer. */
export function fileSource(
  { files, land }: Pick<Body, 'files' | 'land'>,
  { turns, may_change }: { turns: Turns; may_change: boolean },
): RemoteSource {
  let arriving: Arriving | undefined
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
  async function begin(file: FilePut): Promise<number> {
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
  async function write(bytes: Uint8Array): Promise<number> {
    const { file, landing } = needed()
    if (landing.position + bytes.length > file.size)
      throw new TaskFailure('too_large', `${file.name} is longer than was said`)
    await landing.write(bytes)
    return landing.position
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
  async function read({ path, offset, length }: { path: string; offset: number; length: number }) {
    const file = await files.read(path)
    const pieces: Uint8Array[] = []
    for await (const piece of file.open({ from: offset, length })) pieces.push(piece)
    return { bytes: Buffer.concat(pieces), size: file.size, modified_at: file.modified_at.toISOString() }
  }
  const hear = answerFiles({
    work: {
      ...{ put: begin, write, place, read },
      list: (path, after) => listFolder(files, path, after),
      make_folder: (path) => files.make_folder(path),
    },
    may_change,
    say,
    faultOf: (error) => ({
      code: error instanceof TaskFailure ? error.code : 'internal',
      message: String((error as Error).message).slice(0, 1000),
    }),
    is_asked: () => !stream.destroyed,
  })

  const stream = new Duplex({
    read: () => taken(),
    write(chunk: Buffer, _encoding, done) {
      void hear(chunk).then(() => done(), done)
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

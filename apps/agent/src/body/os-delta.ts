import { createHash } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { exactBytes, os_delta_data, os_delta_index, osDeltaLimits, readOsDelta, rebuilt } from '@mdm/device-link'
import type { DeltaSource, OsDelta, OsDeltaFile } from '@mdm/device-link'
import { TaskFailure } from './body.ts'
import { zstd } from './zstd.ts'

type Of = {
  /** The difference. */
  path: string
  /** The system that runs. */
  from: string
  /** Empty: the slot that is written. */
  to: string
  signal: AbortSignal
}

/**
 * Writes a system from the one that runs and a difference. Every file is what the description says, byte for byte, or it fails with
 * `package_broken`; nothing is written beside `to`, and no more than the description says.
 */
export async function applyDelta({ path, from, to, signal }: Of): Promise<void> {
  let zip: ZipFile | undefined
  try {
    zip = await openPromise(path, { autoClose: false })
    const entries = await entriesOf(zip)
    const index = readOsDelta(String(await contentOf(zip, entries.get(os_delta_index), osDeltaLimits.index_bytes)))
    const entry = entries.get(os_delta_data)
    if (!entry) throw new Error('it has no data')
    const stream: Readable = await zip.openReadStreamPromise(entry)
    try {
      const data = exactBytes(stream as AsyncIterable<Buffer>)
      await write(index, { from, to, signal, data: (length) => data.take(length) })
      await data.end()
    } finally {
      stream.destroy()
    }
  } catch (error) {
    signal.throwIfAborted()
    const { code } = error as NodeJS.ErrnoException
    // What is wrong with the disk is not the package's fault; a file that the old system should have is.
    const is_disk = (error as NodeJS.ErrnoException).syscall !== undefined && !absent.has(String(code))
    if (error instanceof TaskFailure || is_disk) throw error
    throw new TaskFailure('package_broken', (error as Error).message)
  } finally {
    zip?.close()
  }
}
const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EEXIST', 'ENAMETOOLONG'])

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > 10) throw new Error('it has more than a description and data')
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  return entries
}

async function contentOf(zip: ZipFile, entry: Entry | undefined, bytes_max: number): Promise<Buffer> {
  if (!entry) throw new Error('it has no description')
  if (entry.uncompressedSize > bytes_max) throw new Error('its description is too large')
  const chunks: Buffer[] = []
  // Ends with an error as soon as there is more than the directory says.
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

type Write = Omit<Of, 'path'> & Pick<DeltaSource, 'data'>

async function write({ folders, files }: OsDelta, { from, to, signal, data }: Write): Promise<void> {
  const source: DeltaSource = {
    data,
    base: (path, at, length) => partOf(join(from, path), at, length),
    unpack: await zstd(),
  }
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true })
  for (const file of files) {
    signal.throwIfAborted()
    const place = join(to, file.path)
    await mkdir(dirname(place), { recursive: true })
    const content = file.same === undefined ? rebuilt(file, source) : fileAt(join(from, file.same))
    // One that is there already is an error, and nothing is written through a link.
    await pipeline(checked(file, content), createWriteStream(place, { flags: 'wx', flush: true, mode: 0o644 }), {
      signal,
    })
  }
}

/** No more bytes than it should have, and in the end those that it should. */
async function* checked({ path, size, sha256 }: OsDeltaFile, content: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of content) {
    bytes += piece.byteLength
    if (bytes > size) break
    hash.update(piece)
    yield piece
  }
  if (bytes !== size || hash.digest('hex') !== sha256)
    throw new TaskFailure('package_broken', `${path} is not what the new version has`)
}

const openPlain = (path: string) => open(path, constants.O_RDONLY | constants.O_NOFOLLOW)

async function* fileAt(path: string): AsyncGenerator<Uint8Array> {
  const file = await openPlain(path)
  try {
    yield* createReadStream('', { fd: file, autoClose: false }) as AsyncIterable<Buffer>
  } finally {
    await file.close()
  }
}

async function partOf(path: string, at: number, length: number): Promise<Buffer> {
  const file = await openPlain(path)
  try {
    const buffer = Buffer.alloc(length)
    const { bytesRead } = await file.read(buffer, 0, length, at)
    if (bytesRead !== length) throw new Error(`${path} is shorter than in the old version`)
    return buffer
  } finally {
    await file.close()
  }
}

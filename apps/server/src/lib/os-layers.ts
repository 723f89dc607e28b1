import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileNameKey } from '@mdm/contract/file-names.ts'
import type { Entry } from 'yauzl'
import { ZipFile } from 'yazl'
import { openArchive, readDirectory } from './apk/archive.ts'
import type { Archive } from './apk/archive.ts'
import { ApkError } from './apk/source.ts'
import type { ByteSource } from './apk/source.ts'
import { nameInPackage } from './os-package.ts'

/** A file that goes into the package beside the layers; it takes the place of what is called the same in them. */
export type LayeredFile = { name: string; path: string; size: number; is_packed: boolean }
export type Layers = { layers: string[]; files: LayeredFile[]; target: string }
export type LayersDone = { entries: number; bytes: number }

/** A name that is a file in one layer and a folder in another. */
export class LayerConflict extends Error {}

/**
 * The same input makes the same bytes: entries in the order of their names, one time for all, one level, no time zone in it.
 * DOS times are written by the local time, so that this instant is the same everywhere.
 */
const mtime = new Date(1980, 0, 1)
const level = 6
const permissions = 0o777
const file_type = 0o100000

type Part = { name: string; size: number; mode: number; is_packed: boolean; open(): Promise<Readable> }

/**
 * Lays packages over each other, and files over them, and writes one package of all: of two entries of a name the later one counts.
 * Everything is read and written piece by piece. The target is there as a whole or not at all.
 */
export async function packLayers(
  { layers, files, target }: Layers,
  on_progress: (done: number, total: number) => void,
): Promise<LayersDone> {
  const handles: FileHandle[] = []
  try {
    const parts = new Map<string, Part>()
    for (const path of layers) {
      const handle = await open(path, 'r')
      handles.push(handle)
      for (const part of await partsOf(handle)) parts.set(fileNameKey(part.name), part)
    }
    for (const { name, path, size, is_packed } of files)
      parts.set(fileNameKey(name), {
        name,
        size,
        mode: file_type | 0o644,
        is_packed,
        open: async () => createReadStream(path),
      })
    const sorted = [...parts.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    assertApart(parts, sorted)
    const total = sorted.reduce((sum, { size }) => sum + size, 0)
    await write(sorted, `${target}.part`, (done) => on_progress(done, total))
    await rename(`${target}.part`, target)
    return { entries: sorted.length, bytes: total }
  } finally {
    for (const handle of handles) await handle.close()
  }
}

const sourceOf = async (handle: FileHandle): Promise<ByteSource> => {
  const { size } = await handle.stat()
  return {
    size,
    async read(start, length) {
      const bytes = Buffer.alloc(Math.min(length, Math.max(0, size - start)))
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
      return bytes.subarray(0, bytesRead)
    },
  }
}

async function partsOf(handle: FileHandle): Promise<Part[]> {
  const source = await sourceOf(handle)
  const directory = await readDirectory(source)
  const archive: Archive = await openArchive(source, directory, directory.start, () => true)
  // Folders are those of the files in them: what is empty in a package is not in its system either.
  return archive.entries.flatMap((entry: Entry) => {
    const name = nameInPackage(entry)
    if (name.endsWith('/')) return []
    const mode = (entry.externalFileAttributes >>> 16) & permissions
    return {
      name,
      size: entry.uncompressedSize,
      mode: file_type | (mode === 0 ? 0o644 : mode),
      is_packed: entry.compressionMethod !== 0,
      open: async () => Readable.from(archive.stream(entry), { objectMode: false }),
    }
  })
}

function assertApart(parts: ReadonlyMap<string, Part>, sorted: readonly Part[]): void {
  for (const { name } of sorted) {
    const steps = fileNameKey(name).split('/')
    for (let depth = 1; depth < steps.length; depth += 1) {
      const above = steps.slice(0, depth).join('/')
      if (parts.has(above)) throw new LayerConflict(parts.get(above)!.name)
    }
  }
}

async function write(parts: readonly Part[], path: string, on_progress: (done: number) => void): Promise<void> {
  const zip = new ZipFile()
  let done = 0
  let broke!: (error: unknown) => void
  const broken = new Promise<never>((_, reject) => (broke = reject))
  zip.on('error', broke)
  for (const { name, mode, is_packed, open: begin } of parts)
    zip.addReadStreamLazy(
      name,
      { mtime, forceDosTimestamp: true, mode, compressionLevel: is_packed ? level : 0 },
      (give) =>
        void begin().then((stream): void => {
          const counted = new Transform({
            transform(piece: Buffer, _encoding, next) {
              done += piece.length
              on_progress(done)
              next(null, piece)
            },
          })
          // What breaks off is to break the whole.
          stream.on('error', broke)
          give(null, stream.pipe(counted))
        }, broke),
    )
  zip.end()
  const output = zip.outputStream as Readable
  const out = createWriteStream(path, { flush: true, mode: 0o600 })
  await Promise.race([pipeline(output, out), broken]).catch((error: unknown) => {
    output.destroy()
    out.destroy()
    throw error
  })
}

/** What is wrong with a layer, and not with us. */
export const isOfLayer = (error: unknown): error is ApkError => error instanceof ApkError

import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { assertOnce, assertPlain } from './paths.ts'
import { beyondLimits, bytesAt, invalid } from './source.ts'
import type { ByteSource } from './source.ts'

const end_bytes = 22
const comment_max = 0xffff
/** The largest applications have some twenty thousand entries. */
const entries_max = 30_000
const directory_bytes_max = 8 * 1024 * 1024
/** Deflate makes at most 1,032 bytes out of one; a whole application is never that empty. */
const growth_max = 100
const growth_free_bytes = 64 * 1024 * 1024
const local_header_bytes = 30
const central_header_bytes = 46
/** Info-ZIP's Unicode Path extra field (APPNOTE, 4.6.9): a version, the CRC-32 of the name, then another name. */
const unicode_path_field = 0x7075
const piece_bytes = 1024 * 1024

/** Where the central directory stands, and the bytes from there to the end. */
export type Directory = { start: number; entries: number; tail: Buffer; directory_bytes: number }

/** Android reads the plain format alone: one disk, no ZIP64, nothing between directory and end. */
export async function readDirectory(source: ByteSource): Promise<Directory> {
  const length = Math.min(source.size, end_bytes + comment_max)
  const tail_start = source.size - length
  const tail = await bytesAt(source, tail_start, length)
  const at = endRecordIn(tail)
  const entries = tail.readUInt16LE(at + 10)
  const directory_bytes = tail.readUInt32LE(at + 12)
  const start = tail.readUInt32LE(at + 16)
  const is_one_disk = tail.readUInt16LE(at + 4) === 0 && tail.readUInt16LE(at + 8) === entries
  if (entries > entries_max || directory_bytes > directory_bytes_max) throw beyondLimits('too many entries')
  if (!is_one_disk || start + directory_bytes !== tail_start + at)
    throw invalid('the directory is not where it should be')
  return { start, entries, directory_bytes, tail: await bytesAt(source, start, source.size - start) }
}

function endRecordIn(tail: Buffer): number {
  for (let at = tail.length - end_bytes; at >= 0; at--)
    if (tail.readUInt32LE(at) === 0x06054b50 && at + end_bytes + tail.readUInt16LE(at + 20) === tail.length) return at
  throw invalid('not a ZIP archive')
}

/** An archive whose entries have been looked at: their places, their sizes, and that none is in another's. */
export type Archive = {
  entries: Entry[]
  content(entry: Entry, bytes_max: number): Promise<Buffer>
  /** Throws where the name in front of the content is another one: who unpacks a file as it comes goes by that. */
  assertNamed(entry: Entry): Promise<void>
  /** Its content, piece by piece; fails as soon as that is more or fewer bytes than the directory says. */
  stream(entry: Entry): AsyncIterable<Buffer>
  /** Unpacks every entry once, wanted or not, and keeps nothing: throws where one is not what the directory says. */
  verify(): Promise<void>
  /** An entry as a file of its own: where it is not packed, as a part of this one, else unpacked to at most `bytes_max`. */
  source(entry: Entry, bytes_max: number): Promise<ByteSource>
}

/** `wanted` are kept. Entries end before `data_end`, where the signing block or the directory begins. */
export async function openArchive(
  source: ByteSource,
  directory: Directory,
  data_end: number,
  wanted: (name: string) => boolean,
): Promise<Archive> {
  const open = () =>
    readable(() =>
      fromRandomAccessReaderPromise(new TailInMemory(source, directory), source.size, {
        autoClose: false,
        // Names are compared, never used as paths.
        decodeStrings: false,
      }),
    )
  const zip = await open()
  const kept: Entry[] = []
  const extents: { start: number; end: number }[] = []
  let declared = 0
  let read = 0
  await readable(async () => {
    for await (const entry of zip.eachEntry()) {
      const { relativeOffsetOfLocalHeader: start, compressedSize, uncompressedSize, fileNameLength } = entry
      extents.push({ start, end: start + local_header_bytes + fileNameLength + compressedSize })
      assertOneName(entry)
      assertPlain(entry)
      declared += uncompressedSize
      read += central_header_bytes + fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      if (wanted(entry.fileNameRaw.toString('latin1'))) kept.push(entry)
    }
  })
  if (read !== directory.directory_bytes) throw invalid('the directory has more than it counts')
  if (declared > Math.max(growth_free_bytes, growth_max * source.size)) throw beyondLimits('it unpacks to far too much')
  assertApart(extents, data_end)
  const content = (entry: Entry, bytes_max: number) => contentOf(zip, entry, bytes_max)
  return {
    entries: kept,
    content,
    async assertNamed(entry) {
      const { fileName } = await readable(() => zip.readLocalFileHeaderPromise(entry))
      if (!fileName.equals(entry.fileNameRaw)) throw invalid('an entry has two names')
    },
    stream: (entry) => streamOf(zip, entry),
    verify: async () => verify(await open()),
    async source(entry, bytes_max) {
      if (entry.compressionMethod === 0) return partOf(source, entry)
      const bytes = await content(entry, bytes_max)
      return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) }
    },
  }
}

async function verify(zip: ZipFile): Promise<void> {
  const names: string[] = []
  await readable(async () => {
    for await (const entry of zip.eachEntry()) {
      names.push(entry.fileNameRaw.toString('latin1'))
      for await (const _ of streamOf(zip, entry));
    }
  })
  assertOnce(names)
}

/** The bytes of an entry. Throws at their end where they are not those that were packed. */
export async function* checked(bytes: AsyncIterable<Buffer>, { crc32: said }: Entry): AsyncGenerator<Buffer> {
  let sum = 0
  for await (const piece of bytes) {
    sum = crc32(piece, sum)
    yield piece
  }
  if (sum !== said) throw invalid('an entry is damaged')
}

/** Unpackers that know Info-ZIP's Unicode Path field take its name instead of the one that is checked here. */
function assertOneName({ extraFields, fileNameRaw }: Entry): void {
  const others = extraFields.filter(
    ({ id, data }) => id === unicode_path_field && !data.subarray(5).equals(fileNameRaw),
  )
  if (others.length > 0) throw invalid('an entry has two names')
}

/** The bytes of an entry that is stored as it is. */
async function partOf(source: ByteSource, entry: Entry): Promise<ByteSource> {
  const { relativeOffsetOfLocalHeader: at, uncompressedSize: size } = entry
  const local = await bytesAt(source, at, local_header_bytes)
  const start = at + local_header_bytes + local.readUInt16LE(26) + local.readUInt16LE(28)
  if (entry.compressedSize !== size || start + size > source.size) throw invalid('an entry ends early')
  return {
    size,
    read: (from, length) => source.read(start + from, Math.min(length, Math.max(0, size - from))),
  }
}

/** Entries that share bytes unpack to more than there is, and are no two programs' same entry. */
function assertApart(extents: { start: number; end: number }[], data_end: number): void {
  const sorted = extents.toSorted((a, b) => a.start - b.start)
  for (const [i, { end }] of sorted.entries())
    if (end > (sorted[i + 1]?.start ?? data_end)) throw invalid('entries overlap')
}

async function contentOf(zip: ZipFile, entry: Entry, bytes_max: number): Promise<Buffer> {
  if (entry.uncompressedSize > bytes_max || entry.compressedSize > bytes_max)
    throw beyondLimits('an entry is too large')
  return readable(async () => {
    const chunks: Buffer[] = []
    // The stream fails once it gives more or fewer bytes than the directory says.
    for await (const chunk of streamOf(zip, entry)) chunks.push(chunk)
    return Buffer.concat(chunks)
  })
}

async function* streamOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await readable(() => zip.openReadStreamPromise(entry))
  try {
    yield* checked(stream as AsyncIterable<Buffer>, entry)
  } catch (error) {
    await readable(() => Promise.reject(error as Error))
  } finally {
    stream.destroy()
  }
}

/** What the ZIP reader finds wrong, it says in an Error of its own; what we do, and what the disk does, stays as it is. */
async function readable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const is_ours = (error as Error).name === 'ApkError' || (error as NodeJS.ErrnoException).syscall !== undefined
    throw is_ours ? error : invalid((error as Error).message)
  }
}

/** The directory is read in tens of thousands of small pieces: from memory. Entries come from the file. */
class TailInMemory extends RandomAccessReader {
  readonly #source: ByteSource
  readonly #directory: Directory

  constructor(source: ByteSource, directory: Directory) {
    super()
    this.#source = source
    this.#directory = directory
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const { start, tail } = this.#directory
    if (position >= start) {
      const at = position - start
      if (at + length > tail.length) return process.nextTick(callback, invalid('ends early'))
      tail.copy(buffer, offset, at, at + length)
      return process.nextTick(callback, null)
    }
    bytesAt(this.#source, position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset)
        callback(null)
      },
      (error: Error) => callback(error),
    )
  }

  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    const source = this.#source
    return Readable.from(
      (async function* () {
        for (let at = start; at < end; at += piece_bytes)
          yield await bytesAt(source, at, Math.min(piece_bytes, end - at))
      })(),
      { objectMode: false },
    )
  }
}

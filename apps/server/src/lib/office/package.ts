import type { Readable } from 'node:stream'
import { fromBufferPromise } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { checked } from '../apk/archive.ts'
import { Refusal, refuse } from '../../refusal.ts'
/** A workbook with every extra there is has some hundred parts. */
const entries_max = 2_000

/** The parts of an Office file. Each is read as a stream, within a size that its reader sets. */
export type Package = {
  has(name: string): boolean
  /** Refuses `sheet_beyond_limits` for a larger part, before a byte is unpacked; `sheet_damaged` for one that lies. */
  read(name: string, max_bytes: number): AsyncGenerator<Buffer>
}

export async function openPackage(bytes: Buffer): Promise<Package> {
  const { zip, entries } = await damagedUnlessRefused(() => directory(bytes))
  return {
    has: (name) => entries.has(name),
    async *read(name, max_bytes) {
      const entry = entries.get(name) ?? refuse('sheet_damaged')
      if (entry.uncompressedSize > max_bytes) refuse('sheet_beyond_limits')
      const stream: Readable = await damagedUnlessRefused(() => zip.openReadStreamPromise(entry))
      try {
        // yauzl ends a stream that unpacks to more than its entry says; other bytes than were packed end it, too.
        yield* checked(stream as AsyncIterable<Buffer>, entry)
      } catch (error) {
        throw error instanceof Refusal ? error : new Refusal('sheet_damaged')
      } finally {
        stream.destroy()
      }
    },
  }
}

async function directory(bytes: Buffer): Promise<{ zip: ZipFile; entries: Map<string, Entry> }> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true })
  if (zip.entryCount > entries_max) refuse('sheet_beyond_limits')
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) refuse('sheet_not_supported')
    // Of two parts of one name every program believes another one.
    if (entries.has(entry.fileName)) refuse('sheet_damaged')
    entries.set(entry.fileName, entry)
  }
  return { zip, entries }
}

/** Whatever a hostile archive makes the reader throw is a damaged file, never a fault of ours. */
async function damagedUnlessRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('sheet_damaged')
  }
}

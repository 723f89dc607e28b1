import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import { TaskFailure } from './body.ts'
import { stepsOf } from './jail.ts'

const entries_max = 100_000
const file_type = 0o170000
const link_type = 0o120000

/**
 * Unpacks a ZIP below a folder that is empty. What could leave the folder, links, and more than `max_bytes` are refused with
 * `bad_package`; what a file may be run by stays.
 */
export async function unzip(
  archive: string,
  folder: string,
  { max_bytes, signal }: { max_bytes: number; signal: AbortSignal },
): Promise<void> {
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false }).catch(refuse)
  try {
    if (zip.entryCount > entries_max) throw bad('too many entries')
    let bytes = 0
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted()
      const mode = entry.externalFileAttributes >>> 16
      if ((mode & file_type) === link_type) throw bad(`${entry.fileName} is a link`)
      const place = join(folder, ...stepsOf(entry.fileName))
      if (entry.fileName.endsWith('/')) {
        await mkdir(place, { recursive: true })
        continue
      }
      await mkdir(dirname(place), { recursive: true })
      // What the directory says of sizes is not believed.
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          bytes += chunk.length
          done(bytes > max_bytes ? bad(`unpacked it has more than ${max_bytes} bytes`) : null, chunk)
        },
      })
      const from = await zip.openReadStreamPromise(entry)
      // One that is there twice is an error, and nothing is written through a link.
      const to = createWriteStream(place, { flags: 'wx', mode: mode & 0o111 ? 0o755 : 0o644 })
      await pipeline(from, counted, to, { signal })
    }
  } catch (error) {
    signal.throwIfAborted()
    refuse(error)
  } finally {
    zip.close()
  }
}

const bad = (message: string): TaskFailure => new TaskFailure('bad_package', `The zip cannot be unpacked: ${message}`)
function refuse(error: unknown): never {
  if (error instanceof TaskFailure) throw error.code === 'bad_path' ? bad(error.message) : error
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
    throw new TaskFailure('no_space', 'No space left on this device')
  throw bad((error as Error).message)
}

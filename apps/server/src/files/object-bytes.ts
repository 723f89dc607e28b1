import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../refusal.ts'
import type { ObjectInfo } from './object-store.ts'

const keyPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Keys are made by this server, so another shape is a fault of ours and must not become a path. */
export const isObjectKey = (key: string): boolean => keyPattern.test(key)

/** Makes the folder through which bytes arrive, and removes what a crash left there half-written: nobody has touched it for `older_ms`. */
export async function emptyArriving(folder: string, older_ms: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (older_ms === 0 || mtimeMs < Date.now() - older_ms) await rm(path, { force: true })
  }
}

const remembered = 5_000
/** Holds what is known by a kid, of the latest 5,000. */
export function rememberer<T>() {
  const known = new Map<string, T>()
  return {
    get: (key: string): T | undefined => known.get(key),
    put(key: string, value: T): T {
      if (known.size >= remembered) known.delete(known.keys().next().value!)
      known.set(key, value)
      return value
    },
    drop: (key: string): void => void known.delete(key),
  }
}

/** Counts and digests bytes, which may come in several streams one after the other. */
export class Digests {
  readonly #md5 = createHash('md5')
  readonly #sha256 = createHash('sha256')
  size = 0

  update(bytes: Uint8Array): void {
    this.size += bytes.length
    this.#md5.update(bytes)
    this.#sha256.update(bytes)
  }
  /** Once, when all bytes have come. */
  info(): ObjectInfo {
    return { size: this.size, md5: this.#md5.digest('hex'), sha256: this.#sha256.digest('hex') }
  }
  /** Passes a stream through. Refuses with `too_large` beyond `max_bytes`. */
  ofStream(max_bytes: number): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.size + chunk.length > max_bytes) return done(new Refusal('too_large', { max: `${max_bytes} B` }))
        this.update(chunk)
        done(null, chunk)
      },
    })
  }
}

const read_bytes = 1024 ** 2
/** Into one buffer again and again: a new one each time costs as much in garbage collection as the digests do. */
export async function digestsOfFile(path: string): Promise<ObjectInfo> {
  const digests = new Digests()
  const buffer = Buffer.allocUnsafe(read_bytes)
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, read_bytes)
      if (bytesRead === 0) return digests.info()
      digests.update(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/**
 * Writes a stream into a file that is on disk when it returns. A body that fails at once has to find somebody who listens,
 * so nothing is awaited before; and nothing opens the file after it was told that this failed.
 */
export async function writeDigested(path: string, body: Readable, max_bytes: number): Promise<ObjectInfo> {
  const digests = new Digests()
  const file = createWriteStream(path, { mode: 0o600, flush: true })
  try {
    await pipeline(body, digests.ofStream(max_bytes), file)
  } catch (error) {
    if (!file.closed) await once(file, 'close')
    throw error
  }
  return digests.info()
}

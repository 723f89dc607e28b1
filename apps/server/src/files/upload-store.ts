import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileStore } from '@tus/file-store'
import { Digests, rememberer } from './object-bytes.ts'
import type { ObjectInfo } from './object-store.ts'

/** So much waits in memory while a disk is slow, and is written at once. */
const write_bytes = 1024 ** 2

/**
 * The bytes of uploads until they are whole, each a file below `directory`. They are digested as they come, one request after
 * another: what came without a gap needs no second reading.
 */
export class UploadStore extends FileStore {
  readonly #digests = rememberer<Digests>()

  override async write(body: Readable, kid: string, offset: number): Promise<number> {
    const before = this.#digests.get(kid)
    this.#digests.drop(kid)
    const digests = offset === 0 ? new Digests() : before?.size === offset ? before : undefined
    const file = createWriteStream(join(this.directory, kid), {
      flags: 'r+',
      start: offset,
      highWaterMark: write_bytes,
    })
    if (digests) {
      await pipeline(body, digests.ofStream(Number.MAX_SAFE_INTEGER), file)
      this.#digests.put(kid, digests)
    } else await pipeline(body, file)
    return offset + file.bytesWritten
  }

  /** Of the `size` bytes that have come; undefined when some of them were not seen. Once. */
  digested(kid: string, size: number): ObjectInfo | undefined {
    const digests = this.#digests.get(kid)
    this.#digests.drop(kid)
    return digests?.size === size ? digests.info() : undefined
  }
}

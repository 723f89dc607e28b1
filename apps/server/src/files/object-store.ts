import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ByteSource } from '../lib/apk/source.ts'

export type ObjectInfo = { size: number; md5: string; sha256: string }

/** There are no bytes of this object: they were deleted, or lost by what keeps them. */
export class ObjectMissing extends Error {
  constructor(readonly object: string) {
    super(`no object ${object}`)
  }
}

/** Where bytes live: local files by default, S3 when a fleet outgrows one machine. Keys are ours, never a caller's. */
export type ObjectStore = {
  /** Stores a stream as a whole or not at all. Refuses with `too_large` beyond `max_bytes`. */
  put(key: string, body: Readable, max_bytes: number): Promise<ObjectInfo>
  /** Takes over a finished local file, `digested` or to be digested; it is gone from `path` afterwards. */
  adopt(key: string, path: string, digested?: ObjectInfo): Promise<ObjectInfo>
  /** Bytes from `start` to `end` inclusive. Throws `ObjectMissing` when there is no such object. */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>
  size(key: string): Promise<number | undefined>
  /** Size and digests, kept since the object was stored. */
  info(key: string): Promise<ObjectInfo | undefined>
  /** Succeeds when there is no such object, too. */
  delete(key: string): Promise<void>
  /** Whether what keeps the bytes can be reached. */
  isUp?(): Promise<boolean>
  /** Where every server reaches the same bytes: what arrives at several of them, part by part. */
  parts?: ObjectParts
}

/** The bytes of an object in parts of one length, but for the last; nobody sees it before it is sealed. */
export type ObjectParts = {
  /** Length of the parts of an object of this size. */
  sizeOf(size: number): number
  begin(key: string): Promise<string>
  /** The same part again takes the place of the first. */
  add(key: string, id: string, number: number, bytes: Buffer): Promise<string>
  /** Succeeds when they have been joined before, too. */
  join(key: string, id: string, etags: readonly string[], size: number): Promise<void>
  drop(key: string, id: string): Promise<void>
  seal(key: string, info: ObjectInfo): Promise<void>
}

/** Also says what is in it, for a backup. */
export type ListedObjects = ObjectStore & { keys(): AsyncGenerator<string> }

/** An object of which any part can be read. */
export const objectSource = (objects: ObjectStore, key: string, size: number): ByteSource => ({
  size,
  read: async (start, length) =>
    length === 0 ? Buffer.alloc(0) : buffer(await objects.read(key, { start, end: start + length - 1 })),
})

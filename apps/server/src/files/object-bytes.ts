import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../refusal.ts'
import type { ObjectInfo } from './object-store.ts'

const keyPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Keys are made by this server, so another shape is a fault of ours and must not become a path. */
export const isObjectKey = (key: string): boolean => keyPattern.test(key)

const remembered = 5_000
/** Objects never change, so what was once read of them stays true until they are deleted. */
export function rememberer() {
  const known = new Map<string, ObjectInfo>()
  return {
    get: (key: string): ObjectInfo | undefined => known.get(key),
    put(key: string, info: ObjectInfo): ObjectInfo {
      if (known.size >= remembered) known.delete(known.keys().next().value!)
      known.set(key, info)
      return info
    },
    drop: (key: string): void => void known.delete(key),
  }
}

/** Counts and digests what passes through. Refuses with `too_large` beyond `max_bytes`. */
export function digesting(max_bytes: number) {
  const md5 = createHash('md5')
  const sha256 = createHash('sha256')
  let size = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > max_bytes) return done(new Refusal('too_large', { max: `${max_bytes} B` }))
      md5.update(chunk)
      sha256.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, info: (): ObjectInfo => ({ size, md5: md5.digest('hex'), sha256: sha256.digest('hex') }) }
}

/** Writes a stream into a file that is on disk when it returns. */
export async function writeDigested(path: string, body: Readable, max_bytes: number): Promise<ObjectInfo> {
  const meter = digesting(max_bytes)
  await pipeline(body, meter.stream, createWriteStream(path, { mode: 0o600, flush: true }))
  return meter.info()
}

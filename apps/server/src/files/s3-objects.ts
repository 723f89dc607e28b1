import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { S3mini } from 's3mini'
import { SettingsError } from '../config.ts'
import { newKid } from '../lib/ids.ts'
import { digestsOfFile, emptyArriving, isObjectKey, rememberer, writeDigested } from './object-bytes.ts'
import { ObjectMissing } from './object-store.ts'
import type { ListedObjects, ObjectInfo } from './object-store.ts'
import { s3Parts } from './s3-parts.ts'
import { again, placeOf } from './s3-requests.ts'

export type S3Settings = {
  /** Of the bucket, in path style: https://s3.eu-central-1.amazonaws.com/bucket. */
  url: string
  region: string
  access_key_id: string
  secret_access_key: string
}

/** A file up to this size is one request; of a larger one so much is in memory at once, times `parts_at_once`. */
const part_bytes = 8 * 1024 ** 2
const parts_at_once = 3
/** Names that a bucket says at once. */
const page_max = 1_000
/** How long a request may wait for its answer; its bytes may then take as long as they need. */
const answer_ms = 120_000

/**
 * Objects in a bucket that speaks S3, under the key that each has on a local disk: `ab/cd/<kid>`, its digests beside it as
 * `<kid>.info`. Whoever can be seen has its digests, because they are written last. `scratch` is a local folder through
 * which what arrives passes: S3 wants to know the size of a body before its first byte, and large ones come in parts.
 */
export async function s3Objects(settings: S3Settings, scratch: string, older_ms = 0): Promise<ListedObjects> {
  await emptyArriving(scratch, older_ms)
  const { url, region, access_key_id, secret_access_key } = settings
  const s3 = new S3mini({
    endpoint: url,
    region,
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    fetch: answering,
  })
  // Objects never change: what was once read of one stays true until it is deleted.
  const known = rememberer<ObjectInfo>()

  async function send(key: string, path: string, info: ObjectInfo): Promise<ObjectInfo> {
    if (info.size <= part_bytes) {
      const bytes = await slice(path, 0, info.size)
      await again(() => s3.putObject(placeOf(key), bytes))
    } else await sendInParts(placeOf(key), path, info.size)
    await again(() => s3.putObject(`${placeOf(key)}.info`, JSON.stringify(info), 'application/json'))
    return known.put(key, info)
  }

  async function sendInParts(place: string, path: string, size: number): Promise<void> {
    const upload = await again(() => s3.getMultipartUploadId(place))
    const count = Math.ceil(size / part_bytes)
    const done: Awaited<ReturnType<typeof s3.uploadPart>>[] = []
    let next = 0
    const work = async () => {
      for (let at = next++; at < count; at = next++) {
        const bytes = await slice(path, at * part_bytes, Math.min(size, (at + 1) * part_bytes))
        done[at] = await again(() => s3.uploadPart(place, upload, bytes, at + 1))
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(parts_at_once, count) }, work))
      await again(() => s3.completeMultipartUpload(place, upload, done))
    } catch (error) {
      // Parts that are given up would be kept, and paid for, for ever.
      await s3.abortMultipartUpload(place, upload).catch(() => undefined)
      throw error
    }
  }

  const store: ListedObjects = {
    async put(key, body, max_bytes) {
      placeOf(key)
      const path = join(scratch, newKid())
      try {
        return await send(key, path, await writeDigested(path, body, max_bytes))
      } finally {
        await rm(path, { force: true })
      }
    },
    async adopt(key, path, digested) {
      placeOf(key)
      const info = await send(key, path, digested ?? (await digestsOfFile(path)))
      await rm(path, { force: true })
      return info
    },
    async read(key, range) {
      const asked = () => s3.getObjectRaw(placeOf(key), !range, range?.start, range && range.end + 1)
      const response = await again(asked).catch((error: unknown) => {
        if ((error as { status?: number }).status !== 404) throw error
        known.drop(key)
        throw new ObjectMissing(key)
      })
      if (!response.body) throw new Error(`S3 gave no body for ${key}`)
      return Readable.fromWeb(response.body as unknown as ReadableStream, { highWaterMark: 256 * 1024 })
    },
    async size(key) {
      return (await store.info(key))?.size
    },
    async info(key) {
      const found = known.get(key)
      if (found) return found
      const text = await again(() => s3.getObject(`${placeOf(key)}.info`))
      if (text === null) return undefined
      const { size, md5, sha256 } = JSON.parse(text) as ObjectInfo
      return known.put(key, { size, md5, sha256 })
    },
    async delete(key) {
      known.drop(key)
      // The digests first: what is seen no more may take its time to go.
      for (const place of [`${placeOf(key)}.info`, placeOf(key)])
        await again(async () => {
          if (!(await s3.deleteObject(place))) throw new Error(`S3 did not delete ${place}`)
        })
    },
    isUp: () => s3.bucketExists().catch(() => false),
    parts: s3Parts(s3, known.put),
    async *keys() {
      for (let token: string | undefined; ;) {
        const page = await again(() => s3.listObjectsPaged('/', '', page_max, token))
        for (const { Key: place } of page?.objects ?? []) {
          const key = place.split('/').at(-1) ?? ''
          if (isObjectKey(key) && placeOf(key) === place) yield key
        }
        token = page?.nextContinuationToken
        if (token === undefined) return
      }
    },
  }
  // A wrong key or bucket is said at the start, not by the first upload.
  const is_there = await again(() => s3.bucketExists()).catch((error: Error) => {
    const { message } = error.cause instanceof Error ? error.cause : error
    throw new SettingsError([`MDM_S3_URL: ${url} cannot be reached (${message}).`])
  })
  if (!is_there) throw new SettingsError([`MDM_S3_URL: there is no bucket at ${url}, or its key does not fit.`])
  return store
}

async function slice(path: string, start: number, end: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(end - start)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    if (bytesRead !== bytes.length)
      throw new Error(`${path} ends at ${start + bytesRead} of ${(await stat(path)).size}`)
    return bytes
  } finally {
    await file.close()
  }
}

/** fetch that gives up when no answer comes; a timeout of the whole would cut downloads that go on. */
const answering: typeof fetch = async (input, init) => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('S3 does not answer')), answer_ms)
  try {
    return await fetch(input, { ...init, signal: late.signal })
  } finally {
    clearTimeout(timer)
  }
}

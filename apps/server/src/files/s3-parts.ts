import type { S3mini } from 's3mini'
import type { ObjectInfo, ObjectParts } from './object-store.ts'
import { again, placeOf } from './s3-requests.ts'

/** S3 takes 10,000 parts, each of 5 MiB at least but for the last. So much of an upload is in memory at once. */
const smallest_bytes = 5 * 1024 ** 2
const parts_max = 10_000

/** Objects whose bytes come part by part, from whichever servers they reach. */
export function s3Parts(s3: S3mini, noted: (key: string, info: ObjectInfo) => void): ObjectParts {
  const lengthOf = async (key: string): Promise<number | undefined> =>
    (await again(() => s3.objectExists(placeOf(key)))) === true
      ? again(() => s3.getContentLength(placeOf(key)))
      : undefined
  return {
    sizeOf: (size) => Math.max(smallest_bytes, Math.ceil(size / parts_max)),
    begin: (key) => again(() => s3.getMultipartUploadId(placeOf(key))),
    add: async (key, id, number, bytes) => (await again(() => s3.uploadPart(placeOf(key), id, bytes, number))).etag,
    async join(key, id, etags, size) {
      const parts = etags.map((etag, at) => ({ etag, partNumber: at + 1 }))
      const refused = await again(() => s3.completeMultipartUpload(placeOf(key), id, parts)).then(
        () => undefined,
        (error: unknown) => error,
      )
      // Refused when another server has joined them, or this one before its reply was lost; and 200 may be the beginning of a refusal.
      const there = await lengthOf(key)
      if (there !== size) throw refused ?? new Error(`S3 joined ${there} of ${size} bytes of ${key}`)
    },
    drop: async (key, id) => void (await s3.abortMultipartUpload(placeOf(key), id).catch(() => undefined)),
    async seal(key, info) {
      await again(() => s3.putObject(`${placeOf(key)}.info`, JSON.stringify(info), 'application/json'))
      noted(key, info)
    },
  }
}

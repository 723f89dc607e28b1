import { join } from 'node:path'
import type { Config } from '../config.ts'
import { localObjects } from './local-objects.ts'
import type { ObjectStore } from './object-store.ts'

/** The store that is set up: a bucket that speaks S3, or a folder of this machine. */
export async function openObjects({ s3, data }: Pick<Config, 's3' | 'data'>): Promise<ObjectStore> {
  const folder = join(data, 'objects')
  if (!s3) return localObjects(folder)
  // Only who has a bucket waits for its client.
  const { s3Objects } = await import('./s3-objects.ts')
  return s3Objects(s3, join(folder, 'arriving'))
}

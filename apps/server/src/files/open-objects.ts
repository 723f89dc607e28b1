import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { localObjects } from './local-objects.ts'
import type { ListedObjects } from './object-store.ts'

/** Another server of the same PostgreSQL may have the same folder: what is so old is none of its. */
const others_ms = 2 * 60 * 60_000

/**
 * The store that is set up: a bucket that speaks S3, or a folder of this machine. Another program than the server has a folder of its
 * own, `arriving`, for what arrives: its first act is to empty it.
 */
export async function openObjects(
  { s3, data, database_url }: Pick<Config, 's3' | 'data' | 'database_url'>,
  arriving = 'arriving',
): Promise<ListedObjects> {
  const folder = join(data, 'objects')
  const older_ms = database_url === undefined ? 0 : others_ms
  if (!s3) return localObjects(folder, resolve(folder, arriving), older_ms)
  // Only who has a bucket waits for its client.
  const { s3Objects } = await import('./s3-objects.ts')
  return s3Objects(s3, resolve(folder, arriving), older_ms)
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { S3Settings } from '../files/s3-objects.ts'

/** A bucket on this machine. */
export async function startS3(): Promise<{ settings: S3Settings; close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'mdm-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'mdm' }],
  })
  const { port } = await server.run()
  return {
    settings: {
      url: `http://127.0.0.1:${port}/mdm`,
      access_key_id: 'S3RVER',
      secret_access_key: 'S3RVER',
      region: 'us-east-1',
    },
    async close() {
      await server.close()
      await rm(directory, { recursive: true })
    },
  }
}

import { startS3 } from '@mdm/server/testing/s3.ts'
import { migratedPostgres } from '@mdm/server/testing/shared-postgres.ts'
import { killableServer } from './killable.ts'
import type { Killable } from './killable.ts'
import { roundRobin } from './round-robin.ts'

export type TwoServers = {
  a: Killable
  b: Killable
  proxy: Awaited<ReturnType<typeof roundRobin>>
  database_url: string
}

/** Two servers with folders of their own, one database, one bucket, and the address that leads to both in turn. */
export async function withTwo(
  settings: Record<string, string>,
  run: (servers: TwoServers) => Promise<void>,
): Promise<void> {
  const s3 = await startS3()
  const proxy = await roundRobin()
  try {
    const database_url = await migratedPostgres()
    const of_both = {
      database_url,
      public_url: proxy.url,
      settings: {
        MDM_DATA_SHARED: 'false',
        MDM_SECRET_KEY: '5'.repeat(64),
        MDM_S3_URL: s3.settings.url,
        MDM_S3_ACCESS_KEY_ID: s3.settings.access_key_id,
        MDM_S3_SECRET_ACCESS_KEY: s3.settings.secret_access_key,
        ...settings,
      },
    }
    await using a = await killableServer(of_both)
    await using b = await killableServer(of_both)
    proxy.lead([a, b])
    await run({ a, b, proxy, database_url })
  } finally {
    await proxy.close()
    await s3.close()
  }
}

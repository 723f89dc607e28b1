import { createHash } from 'node:crypto'
import { postgres_missing } from '@mdm/server/testing/postgres.ts'
import { startS3 } from '@mdm/server/testing/s3.ts'
import { migratedPostgres } from '@mdm/server/testing/shared-postgres.ts'
import { cutUpload } from '@mdm/server/testing/cut-upload.ts'
import { describe, expect, test } from 'vitest'
import { caller, Refused } from '../caller.ts'
import { until } from '../until.ts'
import { killableServer } from './killable.ts'
import type { Killable } from './killable.ts'
import { roundRobin } from './round-robin.ts'

const mib = 1024 ** 2
const title = `two servers with one bucket${postgres_missing ? ' (skipped: PostgreSQL is not installed)' : ''}`

/** Two servers with folders of their own, one database, one bucket, and the address that leads to both in turn. */
async function withTwo(
  settings: Record<string, string>,
  run: (w: { a: Killable; b: Killable; proxy: Awaited<ReturnType<typeof roundRobin>> }) => Promise<void>,
): Promise<void> {
  const s3 = await startS3()
  const proxy = await roundRobin()
  try {
    const of_both = {
      database_url: await migratedPostgres(),
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
    await run({ a, b, proxy })
  } finally {
    await proxy.close()
    await s3.close()
  }
}

describe.runIf(!postgres_missing)(title, () => {
  test(
    'an upload whose pieces reach both in turn, one of which is killed three times, ends whole and both have it',
    () =>
      withTwo({}, async ({ a, b, proxy }) => {
        const bearer = { authorization: `Bearer ${a.customer.identity.token}` }
        // A call that hangs on the server that is killed ends with it; whoever uploads asks again.
        const call = async (path: string, init: RequestInit = {}) => {
          for (let tries = 0; ; tries += 1)
            try {
              const response = await fetch(proxy.url + path, init)
              const text = await response.text()
              const is_json = response.headers.get('content-type')?.startsWith('application/json')
              return {
                status: response.status,
                headers: response.headers,
                text,
                body: is_json ? JSON.parse(text) : undefined,
              }
            } catch (error) {
              if (tries === 5) throw error
            }
        }
        let kills = 0
        const run = async () => {
          kills += 1
          await b.killAndRestart()
        }
        const size = 32 * mib + 1
        const { upload_kid, sha256 } = await cutUpload(
          { call, url: proxy.url },
          { bearer },
          { size, cuts: 15, kill: { every: 5, run } },
        )
        expect(kills).toBe(3)
        const file = await caller(`http://127.0.0.1:${b.port}`, a.customer.identity).fileCloud.insert({
          upload_kid,
          name: 'map.bin',
        })
        expect(file).toMatchObject({ size, sha256 })
        for (const { port } of [a, b]) {
          const hash = createHash('sha256')
          for await (const bytes of (await fetch(`http://127.0.0.1:${port}${file.url}`)).body!) hash.update(bytes)
          expect(hash.digest('hex')).toBe(sha256)
        }
      }),
    4 * 60_000,
  )

  test(
    'each is ended and started again under load: no call fails that was not cut off and asked once more',
    () =>
      withTwo({ MDM_DRAIN_SECONDS: '2' }, async ({ a, b, proxy }) => {
        const customer = caller(proxy.url, a.customer.identity)
        const both = [a, b]
        const over = new AbortController()
        const done = { read: 0, written: 0, again: 0 }
        const failures: unknown[] = []
        const seen_draining = new Set<number>()
        /** As a proxy that looks at the readiness of its servers. */
        const look = async () => {
          while (!over.signal.aborted) {
            const ready = await Promise.all(
              both.map(async ({ port }) => {
                const reply = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
                const data = reply && ((await reply.json()) as { data: Record<string, string> }).data
                if (data?.['serving'] === 'down') seen_draining.add(port)
                return reply?.ok === true
              }),
            )
            const leading = both.filter((_, at) => ready[at])
            if (leading.length > 0) proxy.lead(leading)
            await new Promise((resolve) => setTimeout(resolve, 100))
          }
        }
        const load = async (turn: number) => {
          for (let at = 0; !over.signal.aborted; at += 1) {
            const one = async () => {
              if (at % 5 > 0) {
                await customer.terminal.paging({})
                done.read += 1
                return
              }
              await customer.terminalGroup.insert({ name: `Rolling ${turn} ${at}`, parent_kid: 'ROOT' })
              done.written += 1
            }
            await one().catch(async (error: unknown) => {
              if (error instanceof Refused) return void failures.push(error)
              done.again += 1
              await one().catch((again: unknown) => failures.push(again))
            })
          }
        }
        const work = [look(), load(1), load(2), load(3), load(4)]
        try {
          await until('some calls', () => done.read > 20)
          for (const one of both) {
            expect(await one.endAndRestart()).toBe(0)
            await until('both to be ready', async () =>
              (await Promise.all(both.map(({ port }) => fetch(`http://127.0.0.1:${port}/health/ready`)))).every(
                ({ ok }) => ok,
              ),
            )
          }
        } finally {
          over.abort()
          await Promise.all(work)
        }
        expect(failures).toEqual([])
        expect(seen_draining).toEqual(new Set([a.port, b.port]))
        expect(done.written).toBeGreaterThan(10)
        // What a draining server is asked it answers: only what hung on a connection that closed in this moment comes again.
        expect(done.again).toBeLessThan(10)
      }),
    4 * 60_000,
  )
})

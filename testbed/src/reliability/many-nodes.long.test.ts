import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { postgres_missing } from '@mdm/server/testing/postgres.ts'
import { cutUpload } from '@mdm/server/testing/cut-upload.ts'
import { describe, expect, test } from 'vitest'
import { caller, Refused } from '../caller.ts'
import type { Caller } from '../caller.ts'
import { until } from '../until.ts'
import { has_nginx, nginxSite, startNginx } from '../nginx.ts'
import type { Killable } from './killable.ts'
import { withTwo } from './one-bucket.ts'

const mib = 1024 ** 2
const title = `two servers with one bucket${postgres_missing ? ' (skipped: PostgreSQL is not installed)' : ''}`

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
        const both = [a, b]
        const over = new AbortController()
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
        const looking = look()
        try {
          const { failures, written, again } = await underLoad(caller(proxy.url, a.customer.identity), () =>
            restartEach(both),
          )
          expect(failures).toEqual([])
          expect(written).toBeGreaterThan(10)
          // What a draining server is asked it answers: only what hung on a connection that closed in this moment comes again.
          expect(again).toBeLessThan(10)
        } finally {
          over.abort()
          await looking
        }
        expect(seen_draining).toEqual(new Set([a.port, b.port]))
      }),
    4 * 60_000,
  )

  test.runIf(has_nginx)(
    'nginx with the upstream of docs/operate/nodes.md: restarts are not noticed, and after a kill it asks the other',
    () =>
      withTwo({ MDM_DRAIN_SECONDS: '2', MDM_TRUST_PROXY: '127.0.0.1' }, async ({ a, b }) => {
        const port = await freePort()
        const url = `http://127.0.0.1:${port}`
        await using _nginx = await startNginx(await siteOf([a, b], port), async () => {
          expect((await fetch(`${url}/health/live`)).status).toBe(200)
        })
        const customer = caller(url, a.customer.identity)
        const restarts = await underLoad(customer, () => restartEach([a, b]))
        expect(restarts.failures).toEqual([])
        expect(restarts.again).toBeLessThan(10)
        expect(restarts.written).toBeGreaterThan(10)

        const kill = await underLoad(customer, async (done) => {
          await b.kill()
          const before = done.written
          await until('calls that the other answers', () => done.written > before + 10)
        })
        // Only what hung on the killed one, four at most at a time: it came again, and the other answered.
        expect(kill.failures).toEqual([])
        expect(kill.again).toBeLessThan(10)
      }),
    4 * 60_000,
  )
})

type Done = { read: number; written: number; again: number; failures: unknown[] }
/** Four people who read and write while `work` is done, and ask once more what was cut off. */
async function underLoad(customer: Caller, work: (done: Done) => Promise<void>): Promise<Done> {
  const over = new AbortController()
  const done: Done = { read: 0, written: 0, again: 0, failures: [] }
  const load = async () => {
    for (let at = 0; !over.signal.aborted; at += 1) {
      const one = async () => {
        if (at % 5 > 0) {
          await customer.terminal.paging({})
          done.read += 1
          return
        }
        await customer.terminalGroup.insert({ name: `Rolling ${randomUUID()}`, parent_kid: 'ROOT' })
        done.written += 1
      }
      await one().catch(async (error: unknown) => {
        // A proxy says so when the connection to a server is cut.
        if (error instanceof Refused && error.status !== 502) return void done.failures.push(error)
        done.again += 1
        await one().catch((again: unknown) => done.failures.push(again))
      })
    }
  }
  const people = [load(), load(), load(), load()]
  try {
    await until('some calls', () => done.read > 20)
    await work(done)
  } finally {
    over.abort()
    await Promise.all(people)
  }
  return done
}

async function restartEach(both: readonly Killable[]): Promise<void> {
  for (const one of both) {
    expect(await one.endAndRestart()).toBe(0)
    await until('both to be ready', async () =>
      (await Promise.all(both.map(({ port }) => fetch(`http://127.0.0.1:${port}/health/ready`)))).every(({ ok }) => ok),
    )
  }
}

/** The site that is handed out, with the upstream of the page about many servers; without TLS, which stands in no doubt here. */
async function siteOf(servers: readonly Killable[], port: number): Promise<string> {
  const page = await readFile(new URL('../../../docs/operate/nodes.md', import.meta.url), 'utf8')
  const upstream = /^upstream mdm \{[^}]*\}/m.exec(page)![0]
  let at = 0
  const led = upstream.replaceAll(/10\.0\.0\.\d:8081/g, () => `127.0.0.1:${servers[at++]!.port}`)
  expect(at).toBe(servers.length)
  const site = (await nginxSite())
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replace(/server \{\n\s*listen 80;[^}]*\}/, '')
    .replace('http://127.0.0.1:8081', 'http://mdm')
  return `${led}\n${site}`
}

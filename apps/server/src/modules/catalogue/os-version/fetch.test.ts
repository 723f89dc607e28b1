import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchFile } from './fetch.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-fetch-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Fetches what a server of its own answers, and wants 100 bytes in so many ms. */
async function fetchOf(name: string, per_ms: number, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await fetchFile({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      path: join(folder, name),
      etag: null,
      max_bytes: 10_000,
      allowed: ['127.0.0.1'],
      signal: new AbortController().signal,
      on_progress: () => {},
      pace: { bytes: 100, per_ms },
    })
    return await readFile(join(folder, name), 'utf8')
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
/** So many bytes a piece, one piece every 20 ms, so many times. */
const pieces = (bytes: number, times: number) => (response: ServerResponse) => {
  response.writeHead(200)
  const timer = setInterval(() => {
    response.write('x'.repeat(bytes))
    if ((times -= 1) <= 0) {
      clearInterval(timer)
      response.end()
    }
  }, 20)
  response.on('close', () => clearInterval(timer))
}

it('a server that drips is given up, for good', async () => {
  await expect(fetchOf('drip', 200, pieces(1, 10_000))).rejects.toMatchObject({ reason: 'too_slow', is_final: true })
})

it('a server that is slow and goes on is waited for', async () => {
  // Over more than one time of those that it is looked at, and far above the least: a busy machine is no drip.
  expect(await fetchOf('slow', 1_500, pieces(50, 100))).toHaveLength(5_000)
})

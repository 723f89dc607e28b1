import { createHash, randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from '@mdm/agent/agent.ts'
import { linuxBody } from '@mdm/agent/body/linux.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { cutUpload } from '@mdm/server/testing/cut-upload.ts'
import { expect, test } from 'vitest'
import { cuttingProxy } from '@mdm/server/testing/cutting-proxy.ts'
import { registerByCode } from '../enrol.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import { killableServer } from './killable.ts'

const mib = 1024 ** 2
const minutes = 60_000
const cuts = 50

test(
  'R12: an upload that is cut 50 times, five of them by a server that is killed, ends whole',
  async () => {
    await using server = await killableServer()
    const bearer = { authorization: `Bearer ${server.customer.identity.token}` }
    const call = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(server.url + path, init)
      const text = await response.text()
      const is_json = response.headers.get('content-type')?.startsWith('application/json')
      return { status: response.status, headers: response.headers, text, body: is_json ? JSON.parse(text) : undefined }
    }
    let kills = 0
    const run = async () => {
      kills += 1
      await server.killAndRestart()
    }
    const { upload_kid, sha256 } = await cutUpload(
      { call, url: server.url },
      { bearer },
      {
        size: 64 * mib + 1,
        cuts,
        kill: { every: 10, run },
      },
    )
    expect(kills).toBe(cuts / 10)
    const file = await server.customer.fileCloud.insert({ upload_kid, name: 'map.bin' })
    expect(file).toMatchObject({ size: 64 * mib + 1, sha256 })
    const back = await fetch(server.url + file.url!)
    const hash = createHash('sha256')
    for await (const bytes of back.body!) hash.update(bytes)
    expect(hash.digest('hex')).toBe(sha256)
  },
  5 * minutes,
)

test(
  'R12: a download that is cut 50 times, with the server killed three times meanwhile, ends whole',
  async () => {
    await using server = await killableServer()
    const proxy = await cuttingProxy(server.url)
    const folder = await mkdtemp(join(tmpdir(), 'mdm-r12-'))
    const body = linuxBody({ data: join(folder, 'data'), files: join(folder, 'files'), sn: 'R12-DEVICE' })
    const reconnect = { base_ms: 20, cap_ms: 500 }
    const agent = startAgent({ server: proxy.url, body, store: memoryStore(), reconnect })
    const kid = await registerByCode(server.customer, agent)
    const bytes = randomBytes(64 * mib + 1)
    const upload_kid = await uploadFile(server.customer, 'map.bin', bytes)
    const file = await server.customer.fileCloud.insert({ upload_kid, name: 'map.bin' })
    // Nothing else that comes down is as long.
    const kills: Promise<void>[] = []
    const kill = () => void kills.push(server.killAndRestart())
    for (let n = 1; n <= cuts; n += 1)
      proxy.cut('down', randomInt(100_000, mib), [10, 25, 40].includes(n) ? kill : undefined)
    const push = await server.customer.pushTask.insert({
      type: 'file',
      payload: { file_kids: [file.kid], path: '/sdcard' },
      terminal_kids: [kid],
    })
    await until('the cuts', () => proxy.cut_count() === cuts, 300)
    await Promise.all(kills)
    expect(kills).toHaveLength(3)
    const result = await until(
      'the push to end',
      async () => (await server.customer.pushTask.get({ kid: push.kid })).result ?? undefined,
      300,
    )
    expect(result).toBe('all_succeeded')
    expect((await readFile(join(folder, 'files/sdcard/map.bin'))).equals(bytes)).toBe(true)
    await agent.stop()
    await proxy.close()
    await rm(folder, { recursive: true })
  },
  5 * minutes,
)

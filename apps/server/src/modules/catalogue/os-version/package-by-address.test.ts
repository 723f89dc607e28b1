import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@mdm/contract'
import type { OsVersionDetail } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { localObjects } from '../../../files/local-objects.ts'
import { newKid } from '../../../lib/ids.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addUid } from '../../../testing/os-versions.ts'
import { zipOf } from '../../../testing/zip.ts'
import { osPackages } from './package-work.ts'
import { wake } from '../../../lib/background.ts'

const { calls } = contract.opsOsVersion
const code = 'NM11602S1E0ENGEN0001'

let o: TestApi
let folder: string
let version_code = 0
let uid_kid: string
beforeAll(async () => {
  o = await testApi()
  folder = await mkdtemp(join(tmpdir(), 'os-package-'))
  o.deps.objects = await localObjects(folder)
  o.deps.config.data = folder
  uid_kid = await addUid(o.deps, code)
})
afterAll(async () => {
  await o.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => expect(o.internal_errors).toEqual([]))

async function made(): Promise<string> {
  version_code += 1
  const draft = { uid_kid, os_version: `9.00.${version_code}`, version_code, ver: version_code }
  return (await o.call(calls.insert, draft, o.operator)).data.kid
}
const get = async (kid: string): Promise<OsVersionDetail> => (await o.call(calls.get, { kid }, o.operator)).data
const settled = (kid: string) =>
  vi.waitFor(
    async () => {
      const { packages } = await get(kid)
      expect(packages.map(({ state }) => state)).toEqual(['failed'])
      return packages
    },
    { interval: 50 },
  )

describe('a package by its address', () => {
  let files: Server
  let url: string
  const bytes: { full: Buffer } = { full: Buffer.alloc(0) }
  const ranges: (string | undefined)[] = []
  let cuts: number[] = []
  /** Something has come and is on the disk: what is on its way there goes with its connection. */
  const isKept = async () => {
    const kept = join(folder, 'os-packages')
    const sizes = (await readdir(kept)).map(async (name) => (await stat(join(kept, name))).size)
    expect(Math.max(...(await Promise.all(sizes)))).toBeGreaterThan(0)
  }
  beforeAll(async () => {
    bytes.full = await zipOf([['DOWNLOAD/system.img', randomBytes(300_000)]])
    files = createServer((request, response) => {
      const { range } = request.headers
      ranges.push(range)
      if (request.url === '/nowhere') return void response.writeHead(302, { location: 'http://' }).end()
      if (request.url === '/inside') return void response.writeHead(302, { location: 'http://10.0.0.1/a.zip' }).end()
      const from = Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
      if (from >= bytes.full.length) return void response.writeHead(416).end()
      const body = bytes.full.subarray(from)
      response.writeHead(from ? 206 : 200, {
        etag: '"one"',
        'content-length': body.length,
        ...(from && { 'content-range': `bytes ${from}-${bytes.full.length - 1}/${bytes.full.length}` }),
      })
      const cut = cuts.shift()
      if (cut === undefined) return void response.end(body)
      response.write(body.subarray(0, cut), () => void vi.waitFor(isKept).then(() => response.destroy()))
    })
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((resolve) => files.close(resolve)))
  beforeEach(() => (o.deps.config.webhook_allow = ['127.0.0.1']))
  afterEach(() => (o.deps.config.webhook_allow = []))
  const byUrl = (kid: string, address: string) =>
    o.call(calls.insert_package, { os_version_kid: kid, url: address, file_name: `${code}.zip` }, o.operator)

  it('is fetched by the server, from where it was cut off', async () => {
    const kid = await made()
    ranges.length = 0
    cuts = [100_000]
    expect((await byUrl(kid, `${url}/a`)).result).toBe(1)
    await vi.waitFor(() => expect(ranges.length).toBe(1))
    await vi.waitFor(
      async () => {
        await o.deps.clock.advance(5_000)
        expect(await get(kid)).toMatchObject({ packages: [{ state: 'ready', size: bytes.full.length }] })
      },
      { interval: 100 },
    )
    expect(ranges).toHaveLength(2)
    expect(Number(/\d+/.exec(ranges[1]!)![0])).toBeGreaterThan(0)
  })

  it('that a server left when all of it had arrived is fetched once more, and not asked for what is behind its end', async () => {
    const kid = await made()
    ranges.length = 0
    const row = { kid: newKid(), os_version_kid: kid, url: `${url}/a`, file_name: `${code}.zip`, etag: '"one"' }
    const by = { created_by_kid: o.operator.kid, created_by: 'x', created_at: o.deps.clock.now() }
    await mkdir(join(folder, 'os-packages'), { recursive: true })
    await writeFile(join(folder, 'os-packages', row.kid), bytes.full)
    await o.deps.db
      .insertInto('os_package')
      .values({ ...row, ...by, state: 'fetching', from_build: null })
      .execute()
    wake(o.deps, osPackages)
    await vi.waitFor(
      async () => {
        await o.deps.clock.advance(5_000)
        expect(await get(kid)).toMatchObject({ packages: [{ state: 'ready', size: bytes.full.length }] })
      },
      { interval: 100 },
    )
    expect(ranges).toEqual([`bytes=${bytes.full.length}-`, undefined])
  })

  it('that leads nowhere fails with the reason', async () => {
    const kid = await made()
    await byUrl(kid, `${url}/nowhere`)
    const [found] = await settled(kid)
    expect(found!.fault).toBe('The file could not be fetched: it leads to an address that is none')
    const inChinese = { token: o.operator.token, lang: 'zh-cn' }
    expect((await o.call(calls.get, { kid }, inChinese)).data.packages[0]!.fault).toBe(
      '无法获取文件：重定向到无效的网址',
    )
  })

  it('is not fetched from the server’s own network, also not by a redirect', async () => {
    const kid = await made()
    const refused = await byUrl(kid, 'http://10.1.2.3/a.zip')
    expect([refused.result, refused.message]).toEqual([44055, expect.stringContaining('not on the public internet')])
    expect((await byUrl(kid, `${url}/inside`)).result).toBe(1)
    const [found] = await settled(kid)
    expect(found).toMatchObject({ state: 'failed', fault: expect.stringContaining('public internet') as string })
  })
})

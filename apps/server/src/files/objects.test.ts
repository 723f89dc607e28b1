import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { testHttpServer } from '../testing/http-server.ts'
import { localObjects } from './local-objects.ts'
import { checkObjects } from './object-checks.ts'
import { ObjectMissing } from './object-store.ts'
import type { ObjectStore } from './object-store.ts'
import { s3Objects } from './s3-objects.ts'

let folder: string
let server: S3rver
let url: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mdm-objects-'))
  await mkdir(join(folder, 'buckets'))
  server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(folder, 'buckets'),
    configureBuckets: [{ name: 'mdm' }],
  })
  url = `http://127.0.0.1:${(await server.run()).port}/mdm`
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const key = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER', region: 'us-east-1' }
const stores: Record<string, () => Promise<ObjectStore>> = {
  'a local disk': () => localObjects(join(folder, 'local')),
  S3: () => s3Objects({ url, ...key }, join(folder, 'scratch')),
}
const digestsOf = (bytes: Buffer) => ({
  size: bytes.length,
  md5: createHash('md5').update(bytes).digest('hex'),
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

describe.each(Object.keys(stores))('objects on %s', (kind) => {
  let objects: ObjectStore
  beforeAll(async () => void (objects = await stores[kind]!()))
  const readBack = async (store: ObjectStore, object: string, range?: { start: number; end: number }) =>
    buffer(await store.read(object, range))

  it.each([0, 1, 300_000, 20_000_001])(
    'keeps %d bytes with their digests, and gives any part of them',
    async (size) => {
      const bytes = randomBytes(size)
      const object = newKid()
      expect(await objects.put(object, Readable.from([bytes]), size)).toEqual(digestsOf(bytes))
      // Another server node has not seen it yet.
      const other = await stores[kind]!()
      expect(await other.info(object)).toEqual(digestsOf(bytes))
      expect(await other.size(object)).toBe(size)
      expect((await readBack(other, object)).equals(bytes)).toBe(true)
      if (size < 10) return
      expect((await readBack(other, object, { start: 7, end: 9 })).equals(bytes.subarray(7, 10))).toBe(true)
      const tail = { start: size - 5, end: size - 1 }
      expect((await readBack(other, object, tail)).equals(bytes.subarray(-5))).toBe(true)
      await other.delete(object)
      const fresh = await stores[kind]!()
      expect(await fresh.info(object)).toBeUndefined()
      await expect(readBack(fresh, object)).rejects.toBeInstanceOf(ObjectMissing)
    },
  )

  it('takes over a file of this machine', async () => {
    const bytes = randomBytes(9_000_000)
    const path = join(folder, `adopted-${newKid()}`)
    await writeFile(path, bytes)
    const object = newKid()
    expect(await objects.adopt(object, path)).toEqual(digestsOf(bytes))
    expect(existsSync(path)).toBe(false)
    expect((await readBack(objects, object)).equals(bytes)).toBe(true)
  })

  it('refuses what is too large whole, and leaves nothing of it', async () => {
    const object = newKid()
    const body = Readable.from([Buffer.alloc(600), Buffer.alloc(600)])
    await expect(objects.put(object, body, 1000)).rejects.toMatchObject({ refusal: 'too_large' })
    expect(await objects.info(object)).toBeUndefined()
    const scratch = kind === 'S3' ? join(folder, 'scratch') : join(folder, 'local/arriving')
    expect(await readdir(scratch)).toEqual([])
  })

  it('deletes what is not there, and takes no key that could be a path', async () => {
    await objects.delete(newKid())
    expect(await objects.size(newKid())).toBeUndefined()
    await expect(objects.info('../../etc/passwd')).rejects.toThrow('not a key')
  })
})

describe('S3', () => {
  it('says at the start that the bucket is not there', async () => {
    const settings = { url: url.replace(/mdm$/, 'another'), ...key }
    await expect(s3Objects(settings, join(folder, 'scratch'))).rejects.toThrow(/bucket/i)
  })

  it('is what uploads are kept in, downloads come from, with Range, and the weekly check reads', async () => {
    const w = await testHttpServer()
    Object.assign(w.deps.objects, await stores['S3']!())
    const by = await w.person(['fileCloudList', 'fileCloudAdd', 'fileCloudList:delete'])
    const bytes = randomBytes(12_000_000)
    const tus = { 'tus-resumable': '1.0.0', ...by.bearer }
    const created = await w.call('/upload', {
      method: 'POST',
      headers: { ...tus, 'upload-length': String(bytes.length) },
    })
    const location = created.headers.get('location')!
    const patched = await fetch(w.url + location, {
      method: 'PATCH',
      headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: bytes,
    })
    expect(patched.status).toBe(204)
    const call = (path: string, input: object) =>
      w.call(path, { method: 'POST', headers: by.bearer, body: JSON.stringify(input) })
    const upload_kid = location.split('/').at(-1)
    const { body } = await call('/api/file_cloud/insert', { upload_kid, name: 'map.bin' })
    const file = (body as { data: { kid: string; url: string; sha256: string } }).data
    expect(file.sha256).toBe(digestsOf(bytes).sha256)
    const part = await fetch(w.url + file.url, { headers: { range: 'bytes=9000000-9000009' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(9_000_000, 9_000_010))).toBe(true)
    const { object } = await w.deps.db.selectFrom('file_cloud').select('object').executeTakeFirstOrThrow()
    const isBroken = async () => {
      await w.deps.clock.jump(8 * 86_400_000)
      await checkObjects(w.deps)
      // The session of before has ended meanwhile.
      const { bearer } = await w.person(['fileCloudList', 'fileCloudList:delete'], { account_kid: by.account_kid })
      by.bearer = bearer
      const { data } = (await call('/api/file_cloud/paging', {})).body as { data: { items: { is_broken: boolean }[] } }
      return data.items.map(({ is_broken }) => is_broken)
    }
    expect(await isBroken()).toEqual([false])
    // Somebody else has written into the bucket.
    await w.deps.objects.put(object!, Readable.from([randomBytes(12_000_000)]), 12_000_000)
    expect(await isBroken()).toEqual([true])
    await w.deps.objects.delete(object!)
    expect(await isBroken()).toEqual([true])
    expect((await call('/api/file_cloud/delete', { kid: file.kid })).body).toMatchObject({ result: 1 })
    const again = w.deps.signFile(object!, { name: 'map.bin', content_type: '' })
    expect((await fetch(w.url + again)).status).toBe(404)
    expect(w.internal_errors).toEqual([])
    await w.close()
  })
})

import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { createAccount } from '../modules/people/account/index.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { otherServer } from '../testing/other-server.ts'
import { startS3 } from '../testing/s3.ts'
import { dropBytes } from './upload-upkeep.ts'
import { PartUploads } from './part-uploads.ts'
import { s3Objects } from './s3-objects.ts'
import { uploadBytes } from './upload-bytes.ts'
import { beginUpload } from './upload-space.ts'
import { finishUpload } from './uploads.ts'

const mib = 1024 ** 2
let s3: Awaited<ReturnType<typeof startS3>>
let base: TestDeps
const account_kid = newKid()
let folder: string
let a: Deps
let b: Deps
beforeAll(async () => {
  s3 = await startS3()
  folder = await mkdtemp(join(tmpdir(), 'mdm-parts-'))
  base = await testDeps()
  await createAccount(base.db, { kid: account_kid, type: 1, name: 'Parts' })
  const serverWith = async (deps: Deps, name: string): Promise<Deps> => ({
    ...deps,
    objects: await s3Objects(s3.settings, join(folder, name)),
  })
  a = await serverWith(base, 'a')
  b = await serverWith(await otherServer(base), 'b')
})
afterAll(async () => {
  await base.close()
  await s3.close()
  await rm(folder, { recursive: true })
})

const begin = async (size: number): Promise<string> =>
  (await beginUpload(a, { account_kid, user_kid: newKid(), name: 'a.bin', size, area: 'file_disk', fingerprint: '' }))
    .kid
const offsetOf = async (deps: Deps, kid: string) => (await uploadBytes(deps).getUpload(kid)).offset
const rowOf = (kid: string) => a.db.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
const pieces = (kid: string) => a.db.selectFrom('upload_piece').select('start').where('upload_kid', '=', kid).execute()
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test.each([0, 1, 5 * mib, 5 * mib + 1, 17 * mib + 3])(
  'an upload of %d bytes whose pieces reach two servers in turn ends whole',
  async (size) => {
    const bytes = randomBytes(size)
    const kid = await begin(size)
    const servers = [a, b]
    for (let turn = 0, at = 0; at < size; turn += 1) {
      const deps = servers[turn % 2]!
      expect(await offsetOf(deps, kid)).toBe(at)
      const piece = bytes.subarray(at, at + 3 * mib + 7)
      at = await uploadBytes(deps).write(Readable.from([piece]), kid, at)
    }
    const row = await finishUpload(b, kid)
    expect(row).toMatchObject({ size, received: size, sha256: sha256(bytes), object: kid })
    expect((await buffer(await a.objects.read(kid))).equals(bytes)).toBe(true)
    expect(await a.objects.info(kid)).toMatchObject({ size, sha256: sha256(bytes) })
    expect(await pieces(kid)).toEqual([])
    // A server that did not hear of it does it once more.
    await a.db.updateTable('upload').set({ finished_at: null, object: null }).where('kid', '=', kid).execute()
    expect(await finishUpload(a, kid)).toMatchObject({ sha256: sha256(bytes) })
    expect(await readdir(join(folder, 'a'))).toEqual([])
  },
)

test('what came before a connection broke off need not come again, at whichever server', async () => {
  const bytes = randomBytes(7 * mib)
  const kid = await begin(bytes.length)
  const breaking = async function* () {
    yield bytes.subarray(0, 6 * mib)
    throw new Error('cut')
  }
  await expect(uploadBytes(a).write(Readable.from(breaking()), kid, 0)).rejects.toThrow('cut')
  expect(await offsetOf(b, kid)).toBe(6 * mib)
  await uploadBytes(b).write(Readable.from([bytes.subarray(6 * mib)]), kid, 6 * mib)
  expect(await finishUpload(b, kid)).toMatchObject({ sha256: sha256(bytes) })
})

test('a request that another server took for dead adds nothing any more, whole parts and rests alike', async () => {
  for (const late of [2 * mib, 5 * mib]) {
    const bytes = randomBytes(5 * mib)
    const kid = await begin(bytes.length)
    const slow = new PassThrough()
    const first = uploadBytes(a)
      .write(slow, kid, 0)
      .catch((error: Error) => error)
    slow.write(randomBytes(mib))
    await expect.poll(async () => (await rowOf(kid)).writer).not.toBeNull()
    const { writer } = await rowOf(kid)
    const second = uploadBytes(b).write(Readable.from([bytes]), kid, 0)
    await second
    expect((await rowOf(kid)).writer).not.toBe(writer)
    slow.end(randomBytes(late - mib))
    const ended = await first
    if (late === bytes.length) expect(ended).toMatchObject({ refusal: 'conflict' })
    expect(await finishUpload(b, kid)).toMatchObject({ sha256: sha256(bytes) })
    expect((await buffer(await a.objects.read(kid))).equals(bytes)).toBe(true)
    expect(await pieces(kid)).toEqual([])
  }
})

test('a part that the bucket did not take is given to it again, also when nothing more comes', async () => {
  for (const size of [5 * mib, 5 * mib + 4]) {
    const bytes = randomBytes(size)
    const kid = await begin(size)
    const parts = a.objects.parts!
    const { add } = parts
    parts.add = async () => {
      throw new Error('no bucket')
    }
    try {
      await expect(uploadBytes(a).write(Readable.from([bytes]), kid, 0)).rejects.toThrow('no bucket')
      const at = await offsetOf(b, kid)
      expect(at).toBe(5 * mib)
      if (at === size) await expect(finishUpload(a, kid)).rejects.toThrow('no bucket')
    } finally {
      parts.add = add
    }
    if (size > 5 * mib) await uploadBytes(b).write(Readable.from([bytes.subarray(5 * mib)]), kid, 5 * mib)
    expect(await finishUpload(b, kid)).toMatchObject({ sha256: sha256(bytes) })
  }
})

test('a wrong offset is a conflict, and bytes of one that is given up go', async () => {
  const kid = await begin(12 * mib)
  await uploadBytes(a).write(Readable.from([randomBytes(6 * mib)]), kid, 0)
  await expect(uploadBytes(b).write(Readable.from([randomBytes(1)]), kid, 5 * mib)).rejects.toMatchObject({
    status_code: 409,
  })
  expect(await finishUpload(a, kid)).toBeUndefined()
  const row = await rowOf(kid)
  await a.db.deleteFrom('upload').where('kid', '=', kid).execute()
  await dropBytes(b, row)
  expect(await pieces(kid)).toEqual([])
})

test('a part is long enough for the largest upload', () => {
  const { sizeOf } = a.objects.parts!
  expect(sizeOf(10)).toBe(5 * mib)
  expect(Math.ceil((900 * 1024 ** 3) / sizeOf(900 * 1024 ** 3))).toBeLessThanOrEqual(10_000)
  expect(uploadBytes(a)).toBeInstanceOf(PartUploads)
})

import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'
import { checkObjects } from './object-checks.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterAll(() => w.close())

const day_ms = 86_400_000
const placeOf = (object: string) => join(w.deps.config.data, 'objects', object.slice(-2), object.slice(-4, -2), object)

test('every object is read once a week; what is gone or has changed is shown as broken, until it is whole again', async () => {
  const by = await w.person(['fileCloudList', 'fileCloudAdd', 'fileCloudList:delete'])
  const contents = new Map<string, Buffer>()
  const put = async (name: string) => {
    const object = newKid()
    const bytes = randomBytes(70_000)
    contents.set(object, bytes)
    const { size, md5, sha256 } = await w.deps.objects.put(object, Readable.from([bytes]), 1e6)
    const row = { kid: newKid(), account_kid: by.account_kid, name, size, md5, sha256, object }
    const made = { created_by_kid: by.user_kid, created_by: '', created_at: w.deps.clock.now() }
    await w.deps.db
      .insertInto('file_cloud')
      .values({ ...row, ...made, content_type: '' })
      .execute()
    return object
  }
  const [sound, gone, rotten] = [await put('sound'), await put('gone'), await put('rotten')]
  const call = async (path: string, input: object) =>
    (await w.call(`/api/file_cloud/${path}`, { method: 'POST', headers: by.bearer, body: JSON.stringify(input) })).body
  const broken = async () => {
    const { data } = (await call('paging', { is_broken: true })) as { data: { items: { name: string }[] } }
    return data.items.map(({ name }) => name)
  }
  await rm(placeOf(gone))
  const bad = Buffer.from(contents.get(rotten)!)
  bad[40_000]! ^= 1
  await writeFile(placeOf(rotten), bad)

  await checkObjects(w.deps)
  expect(await broken()).toEqual([])
  await w.deps.clock.jump(8 * day_ms)
  await checkObjects(w.deps)
  const fresh = { bearer: (await w.person(['fileCloudList'], { account_kid: by.account_kid })).bearer }
  Object.assign(by, fresh)
  expect(await broken()).toEqual(['gone', 'rotten'])
  const space = await w.call('/api/file_cloud/get_space', { headers: by.bearer })
  expect(space.body).toMatchObject({ data: { broken_count: 2, file_count: 3 } })
  const all = () => w.deps.db.selectFrom('object_check').selectAll().execute()
  expect((await all()).find(({ object }) => object === sound)).toMatchObject({ fault: null })

  // Restored from a backup, it is found whole a week later; a file that is deleted is forgotten.
  await writeFile(placeOf(rotten), contents.get(rotten)!)
  await w.deps.db.deleteFrom('file_cloud').where('object', '=', gone).execute()
  await checkObjects(w.deps)
  expect((await all()).map(({ object }) => object).toSorted()).toEqual([sound, rotten].toSorted())
  await w.deps.clock.jump(8 * day_ms)
  await checkObjects(w.deps)
  expect((await all()).map(({ fault }) => fault)).toEqual([null, null])
  expect(w.internal_errors).toEqual([])
})

import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { addApp } from '../testing/apps.ts'
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

test('an object that is gone is told as such, marks what refers to it, and is not pushed', async () => {
  const by = await w.person(['fileCloudList', 'fileCloudPush:push', 'appCenterPush:push', 'appCenterList'])
  const { account_kid, user_kid: created_by_kid } = by
  const made = { created_by_kid, created_by: '', created_at: w.deps.clock.now() }
  const post = (path: string, input: object) =>
    w.call(`/api/${path}`, { method: 'POST', headers: by.bearer, body: JSON.stringify(input) })
  const [kid, object] = [newKid(), newKid()]
  const { size, md5, sha256 } = await w.deps.objects.put(object, Readable.from([randomBytes(1000)]), 1e6)
  const bytes = { size, md5, sha256, object }
  await w.deps.db
    .insertInto('file_cloud')
    .values({ kid, account_kid, name: 'routes.bin', content_type: '', ...bytes, ...made })
    .execute()
  const app = { account_kid, package: 'com.example.routes', name: 'Routes', version_name: '1', version_code: 1, bytes }
  const app_kid = await addApp(w.deps, app)
  const { kid: terminal_kid } = await w.device(account_kid)
  const push = (type: string, payload: object) =>
    post('push_task/insert', { type, payload, terminal_kids: [terminal_kid] })
  const files = { file_kids: [kid], path: '/sdcard' }
  const before = await push('file', files)
  expect(before.body.result).toBe(1)
  const link = w.deps.signFile(object, { name: 'routes.bin', content_type: '' })
  expect((await w.call(link)).status).toBe(200)
  const events: unknown[] = []
  const { live } = w.deps
  Object.assign(w.deps, { live: { publish: (_: string, event: { type: string }) => void events.push(event.type) } })

  await rm(placeOf(object))
  const missing = await w.call(link, { headers: { 'accept-language': 'vi' } })
  expect(missing).toMatchObject({ status: 404, body: { result: 45013 } })
  expect(missing.headers.get('etag')).toBeNull()
  expect(missing.headers.get('content-range')).toBeNull()
  // Asked for again, it is not in memory any more, either.
  expect((await w.call(link, { headers: { range: 'bytes=5-' } })).body).toMatchObject({ result: 45013 })
  expect(events).toEqual(expect.arrayContaining(['file_changed', 'app_changed']))
  Object.assign(w.deps, { live })
  expect((await post('file_cloud/paging', {})).body.data).toMatchObject({ items: [{ is_broken: true }] })
  expect((await post('app_center/paging', {})).body.data).toMatchObject({ items: [{ offered: { is_broken: true } }] })
  expect(await push('file', files)).toMatchObject({ status: 422, body: { result: 45012 } })
  const refused = await push('app_install', { apps: [{ app_kid }] })
  expect(refused.body).toMatchObject({ result: 45012, message: expect.stringContaining('Routes') })
  // What nobody refers to was deleted: it is unknown, not broken.
  const gone = w.deps.signFile(newKid(), { name: 'x', content_type: '' })
  expect((await w.call(gone)).body.result).toBe(404)
  const marked = await w.deps.db.selectFrom('object_check').select('object').where('fault', 'is not', null).execute()
  expect(marked).toEqual([{ object }])
  expect(w.internal_errors).toEqual([])
})

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cutUpload } from '../testing/cut-upload.ts'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'
import { newKid } from '../lib/ids.ts'
import { uploadFolder } from './upload-store.ts'
import { purgeUploads } from './upload-upkeep.ts'
import { finishUpload } from './uploads.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterEach(() => expect(w.internal_errors).toEqual([]))
afterAll(() => w.close())

type Person = Awaited<ReturnType<TestHttpServer['person']>>
const uploader = () => w.person(['fileCloudList', 'fileCloudAdd', 'fileCloudList:delete'])
const tus = { 'tus-resumable': '1.0.0' }
const named = (name: string) => ({ 'upload-metadata': `filename ${Buffer.from(name).toString('base64')}` })

async function begin(by: Person, size: number, name = 'a.bin'): Promise<string> {
  const headers = { ...tus, ...by.bearer, ...named(name), 'upload-length': String(size) }
  const { status, headers: replied } = await w.call('/upload', { method: 'POST', headers })
  expect(status).toBe(201)
  return replied.get('location')!
}
const offsetOf = async (by: Person, location: string): Promise<number> => {
  const { status, headers } = await w.call(location, { method: 'HEAD', headers: { ...tus, ...by.bearer } })
  expect(status).toBe(200)
  return Number(headers.get('upload-offset'))
}
const patchHeaders = (by: Person, offset: number) => ({
  ...tus,
  ...by.bearer,
  'upload-offset': String(offset),
  'content-type': 'application/offset+octet-stream',
})
/** Sends `bytes` from `offset`, and cuts the connection after `cut` of them. */
function send(by: Person, location: string, bytes: Buffer, offset: number, cut = Infinity): Promise<number | 'cut'> {
  const length = bytes.length - offset
  return new Promise((resolve) => {
    const request = httpRequest(w.url + location, {
      method: 'PATCH',
      headers: { ...patchHeaders(by, offset), 'content-length': length },
    })
    request.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode!)))
    request.on('error', () => resolve('cut'))
    if (cut >= length) return request.end(bytes.subarray(offset))
    request.write(bytes.subarray(offset, offset + cut), () => setTimeout(() => request.destroy(), 5))
  })
}
const keep = (by: Person, location: string, name: string) =>
  w.call('/api/file_cloud/insert', {
    method: 'POST',
    headers: by.bearer,
    body: JSON.stringify({ upload_kid: location.split('/').at(-1), name }),
  })
type File = { kid: string; url: string; md5: string; sha256: string; size: number; name: string; content_type: string }

test('an upload cut at random bytes, with the server restarted in between, ends whole', async () => {
  const by = await uploader()
  const bytes = randomBytes(6_000_000)
  const location = await begin(by, bytes.length)
  for (let cuts = 0; ; cuts += 1) {
    const offset = await offsetOf(by, location)
    if (cuts === 6) await w.restart()
    if (cuts > 20 || offset === bytes.length) break
    await send(by, location, bytes, offset, randomInt(1, 900_000))
  }
  const left = await offsetOf(by, location)
  if (left < bytes.length) expect(await send(by, location, bytes, left)).toBe(204)
  // A client that missed the last reply asks once more.
  expect(await offsetOf(by, location)).toBe(bytes.length)
  const { body } = await keep(by, location, 'Báo cáo 报告.bin')
  expect(body).toMatchObject({
    result: 1,
    data: {
      size: bytes.length,
      md5: createHash('md5').update(bytes).digest('hex'),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    },
  })
  const response = await fetch(w.url + (body.data as File).url)
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="B_o c_o __.bin"; filename*=UTF-8''B%C3%A1o%20c%C3%A1o%20%E6%8A%A5%E5%91%8A.bin`,
  )
  expect(await readdir(uploadFolder(w.deps))).not.toContain(location.split('/').at(-1))
})

test('a file that was cut ten times goes on after the tab was closed, found by its fingerprint', async () => {
  const by = await uploader()
  const { upload_kid, sha256 } = await cutUpload(w, by, { size: 24_000_001, cuts: 10 })
  const colleague = await w.person(['fileCloudAdd'], { account_kid: by.account_kid })
  const begun = await w.call('/api/file_cloud/list_upload', { headers: colleague.bearer })
  expect(begun.body).toMatchObject({ result: 1, data: [] })
  expect((await keep(by, upload_kid, 'map.bin')).body).toMatchObject({ data: { size: 24_000_001, sha256 } })
  expect((await w.call('/api/file_cloud/list_upload', { headers: by.bearer })).body).toMatchObject({ data: [] })
})

test('a package for the app center is found again as well, by the app center alone', async () => {
  const by = await w.person(['appCenterList', 'appCenterAdd', 'fileCloudAdd'])
  const fingerprint = (name: string, area: string) =>
    `fingerprint ${Buffer.from(name).toString('base64')},area ${Buffer.from(area).toString('base64')}`
  for (const area of ['app_center', 'file_disk']) {
    const headers = { ...tus, ...by.bearer, 'upload-length': '3', 'upload-metadata': fingerprint(`of ${area}`, area) }
    expect(await w.call('/upload', { method: 'POST', headers })).toMatchObject({ status: 201 })
    const list = await w.call(`/api/${area === 'app_center' ? area : 'file_cloud'}/list_upload`, { headers: by.bearer })
    expect(list.body).toMatchObject({ result: 1, data: [{ fingerprint: `of ${area}`, received: 0, size: 3 }] })
  }
  await cutUpload(w, by, { size: 6_000_001, cuts: 4, area: 'app_center' })
})

test('a server that dies after the last byte finishes the upload when it is asked for', async () => {
  const by = await uploader()
  const location = await begin(by, 3)
  const kid = location.split('/').at(-1)!
  await writeFile(join(uploadFolder(w.deps), kid), 'abc')
  expect((await keep(by, location, 'late.txt')).body).toMatchObject({
    result: 1,
    data: { size: 3, content_type: 'text/plain' },
  })
})

test('a server that dies between moving an upload and noting it leaves it finished', async () => {
  const by = await uploader()
  const moved = async () => {
    const location = await begin(by, 3)
    const kid = location.split('/').at(-1)!
    await writeFile(join(uploadFolder(w.deps), kid), 'abc')
    await w.deps.objects.adopt(kid, join(uploadFolder(w.deps), kid))
    return { location, kid }
  }
  const asked = await moved()
  expect(await finishUpload(w.deps, asked.kid)).toMatchObject({ object: asked.kid, size: 3 })
  // Who looks how far it is learns that it is done, and so does who sends the end again.
  const looked = await moved()
  expect(await offsetOf(by, looked.location)).toBe(3)
  expect((await keep(by, looked.location, 'looked.txt')).body).toMatchObject({ result: 1, data: { size: 3 } })
  const sent = await moved()
  expect(await w.call(sent.location, { method: 'PATCH', headers: patchHeaders(by, 0), body: 'abc' })).toMatchObject({
    status: 409,
  })
  expect(await w.call(sent.location, { method: 'PATCH', headers: patchHeaders(by, 3), body: '' })).toMatchObject({
    status: 204,
  })
  // Given up, and never asked for again: the bytes go, wherever they are.
  const [given_up, forgotten] = [await moved(), await moved()]
  expect(await w.call(given_up.location, { method: 'DELETE', headers: { ...tus, ...by.bearer } })).toMatchObject({
    status: 204,
  })
  await w.deps.db
    .updateTable('upload')
    .set({ created_at: new Date(w.deps.clock.now().getTime() - 3 * 86_400_000) })
    .where('kid', '=', forgotten.kid)
    .execute()
  await purgeUploads(w.deps)
  for (const { kid } of [given_up, forgotten]) expect(await w.deps.objects.size(kid)).toBeUndefined()
})

test('an upload exists for the person who began it only', async () => {
  const by = await uploader()
  const strangers = [await uploader(), await w.person(['*'], { account_kid: by.account_kid })]
  const location = await begin(by, 3)
  for (const stranger of strangers) {
    const headers = { ...tus, ...stranger.bearer }
    expect(await w.call(location, { method: 'HEAD', headers })).toMatchObject({ status: 404 })
    expect(await w.call(location, { method: 'DELETE', headers })).toMatchObject({ status: 404, body: { result: 404 } })
    const stolen = await w.call(location, { method: 'PATCH', headers: patchHeaders(stranger, 0), body: 'abc' })
    expect(stolen).toMatchObject({ status: 404 })
    expect((await keep(stranger, location, 'x.txt')).body).toMatchObject({ result: 404 })
  }
  expect(await offsetOf(by, location)).toBe(0)
  expect(await w.call(location, { method: 'HEAD', headers: tus })).toMatchObject({ status: 401 })
  const viewer = await w.person(['fileCloudList'])
  const refused = await w.call('/upload', {
    method: 'POST',
    headers: { ...tus, ...viewer.bearer, 'upload-length': '3' },
  })
  expect(refused).toMatchObject({ status: 403, body: { result: 403 } })
})

test('sizes, offsets and ids are not believed', async () => {
  const by = await uploader()
  const create = (headers: Record<string, string>) =>
    w.call('/upload', { method: 'POST', headers: { ...tus, ...by.bearer, ...headers } })
  expect(await create({})).toMatchObject({ status: 400, body: { result: 10000 } })
  expect(await create({ 'upload-length': '-1' })).toMatchObject({ status: 400 })
  expect(await create({ 'upload-defer-length': '1' })).toMatchObject({ status: 400 })
  expect(await create({ 'upload-length': String(2 ** 49) })).toMatchObject({ status: 413, body: { result: 413 } })
  const location = await begin(by, 3)
  expect(await w.call(location, { method: 'PATCH', headers: patchHeaders(by, 2), body: 'c' })).toMatchObject({
    status: 409,
  })
  expect(await w.call(location, { method: 'PATCH', headers: patchHeaders(by, 0), body: 'abcd' })).toMatchObject({
    status: 413,
  })
  expect((await keep(by, location, 'a.txt')).body).toMatchObject({ result: 45004 })
  expect(await w.call(`/upload/${newKid()}`, { method: 'HEAD', headers: { ...tus, ...by.bearer } })).toMatchObject({
    status: 404,
  })
  expect(await w.call('/upload/..%2f..%2fx', { method: 'HEAD', headers: { ...tus, ...by.bearer } })).toMatchObject({
    status: 404,
  })
  const open = await w.deps.db.selectFrom('upload').select('kid').where('user_kid', '=', by.user_kid).execute()
  expect(open.length).toBe(1)
})

test('an upload that cannot fit any more is not begun', async () => {
  const by = await uploader()
  await w.deps.db.updateTable('disk_space').set({ max_bytes: 3 }).where('account_kid', '=', by.account_kid).execute()
  const create = (size: number) =>
    w.call('/upload', { method: 'POST', headers: { ...tus, ...by.bearer, 'upload-length': String(size) } })
  expect(await create(4)).toMatchObject({ status: 422, body: { result: 45005 } })
  expect(await create(3)).toMatchObject({ status: 201 })
})

const limited = async (max_bytes: number) => {
  const by = await uploader()
  await w.deps.db.updateTable('disk_space').set({ max_bytes }).where('account_kid', '=', by.account_kid).execute()
  const colleague = await w.person(['fileCloudAdd'], { account_kid: by.account_kid })
  return { by, colleague }
}
const tryBegin = async (by: Person, size: number, more: Record<string, string> = {}) => {
  const headers = { ...tus, ...by.bearer, 'upload-length': String(size), ...more }
  const { status, body, headers: replied } = await w.call('/upload', { method: 'POST', headers })
  return { status, result: body?.result, location: replied.get('location')! }
}
const full = { status: 422, result: 45005 }
/** As if it had been an hour ago; the clock of the sessions stays. */
const anHourLater = async ({ account_kid }: Person) => {
  const ago = new Date(w.deps.clock.now().getTime() - 61 * 60_000)
  const rows = w.deps.db.updateTable('upload').where('account_kid', '=', account_kid)
  await rows.set({ reserved_until: w.deps.clock.now() }).execute()
  await rows.set({ finished_at: ago }).where('finished_at', 'is not', null).execute()
  await purgeUploads(w.deps)
}

test('an upload that has come and is not kept counts, and goes after an hour', async () => {
  const { by, colleague } = await limited(10)
  const location = await begin(by, 6)
  expect(await tryBegin(colleague, 5)).toMatchObject(full)
  expect(await send(by, location, Buffer.from('abcdef'), 0)).toBe(204)
  expect(await tryBegin(colleague, 5)).toMatchObject(full)
  expect(await tryBegin(colleague, 4)).toMatchObject({ status: 201 })
  expect(await tryBegin(by, 1)).toMatchObject(full)
  await anHourLater(by)
  expect(await w.deps.objects.size(location.split('/').at(-1)!)).toBeUndefined()
  expect(await tryBegin(by, 10)).toMatchObject({ status: 201 })
})

test('a file that is kept counts once', async () => {
  const { by } = await limited(10)
  const location = await begin(by, 6)
  await send(by, location, Buffer.from('abcdef'), 0)
  expect((await keep(by, location, 'kept.txt')).body).toMatchObject({ result: 1 })
  expect(await tryBegin(by, 5)).toMatchObject(full)
  expect(await tryBegin(by, 4)).toMatchObject({ status: 201 })
})

test('twenty that begin at once share the space there is', async () => {
  const { by, colleague } = await limited(5)
  const tried = await Promise.all(Array.from({ length: 20 }, (_, n) => tryBegin(n % 2 ? by : colleague, 1)))
  expect(tried.map(({ result }) => result ?? 'begun').toSorted()).toEqual([
    ...Array.from({ length: 15 }, () => 45005),
    ...Array.from({ length: 5 }, () => 'begun'),
  ])
})

test('an upload that stands still takes what has come of it, and finds room again or not', async () => {
  const { by, colleague } = await limited(10)
  const location = await begin(by, 8)
  expect(await w.call(location, { method: 'PATCH', headers: patchHeaders(by, 0), body: 'abc' })).toMatchObject({
    status: 204,
  })
  const received = () =>
    w.deps.db.selectFrom('upload').select('received').where('user_kid', '=', by.user_kid).executeTakeFirst()
  await expect.poll(received).toEqual({ received: 3 })
  await anHourLater(by)
  expect(await tryBegin(colleague, 8)).toMatchObject(full)
  const other = await tryBegin(colleague, 6)
  expect(other).toMatchObject({ status: 201 })
  const more = () => w.call(location, { method: 'PATCH', headers: patchHeaders(by, 3), body: 'defgh' })
  expect(await more()).toMatchObject({ status: 422, body: { result: 45005 } })
  const given_up = await w.call(other.location, { method: 'DELETE', headers: { ...tus, ...colleague.bearer } })
  expect(given_up).toMatchObject({ status: 204 })
  expect(await more()).toMatchObject({ status: 204 })
  expect((await keep(by, location, 'late.txt')).body).toMatchObject({ result: 1 })
})

test('one person who begins uploads without end keeps nobody else of the account from it', async () => {
  const { by, colleague } = await limited(1_000)
  const first = await begin(by, 1)
  for (let n = 1; n < 100; n += 1) await begin(by, n % 2)
  expect(await tryBegin(by, 1)).toMatchObject({ status: 429, result: 429 })
  expect(await tryBegin(colleague, 1)).toMatchObject({ status: 201 })
  // What stands still gives way, the oldest first.
  const stood_still = w.deps.db.updateTable('upload').set({ reserved_until: w.deps.clock.now() })
  await stood_still.where('user_kid', '=', by.user_kid).execute()
  expect(await tryBegin(by, 1)).toMatchObject({ status: 201 })
  expect(await w.call(first, { method: 'HEAD', headers: { ...tus, ...by.bearer } })).toMatchObject({ status: 404 })
})

test('a disk that fills up while bytes come is said as such', async () => {
  const by = await uploader()
  const location = await begin(by, 3)
  const path = join(uploadFolder(w.deps), location.split('/').at(-1)!)
  await rm(path)
  // Linux: every write to it fails for want of room.
  await symlink('/dev/full', path)
  expect(await send(by, location, Buffer.from('abc'), 0)).toBe(507)
})

test('an upload that is refused leaves nothing behind', async () => {
  const { by } = await limited(10)
  const refused: Record<string, string>[] = [
    { 'upload-concat': 'partial' },
    { 'upload-concat': 'final;/upload/a /upload/b' },
    { 'upload-concat': '' },
    { 'upload-metadata': 'filename !' },
    { 'upload-metadata': ',,,' },
    { 'upload-length': '007' },
    { 'upload-defer-length': '1' },
    { 'tus-resumable': '0.2.2' },
    { 'x-forwarded-proto': 'gopher' },
  ]
  for (const headers of refused) {
    const { status } = await tryBegin(by, 10, headers)
    expect([headers, status >= 400 && status < 500]).toEqual([headers, true])
  }
  const left = () => w.deps.db.selectFrom('upload').select('kid').where('user_kid', '=', by.user_kid).execute()
  await expect.poll(left).toEqual([])
  expect(await tryBegin(by, 10)).toMatchObject({ status: 201 })
})

test('a file has a valid and unique name, and its upload is used once', async () => {
  const by = await uploader()
  const upload = async () => {
    const location = await begin(by, 3)
    expect(await send(by, location, Buffer.from('abc'), 0)).toBe(204)
    return location
  }
  const location = await upload()
  for (const name of ['', '  ', 'a/b', 'a\\b', 'a:b', 'a*', 'a?', '"', '<a>', 'a|b', 'end.', 'x'.repeat(256), 'a\nb'])
    expect([name, (await keep(by, location, name)).body.result]).toEqual([name, 45002])
  expect((await keep(by, location, ' Sheet.XLSX ')).body).toMatchObject({ result: 1, data: { name: 'Sheet.XLSX' } })
  expect((await keep(by, location, 'again.xlsx')).body).toMatchObject({ result: 404 })
  const second = await upload()
  expect((await keep(by, second, 'sheet.xlsx')).body).toMatchObject({ result: 44001 })
  expect((await keep(by, second, 'other.xlsx')).body).toMatchObject({ result: 1 })
  const other = await uploader()
  const list = await w.call('/api/file_cloud/paging', { method: 'POST', headers: other.bearer, body: '{}' })
  expect(list.body).toMatchObject({ data: { total: 0, items: [] } })
})

test('a file in an unfinished push stays; afterwards its bytes go with it', async () => {
  const by = await uploader()
  const location = await begin(by, 3)
  await send(by, location, Buffer.from('abc'), 0)
  const file = (await keep(by, location, 'pushed.txt')).body.data as File
  const task = {
    kid: newKid(),
    account_kid: by.account_kid,
    type: 'file' as const,
    payload: JSON.stringify({ files: [{ kid: file.kid }], path: '/sdcard' }),
    description: '',
    summary: '',
    created_by_kid: by.user_kid,
    created_by: 'x',
    created_at: w.deps.clock.now(),
    total: 1,
    wait_receipt: 1,
  }
  await w.deps.db.insertInto('push_task').values(task).execute()
  const remove = (who: Person) =>
    w.call('/api/file_cloud/delete', { method: 'POST', headers: who.bearer, body: JSON.stringify({ kid: file.kid }) })
  expect((await remove(by)).body).toMatchObject({ result: 43011 })
  expect((await remove(await uploader())).body).toMatchObject({ result: 404 })
  expect((await fetch(w.url + file.url)).status).toBe(200)
  await w.deps.db
    .updateTable('push_task')
    .set({ completed: 1, wait_receipt: 0, ended_at: w.deps.clock.now() })
    .where('kid', '=', task.kid)
    .execute()
  expect((await remove(by)).body).toMatchObject({ result: 1 })
  expect((await fetch(w.url + file.url)).status).toBe(404)
})

test('uploads that nobody finished or kept are removed after two days, kept files stay', async () => {
  const by = await uploader()
  const [unfinished, unkept, kept] = [await begin(by, 3), await begin(by, 3), await begin(by, 3)]
  for (const location of [unkept, kept]) await send(by, location, Buffer.from('abc'), 0)
  const file = (await keep(by, kept, 'kept.txt')).body.data as File
  const orphan = join(uploadFolder(w.deps), newKid())
  await writeFile(orphan, 'x')
  await w.deps.clock.advance(3 * 86_400_000)
  await purgeUploads(w.deps)
  const left = await w.deps.db.selectFrom('upload').select('kid').where('user_kid', '=', by.user_kid).execute()
  expect(left).toEqual([])
  expect(existsSync(join(uploadFolder(w.deps), unfinished.split('/').at(-1)!))).toBe(false)
  expect(existsSync(orphan)).toBe(false)
  expect(await w.deps.objects.size(unkept.split('/').at(-1)!)).toBeUndefined()
  const row = await w.deps.db
    .selectFrom('file_cloud')
    .select('object')
    .where('kid', '=', file.kid)
    .executeTakeFirstOrThrow()
  expect(await w.deps.objects.size(row.object!)).toBe(3)
})

test('an upload can be given up', async () => {
  const by = await uploader()
  const location = await begin(by, 10)
  await send(by, location, Buffer.from('abcdefghij'), 0, 4)
  expect(await w.call(location, { method: 'DELETE', headers: { ...tus, ...by.bearer } })).toMatchObject({ status: 204 })
  expect(await w.call(location, { method: 'HEAD', headers: { ...tus, ...by.bearer } })).toMatchObject({ status: 404 })
})

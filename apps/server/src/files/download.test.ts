import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'
import { newKid } from '../lib/ids.ts'
import { localObjects } from './local-objects.ts'
import { contentTypeOf } from './names.ts'
import { byteRange } from './range.ts'

let w: TestHttpServer
const bytes = randomBytes(300_000)
const sha256 = createHash('sha256').update(bytes).digest('hex')
const object = newKid()
let path: string
beforeAll(async () => {
  w = await testHttpServer()
  await w.deps.objects.put(object, Readable.from([bytes]), bytes.length)
  path = w.deps.signFile(object, { name: 'a "b".bin' })
})
afterEach(() => expect(w.internal_errors).toEqual([]))
afterAll(() => w.close())

const get = async (headers: Record<string, string> = {}, method = 'GET', from = path) => {
  const response = await fetch(w.url + from, { method, headers })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

test('the whole object with its digest as tag, never run by a browser', async () => {
  const { status, headers, body } = await get()
  expect([status, body.equals(bytes)]).toEqual([200, true])
  expect(Object.fromEntries(headers)).toMatchObject({
    etag: `"${sha256}"`,
    'accept-ranges': 'bytes',
    'content-length': '300000',
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="a _b_.bin"; filename*=UTF-8''a%20%22b%22.bin`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  const head = await get({}, 'HEAD')
  expect([head.status, head.headers.get('content-length'), head.body.length]).toEqual([200, '300000', 0])
  expect((await get({ 'if-none-match': `"${sha256}"` })).status).toBe(304)
})

test('ranges: a part, the rest, the end; a changed object is sent whole', async () => {
  const part = await get({ range: 'bytes=100-199' })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 100-199/300000'])
  expect(part.body.equals(bytes.subarray(100, 200))).toBe(true)
  const rest = await get({ range: 'bytes=299990-', 'if-range': `"${sha256}"` })
  expect([rest.status, rest.body.equals(bytes.subarray(299_990))]).toEqual([206, true])
  expect((await get({ range: 'bytes=-5' })).body.equals(bytes.subarray(-5))).toBe(true)
  expect((await get({ range: 'bytes=100-199', 'if-range': '"other"' })).status).toBe(200)
  const beyond = await get({ range: 'bytes=300000-' })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */300000'])
  const head = await get({ range: 'bytes=100-199' }, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([206, '100'])
})

test.each([
  [undefined, undefined],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=5-100', { start: 5, end: 9 }],
  ['bytes=-100', { start: 0, end: 9 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=5-4', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['items=0-1', undefined],
  ['bytes=a-b', undefined],
])('range %s', (header, expected) => expect(byteRange(header, 10)).toEqual(expected))

test('a signed address cannot be changed, and it ends', async () => {
  const other = newKid()
  await w.deps.objects.put(other, Readable.from(['secret']), 10)
  const changes: [string, (url: URL) => void][] = [
    ['object', (u) => (u.pathname = `/files/${other}`)],
    ['name', (u) => u.searchParams.set('name', 'a.html')],
    ['type', (u) => u.searchParams.set('type', 'text/html')],
    ['expiry', (u) => u.searchParams.set('expires', String(Number(u.searchParams.get('expires')) + 1))],
    ['signature', (u) => u.searchParams.set('sig', 'A'.repeat(43))],
    ['no signature', (u) => u.searchParams.delete('sig')],
    ['two names', (u) => u.searchParams.append('name', 'b')],
    ['long expiry', (u) => u.searchParams.set('expires', '9'.repeat(400))],
  ]
  for (const [what, change] of changes) {
    const url = new URL(w.url + path)
    change(url)
    expect([what, (await get({}, 'GET', url.pathname + url.search)).status]).toEqual([what, 403])
  }
  const gone = w.deps.signFile(newKid(), { name: 'x' })
  expect((await get({}, 'GET', gone)).status).toBe(404)
  const picture = w.deps.signFile(object, { name: 'x.png', content_type: 'image/png', seconds: 60 })
  // Without a name, so that the page can give one.
  expect((await get({}, 'GET', picture)).headers.get('content-disposition')).toBe('inline')
  await w.deps.clock.advance(61_000)
  expect((await get({}, 'GET', picture)).status).toBe(403)
})

test('addresses outlive a restart', async () => {
  const fresh = w.deps.signFile(object, { name: 'x' })
  await w.restart()
  expect((await get({}, 'GET', fresh)).status).toBe(200)
})

test('a restart waits for an answer in flight, and not for the connection that is kept alive after it', async () => {
  const { info } = w.deps.objects
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const began = new Promise<void>((resolve) => {
    w.deps.objects.info = async (key) => {
      resolve()
      await held
      return info(key)
    }
  })
  const answer = get()
  await began
  const restarted = w.restart()
  release()
  expect((await answer).body.equals(bytes)).toBe(true)
  await restarted
  w.deps.objects.info = info
  // Less than a connection is kept alive.
})

test('an object is there as a whole or not at all, and its key is never a path', async () => {
  const root = await mkdtemp(join(tmpdir(), 'mdm-objects-'))
  try {
    const store = await localObjects(root)
    const key = newKid()
    await expect(store.put(key, Readable.from([Buffer.alloc(11)]), 10)).rejects.toMatchObject({ refusal: 'too_large' })
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(5)
        throw new Error('cut')
      })(),
    )
    await expect(store.put(key, broken, 10)).rejects.toThrow('cut')
    expect(await store.size(key)).toBeUndefined()
    expect(await readdir(join(root, 'arriving'))).toEqual([])
    for (const bad of ['../x', '/etc/passwd', 'a/b', '', `${key}/..`, `${key}\0`])
      await expect(store.put(bad, Readable.from(['x']), 10)).rejects.toThrow('not a key')
    const empty = await store.put(key, Readable.from([]), 10)
    expect(empty).toEqual({
      size: 0,
      md5: 'd41d8cd98f00b204e9800998ecf8427e',
      sha256: createHash('sha256').digest('hex'),
    })
    const again = await localObjects(root)
    expect(await again.info(key)).toEqual(empty)
    await again.delete(key)
    await again.delete(key)
    expect(await again.info(key)).toBeUndefined()
    await expect(again.read(key)).rejects.toThrow()
  } finally {
    await rm(root, { recursive: true })
  }
})

test('a file that a browser could run is never shown in the place of the console', async () => {
  for (const name of ['page.html', 'drawing.svg', 'script.js', 'data.xml', 'feed.xhtml', 'sheet.csv']) {
    const { headers } = await get({}, 'GET', w.deps.signFile(object, { name, content_type: contentTypeOf(name) }))
    expect([name, headers.get('content-disposition')]).toEqual([name, expect.stringMatching(/^attachment;/)])
    expect(headers.get('content-type')).not.toMatch(/html|svg|javascript/)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

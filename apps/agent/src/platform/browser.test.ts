import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { placeOf } from '../place.ts'
import { isSameJson } from '../same-json.ts'
import * as browser from './browser.ts'
import * as node from './node.ts'

const signal = new AbortController().signal
let close = () => {}
afterEach(() => close())

test('a browser has every part of the platform that Node has', () => {
  expect(Object.keys(browser).toSorted()).toEqual(Object.keys(node).toSorted())
})

test('ids of a browser are UUIDs of version 4 and no two are the same', () => {
  const ids = Array.from({ length: 50 }, () => browser.randomId())
  expect(new Set(ids).size).toBe(50)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(browser.randomHex(32)).toMatch(/^[0-9a-f]{64}$/)
})

test('what a browser digests and packs, Node reads', async () => {
  const text = 'thiết bị 设备'
  expect(browser.sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
  const packed = await browser.gzip(new TextEncoder().encode(text))
  expect(gunzipSync(packed).toString()).toBe(text)
})

test('bytes of an answer come piece by piece, and a body is sent as a whole', async () => {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    response.setHeader('x-length', String(request.headers['content-length']))
    response.end(Buffer.concat(pieces))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  close = () => void server.close()
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  async function* body() {
    yield new Uint8Array([1, 2])
    yield new Uint8Array([3])
  }
  const answer = await browser.httpRequest(url, {
    method: 'PUT',
    headers: { 'content-length': '3' },
    body: body(),
    signal,
  })
  const said: number[] = []
  for await (const piece of answer.body) said.push(...piece)
  expect([answer.ok, answer.header('x-length'), said]).toEqual([true, '3', [1, 2, 3]])
})

test('a server that is not there is told apart from one that answers', async () => {
  const asked = browser.httpRequest(new URL('http://127.0.0.1:1/'), { signal })
  await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN/) })
})

test.each([
  ['/sdcard', 'a.bin'],
  ['sdcard/', 'a.bin'],
  ['/a/./b//../c', 'x'],
  ['/../..', 'x'],
  ['', 'x'],
])('a place is spelled as POSIX does: %s + %s', (path, name) => {
  expect(placeOf({ path, name })).toBe(posix.join('/', path, name))
})

test.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [[], {}, false],
  [[1, 2], [2, 1], false],
  [{ a: undefined }, { b: undefined }, false],
  [null, {}, false],
  ['1', 1, false],
])('values that say the same: %j, %j: %s', (a, b, is_same) => {
  expect(isSameJson(a, b)).toBe(is_same)
})

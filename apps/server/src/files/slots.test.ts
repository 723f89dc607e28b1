import { connect } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { constants } from '@mdm/contract'
import { PNG } from 'pngjs'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { testHttpServer } from '../testing/http-server.ts'
import type { TestHttpServer } from '../testing/http-server.ts'
import { newKid } from '../lib/ids.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterEach(() => expect(w.internal_errors).toEqual([]))
afterAll(() => w.close())

const picture = (shade: number) => {
  const png = new PNG({ width: 20, height: 20 })
  png.data.fill(shade)
  return new Uint8Array(PNG.sync.write(png))
}
type Device = { kid: string; secret: string }
const put = (slot: string, by: Device, body: string | Uint8Array, type = 'image/png') =>
  w.call(`/device/slot/${slot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${by.kid}:${by.secret}`, 'content-type': type },
    body: body as string,
  })

async function slotted(max_bytes = 10_000, kind = 'screenshot', of?: string) {
  const { account_kid } = of === undefined ? await w.person([]) : { account_kid: of }
  const device = await w.device(account_kid)
  const kid = newKid()
  const expires_at = new Date(w.deps.clock.now().getTime() + 60_000)
  await w.deps.db
    .insertInto('device_slot')
    .values({
      kid,
      account_kid,
      terminal_kid: device.kid,
      attempt: 1,
      kind,
      max_bytes,
      expires_at,
      push_task_kid: null,
      object: null,
      used_at: null,
    })
    .execute()
  return { slot: kid, device, account_kid }
}

test('a device fills its slot once; the same bytes again get the same answer', async () => {
  const { slot, device } = await slotted()
  const first = await put(slot, device, picture(1))
  expect(first).toMatchObject({ status: 200, body: { result: 1, message: '', data: { object: expect.any(String) } } })
  const { object } = first.body.data as { object: string }
  expect(await w.deps.objects.size(object)).toBe(picture(1).length)
  expect((await put(slot, device, picture(1))).body.data).toEqual({ object })
  expect(await put(slot, device, picture(2))).toMatchObject({ status: 409, body: { result: 409 } })
  expect(await w.deps.objects.size(object)).toBe(picture(1).length)
})

test('a picture that claims more than 64 megapixels is refused by its head, however few bytes it has', async () => {
  const { slot, device } = await slotted()
  const claiming = (width: number, height: number) => {
    const bytes = Buffer.from(picture(1))
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return new Uint8Array(bytes)
  }
  for (const [width, height] of [
    [60_000, 60_000],
    [64_001, 1_000],
    [0xffff_ffff, 0xffff_ffff],
    [0, 20],
  ] as const)
    expect(await put(slot, device, claiming(width, height))).toMatchObject({ status: 400, body: { result: 10000 } })
  const headless = Buffer.from(picture(1))
  headless.write('tEXt', 12, 'latin1')
  expect(await put(slot, device, new Uint8Array(headless))).toMatchObject({ status: 400 })
  expect(await put(slot, device, claiming(64_000, 1_000))).toMatchObject({ status: 200 })
})

test('a log is kept as gzip whether it came so or as text, and is bounded before it is packed', async () => {
  const kept = async (body: string | Uint8Array) => {
    const { slot, device } = await slotted(10_000, 'remote_log')
    const filled = await put(slot, device, body, 'text/plain')
    expect(filled).toMatchObject({ status: 200 })
    const { object } = filled.body.data as { object: string }
    expect((await put(slot, device, body)).body.data).toEqual({ object })
    const chunks: Buffer[] = []
    for await (const chunk of await w.deps.objects.read(object)) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }
  const text = 'line\n'.repeat(1_900)
  expect(gunzipSync(await kept(text)).toString()).toBe(text)
  expect(gunzipSync(await kept('<svg onload=alert(1)>')).toString()).toBe('<svg onload=alert(1)>')
  expect(gunzipSync(await kept('x')).toString()).toBe('x')
  expect(gunzipSync(await kept('')).toString()).toBe('')
  const packed = new Uint8Array(gzipSync(text))
  expect(new Uint8Array(await kept(packed))).toEqual(packed)
  const { slot, device } = await slotted(10_000, 'remote_log')
  expect(await put(slot, device, 'a'.repeat(10_001))).toMatchObject({ status: 413 })
})

test('only that device, in time, with a PNG of the size', async () => {
  const { slot, device, account_kid } = await slotted(500)
  const other = await w.device(account_kid)
  expect(await put(slot, other, picture(1))).toMatchObject({ status: 404 })
  expect(await put(slot, { ...device, secret: other.secret }, picture(1))).toMatchObject({ status: 401 })
  expect(await put(slot, { kid: "' or 1=1", secret: 'x' }, picture(1))).toMatchObject({ status: 401 })
  expect(await put(newKid(), device, picture(1))).toMatchObject({ status: 404 })
  expect(await put('x', device, picture(1))).toMatchObject({ status: 404 })
  expect(await put(slot, device, '<svg onload=alert(1)>')).toMatchObject({ status: 400, body: { result: 10000 } })
  expect(await put(slot, device, new Uint8Array(3))).toMatchObject({ status: 400 })
  expect(await put(slot, device, '')).toMatchObject({ status: 400 })
  expect(await put(slot, device, new Uint8Array(501))).toMatchObject({ status: 413 })
  const row = await w.deps.db.selectFrom('device_slot').selectAll().where('kid', '=', slot).executeTakeFirstOrThrow()
  expect(row.used_at).toBeNull()
  await w.deps.clock.advance(61_000)
  expect(await put(slot, device, picture(1))).toMatchObject({ status: 404 })
})

test('files of devices that come at once take no more together than their account has room for', async () => {
  const { account_kid, user_kid } = await w.person([])
  const now = w.deps.clock.now()
  const transfer = (kid: string, terminal_kid: string, more: { state: 'running' | 'completed'; size: number | null }) =>
    w.deps.db
      .insertInto('device_transfer')
      .values({
        kid,
        account_kid,
        terminal_kid,
        kind: 'download',
        name: 'x',
        created_by_kid: user_kid,
        created_by: 'x',
        created_at: now,
        touched_at: now,
        expires_at: new Date(now.getTime() + 60_000),
        ...more,
      })
      .execute()
  const slots = []
  for (let n = 0; n < 4; n += 1) slots.push(await slotted(9_000, 'device_file', account_kid))
  for (const { slot, device } of slots) await transfer(slot, device.kid, { state: 'running', size: null })
  const size = constants.device_file_cache_bytes - 9_000
  await transfer(newKid(), slots[0]!.device.kid, { state: 'completed', size })
  const filled = await Promise.all(slots.map(({ slot, device }) => put(slot, device, new Uint8Array(4_000))))
  const full = [422, 45005]
  const said = filled.map(({ status, body }) => [status, body.result])
  expect(said.toSorted()).toEqual([[200, 1], [200, 1], full, full])
  // A reply may be lost: what has its room has it also the second time.
  const again = await Promise.all(slots.map(({ slot, device }) => put(slot, device, new Uint8Array(4_000))))
  expect(again.map(({ status, body }) => [status, body.result])).toEqual(said)
  const left = slots[said.findIndex(([status]) => status === 422)]!
  expect((await put(left.slot, left.device, new Uint8Array(1_000))).status).toBe(200)
})

test('a device that comes again leaves nothing of its lost connection', async () => {
  const { slot, device } = await slotted()
  const lost = connect(Number(new URL(w.url).port), '127.0.0.1')
  const closed = new Promise((resolve) => lost.once('close', resolve))
  const keeping = vi.spyOn(w.deps.objects, 'put')
  lost.on('error', () => {})
  lost.write(
    `PUT /device/slot/${slot} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${device.kid}:${device.secret}\r\n` +
      `content-type: image/png\r\ncontent-length: 9000\r\n\r\n`,
  )
  lost.write(picture(1).subarray(0, 40))
  // It is being kept: who it is from and what it fills is known.
  await expect.poll(() => keeping.mock.calls.length).toBe(1)
  expect(await put(slot, device, picture(1))).toMatchObject({ status: 200 })
  await closed
  keeping.mockRestore()
})

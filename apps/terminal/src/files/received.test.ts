import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { memoryDatabase } from '../testing/memory-database.ts'
import { receivedFiles } from './received.ts'

const bytes = new TextEncoder().encode('Giá,1.20\n'.repeat(1_000))
const digest = (name: string) => createHash(name).update(bytes).digest('hex')
const file = {
  name: 'gia.csv',
  path: '/Download',
  url: '/files/x',
  size: bytes.length,
  md5: digest('md5'),
  sha256: digest('sha256'),
}

function storage(room = 1_000_000) {
  const database = memoryDatabase()
  const open = () =>
    receivedFiles({ database, room: async () => room, now: () => new Date('2026-11-27T08:00:00Z'), on_change() {} })
  return { database, open }
}
async function receive(received: ReturnType<typeof receivedFiles>) {
  const landing = await received.land(file)
  await landing.write(bytes)
  const place = await landing.place()
  await landing.close()
  return place
}

test('bytes that came before a reload are there after it, with their digests', async () => {
  const { open } = storage()
  const before = await open().land(file)
  await before.write(bytes.subarray(0, 4_000))
  await before.close()
  const after = await open().land(file)
  expect(after.position).toBe(4_000)
  await after.write(bytes.subarray(4_000))
  expect(after.digests()).toEqual({ md5: file.md5, sha256: file.sha256 })
})

test('a file that is placed is listed, read and sent whole, and nothing is left of its parts', async () => {
  const { database, open } = storage()
  const received = open()
  expect(await receive(received)).toBe('/Download/gia.csv')
  expect(await database.names('parts')).toEqual([])
  expect(await received.files.list('/', undefined)).toEqual({
    items: [{ name: 'Download', type: 'folder' }],
    has_more: false,
  })
  const { items } = await received.files.list('/Download', undefined)
  expect(items).toEqual([
    { name: 'gia.csv', type: 'file', size: bytes.length, modified_at: '2026-11-27T08:00:00.000Z' },
  ])
  const sent: Uint8Array[] = []
  for await (const piece of (await received.files.read('/Download/gia.csv')).open()) sent.push(piece)
  expect(Buffer.concat(sent).equals(Buffer.from(bytes))).toBe(true)
})

test('what is there already is not fetched again', async () => {
  const { open } = storage()
  await receive(open())
  expect((await open().land(file)).position).toBe(file.size)
})

test('a file that the browser has no room for is refused before its first byte', async () => {
  await expect(storage(100).open().land(file)).rejects.toMatchObject({ code: 'no_space' })
})

test('a pushed file is removed in its time, and another one in its place stays', async () => {
  const received = storage().open()
  await receive(received)
  expect(await received.remove_pushed('/Download/gia.csv', '0'.repeat(64))).toBe(false)
  expect(await received.remove_pushed('/Download/gia.csv', file.sha256)).toBe(true)
  await expect(received.files.read('/Download/gia.csv')).rejects.toMatchObject({ code: 'not_found' })
})

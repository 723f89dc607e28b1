import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { UploadStore } from './upload-store.ts'

let directory: string
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'mdm-upload-store-'))))
afterAll(() => rm(directory, { recursive: true }))

/** What it does with rows is no part of this. */
const storeOf = (folder: string) => new UploadStore({ directory: folder, deps: {} as Deps })
const bytes = randomBytes(300_000)
const digest = (of: 'md5' | 'sha256') => createHash(of).update(bytes).digest('hex')
const whole = { size: bytes.length, md5: digest('md5'), sha256: digest('sha256') }
const from = (start: number, end = bytes.length) => Readable.from([bytes.subarray(start, end)])
async function begun(): Promise<string> {
  const kid = newKid()
  await writeFile(join(directory, kid), '')
  return kid
}
const kept = (kid: string) => readFile(join(directory, kid))

test('what comes in pieces without a gap is digested as it comes', async () => {
  const store = storeOf(directory)
  const kid = await begun()
  expect(await store.write(from(0, 100_000), kid, 0)).toBe(100_000)
  expect(await store.write(from(100_000), kid, 100_000)).toBe(bytes.length)
  expect(await kept(kid)).toEqual(bytes)
  expect(store.digested(kid, bytes.length)).toEqual(whole)
  expect(store.digested(kid, bytes.length)).toBeUndefined()
})

test('what another server received, and what broke off, is not taken for digested', async () => {
  const store = storeOf(directory)
  const elsewhere = await begun()
  await storeOf(directory).write(from(0, 100_000), elsewhere, 0)
  await store.write(from(100_000), elsewhere, 100_000)
  expect(store.digested(elsewhere, bytes.length)).toBeUndefined()

  const broken = await begun()
  const breaking = async function* () {
    yield bytes.subarray(0, 100_000)
    throw new Error('cut')
  }
  await expect(store.write(Readable.from(breaking()), broken, 0)).rejects.toThrow('cut')
  const { length } = await kept(broken)
  await store.write(from(length), broken, length)
  expect(await kept(broken)).toEqual(bytes)
  expect([undefined, whole]).toContainEqual(store.digested(broken, bytes.length))

  const short = await begun()
  await store.write(from(0, 100_000), short, 0)
  expect(store.digested(short, bytes.length)).toBeUndefined()
})

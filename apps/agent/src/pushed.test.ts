import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { removeInJail } from './body/jail.ts'
import { openPushed } from './pushed.ts'
import { memoryStore } from './store.ts'
import { jumpingClock } from './testing/clock.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-pushed-'))))
afterAll(() => rm(folder, { recursive: true }))

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const day_ms = 86_400_000

test('a pushed file is deleted after its days, over restarts of the agent; another file of its name stays', async () => {
  const root = await mkdtemp(join(folder, 'root-'))
  await mkdir(join(root, 'sdcard'))
  const put = (name: string, text: string) => writeFile(join(root, 'sdcard', name), text)
  const is_there = (name: string) => existsSync(join(root, 'sdcard', name))
  await put('prices.txt', 'first')
  await put('edited.txt', 'edited since')
  await put('again.txt', 'again')
  const store = memoryStore()
  const clock = jumpingClock()
  const body = { remove_pushed: (path: string, sha256: string) => removeInJail(root, path, sha256) }
  const open = () => openPushed({ store, body, clock, log: () => {} })
  /** It looks every hour, once it is done with the look before. */
  const soon = (check: () => void) =>
    vi.waitFor(() => {
      clock.jump(3_600_000)
      check()
    })
  const before = await open()
  before.start()
  await before.note({ path: '/sdcard/prices.txt', sha256: digest('first'), days: 30 })
  await before.note({ path: '/sdcard/edited.txt', sha256: digest('as it was pushed'), days: 30 })
  await before.note({ path: '/sdcard/again.txt', sha256: digest('again'), days: 30 })
  await before.note({ path: '/sdcard/never.txt', sha256: digest('never placed'), days: 30 })
  clock.jump(20 * day_ms)
  // Pushed once more: its time begins anew.
  await before.note({ path: '/sdcard/again.txt', sha256: digest('again'), days: 30 })
  before.halt()

  const after = await open()
  clock.jump(9 * day_ms)
  after.start()
  expect(is_there('prices.txt')).toBe(true)
  clock.jump(2 * day_ms)
  await soon(() => expect(is_there('prices.txt')).toBe(false))
  await vi.waitFor(async () => expect(await store.read('pushed')).toHaveLength(1))
  expect(is_there('edited.txt')).toBe(true)
  expect(is_there('again.txt')).toBe(true)
  clock.jump(20 * day_ms)
  await soon(() => expect(is_there('again.txt')).toBe(false))
  after.halt()
})

test('a pushed file outside of the device’s folder is not removed', async () => {
  const root = await mkdtemp(join(folder, 'root-'))
  const outside = join(folder, 'outside.txt')
  await writeFile(outside, 'outside')
  await symlink(outside, join(root, 'link.txt'))
  await symlink(folder, join(root, 'up'))
  for (const path of ['/link.txt', '/up/outside.txt', '/../outside.txt', '/missing/x.txt'])
    expect([path, await removeInJail(root, path, digest('outside')).catch(() => false)]).toEqual([path, false])
  expect(existsSync(outside)).toBe(true)
})

import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileStore, memoryStore } from './store.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-store-'))))
afterAll(() => rm(folder, { recursive: true }))

describe.each([
  ['on disk', () => fileStore(join(folder, 'store'))],
  ['in memory', () => memoryStore()],
])('a store %s', (_, open) => {
  test('keeps, lists, replaces and removes documents', async () => {
    const store = open()
    expect(await store.read('claim')).toBeUndefined()
    expect(await store.list('tasks')).toEqual([])
    await Promise.all(Array.from({ length: 30 }, (_unused, n) => store.write('tasks/a.1', { n })))
    await store.write('tasks/b.1', { n: -1 })
    expect(await store.read('tasks/a.1')).toEqual({ n: 29 })
    expect((await store.list('tasks')).toSorted()).toEqual(['tasks/a.1', 'tasks/b.1'])
    await store.remove('tasks/a.1')
    expect(await store.list('tasks')).toEqual(['tasks/b.1'])
  })

  test.each(['../x', 'a/../b', '/etc/passwd', 'a/b/c', '', 'A', 'a/.\0'])('refuses the name %j', async (name) => {
    await expect(async () => open().write(name, {})).rejects.toThrow('Not a document name')
  })
})

test('files are their owner’s only, leave nothing beside them, and a damaged one is named', async () => {
  const dir = join(folder, 'private')
  const store = fileStore(dir)
  await store.write('credentials', { secret: 'x' })
  expect((await stat(join(dir, 'credentials.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
  expect(await readdir(dir)).toEqual(['credentials.json'])
  await writeFile(join(dir, 'credentials.json'), '{ "secret": ')
  await expect(store.read('credentials')).rejects.toThrow('credentials.json cannot be read')
})

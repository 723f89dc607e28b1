import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { landInJail, placeInJail } from './jail.ts'

let folder: string
let root: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mdm-jail-')))
  root = join(folder, 'files')
  await mkdir(join(root, 'real'), { recursive: true })
  await mkdir(join(folder, 'outside'))
  await symlink(join(folder, 'outside'), join(root, 'out'))
  await symlink('real', join(root, 'alias'))
  await symlink(join(folder, 'outside/secret'), join(root, 'real/link.txt'))
  await mkdir(join(root, 'real/folder'))
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  ['/sdcard/Download', 'a.txt', 'sdcard/Download/a.txt'],
  ['sdcard//./Download/', 'a.txt', 'sdcard/Download/a.txt'],
  ['/', '.hidden', '.hidden'],
  ['/Tệp tin/文件', 'báo cáo.pdf', 'Tệp tin/文件/báo cáo.pdf'],
])('%s and %s are %s', async (path, name, expected) => {
  expect(await placeInJail(root, path, name)).toBe(join(root, expected))
})

test.each([
  ['..', 'a'],
  ['/sdcard/../../etc', 'a'],
  ['/sdcard', '../a'],
  ['/sdcard', '..'],
  ['/sdcard', '.'],
  ['/sdcard', 'a/b'],
  ['/sdcard', 'a\\b'],
  ['/sdcard\\..\\..', 'a'],
  ['/sdcard', 'a\0b'],
  ['/sd\0card', 'a'],
  ['/sdcard', ''],
  ['/sdcard', 'x'.repeat(256)],
  ['C:/x', 'a'],
  ['/out', 'a'],
  ['/alias', 'a'],
  ['/real', 'link.txt'],
  ['/real', 'folder'],
  ['/real/link.txt', 'a'],
])('%j and %j are refused', async (path, name) => {
  await expect(placeInJail(root, path, name)).rejects.toMatchObject({ code: 'bad_path' })
  expect(await readdir(join(folder, 'outside'))).toEqual([])
})

test('bytes gather apart, survive a close, and appear in place at once', async () => {
  const bytes = Buffer.from('0123456789')
  const digest = (kind: string) => createHash(kind).update(bytes).digest('hex')
  const file = { name: 'n.bin', path: '/in', size: 10, md5: digest('md5'), sha256: digest('sha256'), url: 'x' }
  const open = () => landInJail({ root, parts: join(folder, 'parts'), file })
  await mkdir(join(root, 'in'))
  await writeFile(join(root, 'in/n.bin'), 'old content')
  const first = await open()
  await first.write(bytes.subarray(0, 4))
  await first.close()
  const second = await open()
  expect(second.position).toBe(4)
  await second.write(bytes.subarray(4))
  expect(second.digests()).toEqual({ md5: file.md5, sha256: file.sha256 })
  expect(await readFile(join(root, 'in/n.bin'), 'utf8')).toBe('old content')
  expect(await second.place()).toBe('/in/n.bin')
  await second.close()
  expect(await readFile(join(root, 'in/n.bin'))).toEqual(bytes)
  const third = await open()
  expect(third.position).toBe(10)
  expect(await third.place()).toBe('/in/n.bin')
  await third.reset()
  expect(third.position).toBe(0)
  await third.close()
  expect(await readdir(join(folder, 'parts'))).toEqual([])
  expect(await readdir(join(root, 'in'))).toEqual(['n.bin'])
})

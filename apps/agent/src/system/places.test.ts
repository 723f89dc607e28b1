import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linuxBody } from '../body/linux.ts'
import { asFailure } from '../body/failures.ts'
import { directWork } from './direct.ts'

let folder: string
let has_disk = false
let count = 0
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mdm-places-')))
  mkdirSync(join(folder, 'sealed'))
  has_disk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'sealed', join(folder, 'sealed')]).status === 0
})
afterAll(() => {
  if (has_disk) spawnSync('umount', [join(folder, 'sealed')])
  rmSync(folder, { recursive: true })
})

/** A device that takes files below `write` alone. */
function device(write: string[] = [folder]) {
  const data = join(folder, `data-${(count += 1)}`)
  const body = linuxBody({ data, sn: 'P-1', system: directWork({ data, write }) })
  async function push(path: string, name: string, text: string) {
    const digest = (kind: string) => createHash(kind).update(text).digest('hex')
    const file = { path, name, size: text.length, md5: digest('md5'), sha256: digest('sha256'), url: '/x' }
    const landing = await body.land(file)
    try {
      if (landing.position === 0) await landing.write(Buffer.from(text))
      return await landing.place()
    } finally {
      await landing.close()
    }
  }
  return {
    data,
    body,
    push,
    refused: (path: string, name = 'a') => push(path, name, 'x').then(() => undefined, asFailure),
  }
}

test('a file goes where the push says, over a file that is there, with its folders, and leaves nothing behind', async () => {
  const { data, body, push } = device()
  const to = join(folder, 'etc/till')
  expect(await push(to, 'till.conf', 'first')).toBe(join(to, 'till.conf'))
  await push(to, 'till.conf', 'second')
  expect(readFileSync(join(to, 'till.conf'), 'utf8')).toBe('second')
  expect(statSync(join(to, 'till.conf')).mode & 0o777).toBe(0o644)
  expect([readdirSync(to), readdirSync(join(data, 'parts')), existsSync(join(data, 'files'))]).toEqual([
    ['till.conf'],
    [],
    false,
  ])
  const sha256 = createHash('sha256').update('second').digest('hex')
  expect(await body.remove_pushed(join(to, 'till.conf'), 'f'.repeat(64))).toBe(false)
  expect(await body.remove_pushed(join(to, 'till.conf'), sha256)).toBe(true)
  expect(readdirSync(to)).toEqual([])
})

test('links are followed on a real disk, but not to where no files are taken', async () => {
  const allowed = join(folder, 'allowed')
  mkdirSync(join(allowed, 'real'), { recursive: true })
  mkdirSync(join(folder, 'outside'))
  symlinkSync('real', join(allowed, 'link'))
  symlinkSync(join(folder, 'outside'), join(allowed, 'out'))
  const { push, refused } = device([allowed])
  await push(join(allowed, 'link'), 'a', 'x')
  expect(readdirSync(join(allowed, 'real'))).toEqual(['a'])
  expect((await refused(join(allowed, 'out')))?.code).toBe('bad_path')
  expect((await refused(join(allowed, 'out/new')))?.code).toBe('bad_path')
  const beside = await refused(join(folder, 'elsewhere'))
  expect(beside).toMatchObject({ code: 'bad_path', message: expect.stringContaining(`not below ${allowed}`) })
  expect([readdirSync(join(folder, 'outside')), existsSync(join(folder, 'elsewhere'))]).toEqual([[], false])
})

test('what is no place for a file is refused: the kernel, the agent itself, folders, links, paths that climb', async () => {
  const { push, refused } = device(['/'])
  mkdirSync(join(folder, 'full/taken'), { recursive: true })
  symlinkSync('/etc/passwd', join(folder, 'full/linked'))
  writeFileSync(join(folder, 'full/file'), '')
  const places: [string, string?][] = [
    ['/proc/sys/kernel', 'hostname'],
    ['/sys'],
    ['/dev/shm'],
    ['/etc/mdm-agent', 'agent.json'],
    ['/usr/lib/mdm-agent', 'mdm-agent.mjs'],
    [join(folder, 'full'), 'taken'],
    [join(folder, 'full'), 'linked'],
    [join(folder, 'full/file')],
    [`${folder}/../${folder}`],
    [folder, '../a'],
  ]
  for (const [path, name] of places) expect([path, (await refused(path, name))?.code]).toEqual([path, 'bad_path'])
  await push(join(folder, 'full'), 'file', 'x')
})

test('on a disk that can only be read a push fails with that reason', async ({ skip }) => {
  if (!has_disk) return skip('no disk of its own can be mounted here')
  const { data, refused } = device()
  for (const path of [join(folder, 'sealed'), join(folder, 'sealed/new')]) {
    const failure = await refused(path)
    expect([failure?.code, failure?.message]).toEqual(['bad_path', expect.stringContaining('can only be read')])
  }
  expect(readdirSync(join(data, 'parts')).length).toBeLessThanOrEqual(2)
})

test('people change files on the real disk only where files are taken', async () => {
  const allowed = join(folder, 'people')
  mkdirSync(allowed)
  const { body } = device([allowed])
  await body.files.make_folder(join(allowed, 'new'))
  await body.files.rename(join(allowed, 'new'), 'newer')
  expect((await body.files.list(allowed, undefined)).items).toMatchObject([{ name: 'newer', type: 'folder' }])
  await body.files.remove(join(allowed, 'newer'))
  expect(readdirSync(allowed)).toEqual([])
  for (const path of [folder, join(folder, 'data-1')])
    await expect(body.files.remove(path)).rejects.toMatchObject({ code: 'bad_path' })
  await expect(body.files.make_folder(join(folder, 'x'))).rejects.toMatchObject({ code: 'bad_path' })
})

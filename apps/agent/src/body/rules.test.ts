import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AppToInstall } from '@mdm/device-link'
import type { Body, FileOf } from './body.ts'
import { linuxBody } from './linux.ts'
import { simulatedBody } from './simulated.ts'

const signal = new AbortController().signal
const mib = 1_048_576
const bytes = Buffer.alloc(3 * mib, 'x')
const digest = (kind: string) => createHash(kind).update(bytes).digest('hex')
const fileOf = (more: Partial<FileOf> = {}): FileOf => ({
  ...{ name: 'a.bin', size: bytes.length, md5: digest('md5'), sha256: digest('sha256'), url: '/files/a' },
  path: '/sdcard/Download',
  ...more,
})
const appOf = (more: Partial<AppToInstall> = {}): AppToInstall => {
  const { path: _, ...file } = fileOf()
  return { package: 'com.acme.scan', title: 'Scan', version: '1', version_code: 1, kind: 'zip', file, ...more }
}
/** A file that is there, put there as a push does. */
async function pushed(body: Body, more: Partial<FileOf> = {}): Promise<string> {
  const landing = await body.land(fileOf(more), { is_kept: true })
  await landing.write(bytes)
  const place = await landing.place()
  await landing.close()
  return place
}

let data: string
/** Bytes that are free, whatever the body looks at. */
const disk = { free: 10 * 1024 * mib }
beforeAll(async () => void (data = await mkdtemp(join(tmpdir(), 'mdm-rules-'))))
afterAll(() => rm(data, { recursive: true }))
beforeEach(() => void (disk.free = 10 * 1024 * mib))

let count = 0
const bodies: [string, () => Body][] = [
  [
    'simulated',
    () => {
      const body = simulatedBody({ sn: 'R-1', seed: 1 })
      body.faults = Object.defineProperty({}, 'room', { get: () => disk.free - 64 * mib })
      return body
    },
  ],
  [
    'Linux',
    () =>
      linuxBody({
        data: join(data, String((count += 1))),
        has_bell: false,
        statfs: async () => ({ bavail: disk.free / 4096, bsize: 4096, blocks: (16 * 1024 * mib) / 4096 }),
      }),
  ],
]

/** What both bodies refuse, and by which code. */
const rules: [string, string, (body: Body) => Promise<unknown>][] = [
  ['a file that is larger than the disk', 'no_space', (body) => body.land(fileOf({ size: 11 * 1024 * mib }))],
  [
    'a file that leaves less than the reserve',
    'no_space',
    async (body) => {
      disk.free = 65 * mib
      return body.land(fileOf())
    },
  ],
  ['a file that climbs out', 'bad_path', (body) => body.land(fileOf({ path: '/sdcard/../../etc' }))],
  ['a file without a name', 'bad_path', (body) => body.land(fileOf({ name: '' }))],
  ['a file whose name is a path', 'bad_path', (body) => body.land(fileOf({ name: 'a/b' }))],
  [
    'a file in the place of a folder',
    'bad_path',
    async (body) => {
      await pushed(body, { path: '/sdcard/Download/sub' })
      return body.land(fileOf({ name: 'sub' }))
    },
  ],
  ['to list what is not there', 'not_found', (body) => body.files.list('/sdcard/nowhere', undefined)],
  ['to read what is not there', 'not_found', (body) => body.files.read('/nowhere')],
  ['to remove what is not there', 'not_found', (body) => body.files.remove('/nowhere')],
  ['to remove the root', 'bad_path', (body) => body.files.remove('/')],
  [
    'to make what is there',
    'exists',
    async (body) => {
      await pushed(body)
      return body.files.make_folder('/sdcard/Download')
    },
  ],
  [
    'to rename to what is there',
    'exists',
    async (body) => {
      await pushed(body)
      await pushed(body, { name: 'b.bin' })
      return body.files.rename('/sdcard/Download/a.bin', 'b.bin')
    },
  ],
  [
    'to rename to a path',
    'bad_path',
    async (body) => {
      await pushed(body)
      return body.files.rename('/sdcard/Download/a.bin', '../b.bin')
    },
  ],
  [
    'a package of an unknown kind',
    'package_kind',
    (body) => body.apps.assertFits(appOf({ kind: 'rpm' as AppToInstall['kind'] })),
  ],
  [
    'an app of another processor',
    'abi',
    async (body) => {
      const [kind] = (await body.inventory()).package_kinds as AppToInstall['kind'][]
      return body.apps.assertFits(appOf({ kind: kind!, abis: ['vax'] }))
    },
  ],
  [
    'an app that is larger than the disk',
    'no_space',
    (body) => body.apps.land(appOf({ file: { ...appOf().file, size: 11 * 1024 * mib } })),
  ],
  ['to start what is not there', 'not_found', (body) => body.apps.start('com.acme.nowhere', signal)],
  ['to uninstall what is not there', 'not_found', (body) => body.apps.uninstall('com.acme.nowhere')],
]

describe.each(bodies)('the %s body', (_name, open) => {
  test.each(rules)('refuses %s: %s', async (_what, code, act) => {
    await expect(act(open())).rejects.toMatchObject({ code })
  })

  test('says of a section that it does not know that it is unknown', async () => {
    expect(await open().configure('holograms', {}, signal)).toMatchObject({
      outcome: 'not_supported',
      reason: 'unknown_section',
    })
  })

  test('removes what was pushed, and nothing that is another file by then', async () => {
    const body = open()
    const place = await pushed(body)
    expect(await body.remove_pushed(place, 'f'.repeat(64))).toBe(false)
    expect(await body.remove_pushed(place, digest('sha256'))).toBe(true)
    expect(await body.remove_pushed(place, digest('sha256'))).toBe(false)
  })

  test('says how much room it has', async () => {
    expect(await open().room()).toBe(10 * 1024 * mib - 64 * mib)
  })
})

/** What a kind does where nothing is configured to do it. */
const effects: [string, (body: Body) => Promise<unknown>][] = [
  ['find', (body) => body.find(2, signal)],
  ['lock', (body) => body.lock('4711', signal)],
  ['restart', (body) => body.restart(signal)],
  ['shutdown', (body) => body.shut_down(signal)],
  ['factory_reset', (body) => body.factory_reset(signal)],
]
test.each(effects)('a Linux terminal that has no way to %s says so, before and when it is asked', async (type, act) => {
  const body = bodies[1]![1]()
  expect(body.task_types).not.toContain(type)
  await expect(act(body)).rejects.toMatchObject({ code: 'not_supported' })
})

test('a download stops when others take the room, and leaves nothing', async () => {
  const body = bodies[1]![1]()
  const own = join(data, String(count))
  const landing = await body.land(fileOf({ size: 3 * bytes.length }))
  await landing.write(bytes)
  disk.free = 63 * mib
  await expect(landing.write(bytes)).rejects.toMatchObject({ code: 'no_space' })
  await landing.close()
  expect(await readdir(join(own, 'parts'))).toEqual([])
})

test('a download that was given up gives way to one that needs its room; one that waits for its window does not', async () => {
  const body = bodies[1]![1]()
  const own = join(data, String(count))
  for (const size of [bytes.length, 2 * bytes.length]) {
    const landing = await body.land(fileOf({ size, name: `${size}.bin` }))
    await landing.write(bytes)
    await landing.close()
  }
  expect(await readdir(join(own, 'parts'))).toHaveLength(2)
  disk.free = 66 * mib
  await expect(body.land(fileOf({ name: 'other.bin' }))).rejects.toMatchObject({ code: 'no_space' })
  const left = await readdir(join(own, 'parts'))
  expect(left).toEqual([expect.stringContaining(`.${bytes.length}.part`)])
})

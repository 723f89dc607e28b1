import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { packagedAgents } from '../testing/packaged.ts'

const minute = 60_000
const can_unshare =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount --make-rprivate / && mount -o remount,ro,bind /']).status === 0

let packaged: Awaited<ReturnType<typeof packagedAgents>>
beforeAll(async () => void (packaged = await packagedAgents()))
afterAll(() => packaged.close())

/** Before the first line of the agent runs its clock says that it is 1970, as after a battery has run out. */
const in_1970 = `const began = Date.now(), Real = Date
globalThis.Date = class extends Real {
  constructor(...given) { given.length ? super(...given) : super(Date.now()) }
  static now() { return Real.now() - began + 60_000 }
}`

describe('the packaged agent on a machine whose clock is lost', () => {
  test(
    'enrols in 1970, does what is due, expires what had ended by then, and goes on when the clock is set',
    async () => {
      const { server, device, folder } = packaged
      const shim = join(folder, 'in-1970.mjs')
      writeFileSync(shim, in_1970)
      const options = { node: ['--import', shim] }
      const d = await device('C-1970', [], options)
      expect(server.of('hello', d.kid)[0]!.device_time).toMatch(/^1970-01-01T00:0/)
      const file = { ...server.addFile('clock.bin', randomBytes(1_000)), path: join(folder, 'clock') }
      const work = { type: 'file', payload: { files: [file] } }
      // It ends 50 years from now by this clock, which no timer can wait for.
      await server.report((await server.task(d.kid, work)).task_kid, 'completed')
      const gone = await server.task(d.kid, work, { expires_at: '1970-01-01T00:00:30.000Z' })
      const { code, message } = await server.report(gone.task_kid, 'failed')
      expect([code, message]).toEqual(['expired', expect.stringContaining("the device's clock says 1970-01-01")])
      const log = await server.task(d.kid, { type: 'remote_log', payload: { upload_url: '/upload/slot' } })
      await server.report(log.task_kid, 'completed')
      const journal = gunzipSync(server.uploads.at(-1)!).toString().trim().split('\n')
      const dates = journal.filter((line) => line.includes(' task ')).map((line) => line.slice(0, 24))
      expect(dates.length).toBeGreaterThan(3)
      expect(dates.every((date) => date.startsWith('1970-01-01T00:0'))).toBe(true)
      expect(dates).toEqual(dates.toSorted())

      server.settings.stalls = [400]
      const half = await server.task(d.kid, {
        type: 'file',
        payload: { files: [{ ...server.addFile('half.bin', randomBytes(900)), path: file.path }] },
      })
      // It says that it begins before it asks.
      await vi.waitFor(() => expect(server.settings.stalls).toEqual([]))
      await d.kill()
      delete (options as { node?: string[] }).node
      await d.startAgain()
      expect(new Date(server.of('hello', d.kid).at(-1)!.device_time).getFullYear()).toBeGreaterThan(2020)
      await server.report(half.task_kid, 'completed')

      // Lost again: what it says counts on, though it seems to be earlier.
      await d.kill()
      options.node = ['--import', shim]
      await d.startAgain()
      await server.report((await server.task(d.kid, work)).task_kid, 'completed')
      const seqs = server.of('state', d.kid).map(({ seq }) => seq)
      expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))
      expect(server.faults).toEqual([])
    },
    2 * minute,
  )
})

describe.skipIf(!can_unshare)(
  'on a machine where nothing but its data can be written (where unshare is, as root)',
  () => {
    test(
      'it works, and a push to a place that cannot be written fails with the reason',
      async () => {
        const { server, device, folder } = packaged
        const data = join(folder, 'R-1')
        const [open, owned] = [join(folder, 'open'), join(folder, 'owned')]
        for (const each of [open, owned]) mkdirSync(each)
        const kept = [data, open].map((each) => `mount --bind ${each} ${each}`).join(' && ')
        const mounts = `mount --make-rprivate / && ${kept} && mount -o remount,ro,bind / && exec "$@"`
        // Others of the machine stand on mounts of their own.
        const others = spawnSync('findmnt', ['-rno', 'TARGET']).stdout.toString().trim().split('\n')
        const read_only = others
          .filter((target) => folder.startsWith(target) && target !== '/')
          .map((target) => `mount -o remount,ro,bind ${target} && `)
        const before = ['unshare', '-m', 'sh', '-c', `${mounts.replace('exec', `${read_only.join('')}exec`)}`, 'sh']
        const d = await device('R-1', ['--write', `${open},${owned}`], { before })
        const bytes = randomBytes(5_000)
        const push = async (path: string) => {
          const files = [{ ...server.addFile('ro.bin', bytes), path }]
          return (await server.task(d.kid, { type: 'file', payload: { files } })).task_kid
        }
        await server.report(await push(open), 'completed')
        expect(readFileSync(join(open, 'ro.bin')).equals(bytes)).toBe(true)
        const refused = await server.report(await push(owned), 'failed')
        expect(refused.message).toContain('the disk can only be read')
        expect(existsSync(join(owned, 'ro.bin'))).toBe(false)
      },
      2 * minute,
    )
  },
)

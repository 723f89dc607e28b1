import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packagedAgents } from '../testing/packaged.ts'

const minute = 60_000
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
      await server.report(half.task_kid, 'downloading')
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

import { setTimeout as wait } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { onlineDevice, refused, remotePerson, remoteSettings, viewerEnd } from '../../../testing/remote.ts'
import type { RemoteDevice } from '../../../testing/remote.ts'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { keepRecordings } from './index.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterAll(async () => {
  await w.close()
  expect(w.internal_errors).toEqual([])
})
let ann: Awaited<ReturnType<typeof remotePerson>>
let device: RemoteDevice
beforeEach(async () => {
  ann = await remotePerson(w)
  device = await onlineDevice(w, ann.account_kid)
})
const settings = (account_kid: string, given: object = {}) => remoteSettings(w.deps, account_kid, given)

describe('recordings', () => {
  /** The file, once it is whole. */
  async function recorded(session_kid: string) {
    for (;;) {
      const { recordings } = await ann.call('get', { session_kid })
      if (recordings.length > 0) return recordings[0]!
      await wait(10)
    }
  }

  it('of a shell: what it wrote, and how large it was', async () => {
    await settings(ann.account_kid)
    const opened = await ann.call('open_terminal', { terminal_kid: device.kid })
    const viewer = await viewerEnd(w.url, opened)
    const end = device.ends[0]!
    end.socket.send(Buffer.from('h\u00e9').subarray(0, 2))
    await viewer.got(2)
    viewer.socket.send(JSON.stringify({ resize: { columns: 100, rows: 30 } }))
    await end.heard((note) => 'resize' in note)
    end.socket.send(Buffer.from('h\u00e9').subarray(2))
    await viewer.got(3)
    viewer.socket.close()
    const { kid, format } = await recorded(opened.session.kid)
    const lines = (await buffer(await w.deps.objects.read(kid))).toString().trimEnd().split('\n')
    expect(format).toBe('asciicast')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { version: 2, width: 80, height: 24, timestamp: Math.floor(w.deps.clock.now().getTime() / 1000) },
      [0, 'o', 'h'],
      [0, 'r', '100x30'],
      [0, 'o', 'é'],
    ])
  })

  it('of a screen, byte by byte, from its ServerInit on; watched by a signed address, and deleted', async () => {
    await settings(ann.account_kid, { record_desktop: true })
    const opened = await ann.call('open_desktop', { terminal_kid: device.kid })
    const viewer = await viewerEnd(w.url, opened)
    const end = device.ends[0]!
    const init = Buffer.concat([
      Buffer.from([0, 64, 0, 48]),
      Buffer.alloc(16, 1),
      Buffer.from([0, 0, 0, 3]),
      Buffer.from('X11'),
    ])
    const pixels = Buffer.alloc(16, 9)
    const pictures = [Buffer.from('first picture'), Buffer.alloc(100_000, 5), Buffer.from('last')]
    end.socket.send(Buffer.from('RFB 003.008\n'))
    viewer.socket.send(Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])]))
    await end.got(14)
    end.socket.send(Buffer.concat([Buffer.from([1, 1, 0, 0, 0, 0]), init.subarray(0, 10)]))
    end.socket.send(init.subarray(10))
    viewer.socket.send(Buffer.concat([Buffer.from([0, 0, 0, 0]), pixels]))
    await end.got(34)
    for (const picture of pictures) end.socket.send(picture)
    await viewer.got(12 + 6 + init.length + 100_017)
    viewer.socket.close()
    const { kid, bytes } = await recorded(opened.session.kid)

    const { url: signed } = await ann.call<{ url: string }>('watch', { recording_kid: kid })
    const file = Buffer.from(await (await fetch(w.url + signed)).arrayBuffer())
    expect(file.length).toBe(bytes)
    expect(file.subarray(0, 12).toString()).toBe('FBS 001.001\n')
    const blocks: Buffer[] = []
    for (let read = 12; read < file.length;) {
      const length = file.readUInt32BE(read)
      blocks.push(file.subarray(read + 4, read + 4 + length))
      read += 4 + Math.ceil(length / 4) * 4 + 4
    }
    pixels.copy(init, 4)
    expect(blocks[0]).toEqual(Buffer.concat([Buffer.from('RFB 003.003\n'), Buffer.from([0, 0, 0, 1]), init]))
    expect(Buffer.concat(blocks.slice(1))).toEqual(Buffer.concat(pictures))

    const stranger = await remotePerson(w)
    for (const key of ['watch', 'delete_recording'] as const)
      expect(await refused(stranger.call(key, { recording_kid: kid }))).toBe('not_found')
    await ann.call('delete_recording', { recording_kid: kid })
    expect(await w.deps.objects.size(kid)).toBeUndefined()
  })

  it('go after their time, and the oldest first where there are too many', async () => {
    await settings(ann.account_kid, { recording_days: 2, recording_bytes: 100 })
    const day = 86_400_000
    const add = async (days_ago: number, bytes: number) => {
      const kid = newKid()
      await w.deps.db
        .insertInto('remote_recording')
        .values({
          kid,
          account_kid: ann.account_kid,
          session_kid: newKid(),
          viewer_kid: newKid(),
          format: 'fbs',
          bytes,
          seconds: 1,
          started_at: new Date(w.deps.clock.now().getTime() - days_ago * day),
        })
        .execute()
      return kid
    }
    const kept = [await add(0, 60), await add(0.5, 40)]
    for (const [days, bytes] of [
      [1, 1],
      [3, 1],
    ] as const)
      await add(days, bytes)
    await keepRecordings(w.deps)
    const rows = await w.deps.db
      .selectFrom('remote_recording')
      .select('kid')
      .where('account_kid', '=', ann.account_kid)
      .execute()
    expect(rows.map(({ kid }) => kid).toSorted()).toEqual(kept.toSorted())
  })
})

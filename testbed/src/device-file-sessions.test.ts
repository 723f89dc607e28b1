import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import type { Body } from '@mdm/agent/body/body.ts'
import { linuxBody } from '@mdm/agent/body/linux.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { qrToken } from '@mdm/agent/cli.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { file_frame_bytes } from '@mdm/device-link'
import { fileViewer } from '@mdm/server/testing/file-viewer.ts'
import { viewerEnd } from '@mdm/server/testing/remote.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from './caller.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const { piece } = file_frame_bytes
let w: World
let call: Caller
let folder: string
let jail: string
const agents: Agent[] = []

async function join_(body: Body): Promise<string> {
  const { qrcode_kid, content } = await call.terminal.qrcode_registered_cache({})
  const reconnect = { base_ms: 50, cap_ms: 500 }
  agents.push(startAgent({ server: w.url, body, store: memoryStore(), qrcode: qrToken(content), reconnect }))
  const kid = await until('the device', async () => (await call.terminal.get_scan_result({ qrcode_kid })).terminal_kid)
  await until('the device online', async () => (await call.terminal.get({ kid })).is_online)
  return kid
}

const devices: Record<'simulated' | 'linux', string> = { simulated: '', linux: '' }
beforeAll(async () => {
  w = await world()
  call = w.customers[0]!
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mdm-file-sessions-')))
  jail = join(folder, 'jail')
  await mkdir(join(jail, 'sdcard'), { recursive: true })
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside/secret.txt'), 'secret')
  await symlink(join(folder, 'outside'), join(jail, 'sdcard/way-out'))
  await symlink(join(folder, 'outside/secret.txt'), join(jail, 'sdcard/link.txt'))
  devices.simulated = await join_(simulatedBody({ sn: 'FILES-OPEN-SIM', seed: 5, faults: {} }))
  devices.linux = await join_(linuxBody({ data: join(folder, 'data'), files: jail, sn: 'FILES-OPEN-LINUX' }))
})
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()))
  await w[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function open(terminal_kid: string) {
  const opened = await call.terminalRemote.open_files({ terminal_kid })
  const end = await viewerEnd(w.url, opened)
  return { session_kid: opened.session.kid, end, ...fileViewer(end) }
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const fileOf = (path: string, name: string, content: Uint8Array) => ({
  put: { path, name, size: content.length, sha256: sha256(content) },
})
async function write(
  viewer: Awaited<ReturnType<typeof open>>,
  content: Uint8Array,
  from: number,
  until_ = content.length,
) {
  const said = []
  for (let at = from; at < until_; at += piece) {
    const bytes = content.subarray(at, Math.min(until_, at + piece))
    said.push(viewer.ask({ write: { length: bytes.length } }, bytes))
  }
  return Promise.all(said)
}

describe.each(['simulated', 'linux'] as const)('files of a %s device', (which) => {
  test('what is put in two goes, with a dropped link between them, comes back as it was', async () => {
    const content = randomBytes(3 * piece + 77)
    const file = fileOf('/sdcard/trip', 'Bản đồ.bin', content)
    const first = await open(devices[which])
    expect(await first.ask(file)).toMatchObject({ position: 0 })
    await write(first, content, 0, piece)
    first.end.socket.terminate()

    const again = await open(devices[which])
    expect(await again.ask(file)).toMatchObject({ position: piece })
    await write(again, content, piece)
    expect(await again.ask({ place: true })).toMatchObject({ done: '/sdcard/trip/Bản đồ.bin' })

    const { list } = (await again.ask({ list: { path: '/sdcard/trip' } })) as { list: { items: object[] } }
    expect(list.items).toEqual([expect.objectContaining({ name: 'Bản đồ.bin', type: 'file', size: content.length })])
    const path = '/sdcard/trip/Bản đồ.bin'
    const pieces = await Promise.all(
      [0, 1, 2, 3, 4].map((at) => again.ask({ read: { path, offset: at * piece, length: piece } })),
    )
    expect(sha256(Buffer.concat(pieces.map(({ bytes }) => bytes!)))).toBe(sha256(content))
    expect(pieces[4]).toMatchObject({ read: { length: 0, size: content.length } })
    await call.terminalRemote.end({ kids: [again.session_kid] })
    expect((await again.end.closed).reason).toBe('ended')
  })

  test('bytes that are not those that were announced are not put in place', async () => {
    const viewer = await open(devices[which])
    const content = randomBytes(1000)
    await viewer.ask(fileOf('/sdcard', 'false.bin', content))
    await write(viewer, randomBytes(1000), 0)
    expect(await viewer.ask({ place: true })).toMatchObject({ error: { code: 'hash_mismatch' } })
    await viewer.ask(fileOf('/sdcard', 'false.bin', content))
    expect(await viewer.ask({ write: { length: 1001 } }, randomBytes(1001))).toMatchObject({
      error: { code: 'too_large' },
    })
    expect(await viewer.ask({ read: { path: '/sdcard/false.bin', offset: 0, length: 1 } })).toMatchObject({
      error: { code: 'not_found' },
    })
    viewer.end.socket.close()
  })

  test.each(['/sdcard/../../outside', '/..', '/sdcard/\u0000', 'a\\b'])('%j is no place of it', async (path) => {
    const viewer = await open(devices[which])
    const bad = { error: { code: 'bad_path' } }
    expect(await viewer.ask({ list: { path } })).toMatchObject(bad)
    expect(await viewer.ask({ read: { path: `${path}/secret.txt`, offset: 0, length: 6 } })).toMatchObject(bad)
    expect(await viewer.ask(fileOf(path, 'x.txt', randomBytes(1)))).toMatchObject(bad)
    expect(await viewer.ask(fileOf('/sdcard', '../x.txt', randomBytes(1)))).toMatchObject(bad)
    expect(await viewer.ask({ make_folder: { path: `${path}/x` } })).toMatchObject(bad)
    viewer.end.socket.close()
  })
})

test('what leads out of the folder of a linux device is neither read nor written through', async () => {
  const viewer = await open(devices.linux)
  for (const path of ['/sdcard/way-out/secret.txt', '/sdcard/link.txt'])
    expect(await viewer.ask({ read: { path, offset: 0, length: 6 } })).toMatchObject({ error: { code: 'bad_path' } })
  for (const file of [fileOf('/sdcard/way-out', 'x', randomBytes(1)), fileOf('/sdcard', 'link.txt', randomBytes(1))])
    expect(await viewer.ask(file)).toMatchObject({ error: { code: 'bad_path' } })
  expect(await readdir(join(folder, 'outside'))).toEqual(['secret.txt'])
  expect(await readFile(join(folder, 'outside/secret.txt'), 'utf8')).toBe('secret')
  viewer.end.socket.close()
})

test('of each piece the device says how the file is now, so that a changed one shows itself', async () => {
  const path = join(jail, 'sdcard/growing.txt')
  await writeFile(path, 'one')
  const viewer = await open(devices.linux)
  const read = { read: { path: '/sdcard/growing.txt', offset: 1, length: 100 } }
  expect(await viewer.ask(read)).toMatchObject({ read: { length: 2, size: 3 }, bytes: Buffer.from('ne') })
  await writeFile(path, 'longer')
  await utimes(path, 1, 1)
  expect(await viewer.ask(read)).toMatchObject({ read: { size: 6, modified_at: '1970-01-01T00:00:01.000Z' } })
  viewer.end.socket.close()
})

test('which kinds of sessions a device opens is told with it', async () => {
  const { tunnels } = await call.terminal.get({ kid: devices.linux })
  expect(tunnels).toEqual(['log', 'files'])
})

import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { TaskFailure } from '@mdm/agent/body/body.ts'
import type { Body } from '@mdm/agent/body/body.ts'
import { linuxBody } from '@mdm/agent/body/linux.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { qrToken } from '@mdm/agent/cli.ts'
import { storedCredentials } from '@mdm/agent/enrol.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import type { Store } from '@mdm/agent/store.ts'
import { constants } from '@mdm/contract'
import type { DeviceTransfer } from '@mdm/contract'
import type { FailureCode } from '@mdm/device-link'
import { keepTransfers } from '@mdm/server/modules/devices/terminal-file/index.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from './caller.ts'
import { cuttingProxy } from '@mdm/server/testing/cutting-proxy.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const mib = 1024 ** 2
const day_ms = 86_400_000
let w: World
let call: Caller
let proxy: Awaited<ReturnType<typeof cuttingProxy>>
let folder: string
let jail: string
const agents: Agent[] = []
const stores = new Map<Body, Store>()

/** A device with any body, that reaches the server through the proxy. */
async function join_(body: Body): Promise<string> {
  const { qrcode_kid, content } = await call.terminal.qrcode_registered_cache({})
  const store = memoryStore()
  const agent = startAgent({
    server: proxy.url,
    body,
    store,
    qrcode: qrToken(content),
    reconnect: { base_ms: 50, cap_ms: 500 },
  })
  agents.push(agent)
  stores.set(body, store)
  const kid = await until('the device', async () => (await call.terminal.get_scan_result({ qrcode_kid })).terminal_kid)
  await until('the device online', async () => (await call.terminal.get({ kid })).is_online)
  return kid
}
const simulated = (sn: string) => simulatedBody({ sn, seed: 5, faults: {} })

const devices: Record<'simulated' | 'linux', string> = { simulated: '', linux: '' }
beforeAll(async () => {
  w = await world()
  call = w.customers[0]!
  proxy = await cuttingProxy(w.url)
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mdm-files-')))
  jail = join(folder, 'jail')
  await mkdir(join(jail, 'sdcard/many'), { recursive: true })
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside/secret.txt'), 'secret')
  await symlink(join(folder, 'outside'), join(jail, 'sdcard/way-out'))
  await symlink(join(folder, 'outside/secret.txt'), join(jail, 'sdcard/link.txt'))
  devices.simulated = await join_(simulated('FILES-SIM'))
  devices.linux = await join_(linuxBody({ data: join(folder, 'data'), files: jail, sn: 'FILES-LINUX' }))
})
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()))
  await proxy.close()
  await w[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const names = async (terminal_kid: string, path: string) =>
  (await call.terminalFile.list({ terminal_kid, path })).items.map(({ name }) => name)
const ended = ({ kid, terminal_kid }: DeviceTransfer) =>
  until('the transfer to end', async () => {
    const { items } = await call.terminalFile.paging({ terminal_kid })
    const found = items.find((row) => row.kid === kid)!
    return found.state === 'running' ? undefined : found
  })
const bytesOf = async ({ url }: DeviceTransfer) => {
  const response = await fetch(new URL(url!, w.url))
  expect(response.headers.get('content-disposition')).toMatch(/^attachment/)
  return Buffer.from(await response.arrayBuffer())
}
async function put(terminal_kid: string, path: string, name: string, content: Buffer) {
  const upload_kid = await uploadFile(call, name, content)
  return call.terminalFile.upload({ terminal_kid, path, name, upload_kid })
}
const refusal = (result: number) => ({ reply: { result } })

describe.each(['simulated', 'linux'] as const)('a %s device', (which) => {
  test('20 MB go there and come back as they were, over cuts in both directions', async () => {
    const kid = devices[which]
    const content = randomBytes(20 * mib)
    const cut_before = proxy.cut_count()
    proxy.cut('down', 7 * mib)
    const sent = await ended(await put(kid, '/sdcard/trip', 'Bản đồ.bin', content))
    expect(sent).toMatchObject({ kind: 'upload', state: 'completed', progress: 100, path: '/sdcard/trip/Bản đồ.bin' })
    expect(await call.terminalFile.list({ terminal_kid: kid, path: '/sdcard/trip' })).toMatchObject({
      items: [{ name: 'Bản đồ.bin', type: 'file', size: content.length }],
      next: null,
    })
    proxy.cut('up', 9 * mib)
    const asked = await call.terminalFile.download({ terminal_kid: kid, path: '/sdcard/trip/Bản đồ.bin' })
    expect(asked).toMatchObject({ state: 'running', url: null, size: null })
    const back = await ended(asked)
    expect(back).toMatchObject({ state: 'completed', size: content.length, sha256: sha256(content) })
    expect(sha256(await bytesOf(back))).toBe(sha256(content))
    expect(proxy.cut_count() - cut_before).toBe(2)
    expect(await w.server.deps.db.selectFrom('device_slot').selectAll().where('kid', '=', back.kid).execute()).toEqual(
      [],
    )
  })

  test('folders are made, things renamed and deleted', async () => {
    const at = { terminal_kid: devices[which] }
    await call.terminalFile.make_folder({ ...at, path: '/sdcard', name: 'Ảnh' })
    await expect(call.terminalFile.make_folder({ ...at, path: '/sdcard', name: 'Ảnh' })).rejects.toMatchObject(
      refusal(44001),
    )
    await call.terminalFile.make_folder({ ...at, path: '/sdcard/Ảnh', name: 'inner' })
    await call.terminalFile.rename({ ...at, path: '/sdcard/Ảnh', name: '照片' })
    expect(await names(devices[which], '/sdcard/照片')).toEqual(['inner'])
    await expect(call.terminalFile.list({ ...at, path: '/sdcard/Ảnh' })).rejects.toMatchObject(refusal(42085))
    await call.terminalFile.delete({ ...at, path: '/sdcard/照片' })
    expect(await names(devices[which], '/sdcard')).not.toContain('照片')
    await expect(call.terminalFile.delete({ ...at, path: '/' })).rejects.toMatchObject(refusal(42084))
  })

  test.each(['/sdcard/../../etc', '/..', '/sdcard/..', 'sdcard', '/a\\..\\b', '/a\u0000b'])(
    'the path %j gets past neither the server nor the device',
    async (path) => {
      const at = { terminal_kid: devices[which], path }
      await expect(call.terminalFile.list(at)).rejects.toMatchObject(refusal(10000))
      await expect(call.terminalFile.download(at)).rejects.toMatchObject(refusal(10000))
      if (path.startsWith('/'))
        for (const method of ['file_list', 'file_delete', 'file_make_folder'])
          await expect(
            w.server.deps.link.request(devices[which], method, { path }, 5_000),
            method,
          ).rejects.toMatchObject({ code: 'bad_path' })
    },
  )

  test.each(['..', '../x', 'a/b', 'a\\b', '', 'x'.repeat(256), 'a\nb', 'dot.'])(
    'the name %j gets past neither the server nor the device',
    async (name) => {
      const at = { terminal_kid: devices[which], path: '/sdcard' }
      await expect(call.terminalFile.make_folder({ ...at, name })).rejects.toMatchObject(refusal(45002))
      await expect(call.terminalFile.rename({ ...at, path: '/sdcard/trip', name })).rejects.toMatchObject(
        refusal(45002),
      )
      const rename = w.server.deps.link.request(devices[which], 'file_rename', { path: '/sdcard/trip', name }, 5_000)
      await expect(rename).rejects.toMatchObject({ code: expect.stringMatching(/^bad_/) })
    },
  )

  test('its log comes as a compressed file', async () => {
    const asked = await call.terminalLog.ask({ terminal_kid: devices[which] })
    const log = await until('the log', async () => {
      const [row] = (await call.terminalLog.paging({ terminal_kid: devices[which] })).items
      return row?.kid === asked.kid && row.state === 'completed' ? row : undefined
    })
    expect(log.name).toMatch(/^FILES-.*\.log\.gz$/)
    expect(gunzipSync(await bytesOf(log)).toString()).toMatch(/Z online\n[^]*Z request file_list\n/)
    const { items } = await call.terminalFile.paging({ terminal_kid: devices[which] })
    expect(items.map(({ kind }) => kind)).not.toContain('log')
  })
})

test('the files of a Linux device end at its jail: links are shown and lead nowhere', async () => {
  const at = { terminal_kid: devices.linux }
  const { items } = await call.terminalFile.list({ ...at, path: '/sdcard' })
  expect(items.filter(({ type }) => type === 'other').map(({ name }) => name)).toEqual(['link.txt', 'way-out'])
  await expect(call.terminalFile.list({ ...at, path: '/sdcard/way-out' })).rejects.toMatchObject(refusal(42084))
  const failed = await ended(await call.terminalFile.download({ ...at, path: '/sdcard/way-out/secret.txt' }))
  expect(failed).toMatchObject({ state: 'failed', code: 'bad_path', url: null })
  expect(await ended(await call.terminalFile.download({ ...at, path: '/sdcard/link.txt' }))).toMatchObject({
    state: 'failed',
    code: 'bad_path',
  })
  expect(await ended(await put(devices.linux, '/sdcard/way-out', 'x.txt', Buffer.from('x')))).toMatchObject({
    state: 'failed',
    code: 'bad_path',
  })
  await call.terminalFile.delete({ ...at, path: '/sdcard/way-out' })
  expect(await readdir(join(folder, 'outside'))).toEqual(['secret.txt'])
  expect(await readFile(join(folder, 'outside/secret.txt'), 'utf8')).toBe('secret')
})

test('a large folder comes in parts of at most 1000', async () => {
  const all = Array.from({ length: 2_345 }, (_, n) => `${'n'.repeat(200)}-${String(n).padStart(5, '0')}.txt`)
  await Promise.all(all.map((name) => writeFile(join(jail, 'sdcard/many', name), '')))
  const found: string[] = []
  let next: string | null = null
  do {
    const part: Awaited<ReturnType<typeof call.terminalFile.list>> = await call.terminalFile.list({
      terminal_kid: devices.linux,
      path: '/sdcard/many',
      ...(next === null ? {} : { after: next }),
    })
    expect(part.items.length).toBeLessThanOrEqual(1_000)
    found.push(...part.items.map(({ name }) => name))
    next = part.next
  } while (next !== null)
  expect(found).toEqual(all)
})

test('apps of a simulated device are listed, restricted and uninstalled; those of a system stay', async () => {
  const at = { terminal_kid: devices.simulated }
  const { items: before } = await call.terminalApp.list(at)
  expect(before[0]).toMatchObject({ size: expect.any(Number), permissions: expect.arrayContaining([]) })
  const { package: name } = before.find((app) => !app.is_system)!
  await call.terminalApp.set_permission({ ...at, package: name, permission: 'camera', state: 'deny' })
  const after = (await call.terminalApp.list(at)).items.find((app) => app.package === name)!
  expect(after.permissions).toContainEqual({ name: 'camera', state: 'deny' })
  await call.terminalApp.uninstall({ ...at, package: name })
  expect((await call.terminalApp.list(at)).items.map((app) => app.package)).not.toContain(name)
  await expect(call.terminalApp.uninstall({ ...at, package: name })).rejects.toMatchObject(refusal(42086))
  const system = { terminal_kid: devices.linux, package: 'bash' }
  await expect(call.terminalApp.uninstall(system)).rejects.toMatchObject(refusal(42083))
  const permission = { ...system, permission: 'camera', state: 'deny' } as const
  await expect(call.terminalApp.set_permission(permission)).rejects.toMatchObject(refusal(42083))
})

describe('a hostile device', () => {
  let kid: string
  let body: Body
  let answer: () => unknown
  let read: () => Promise<never>
  beforeAll(async () => {
    const plain = simulated('FILES-HOSTILE')
    const list = (async () => answer()) as unknown as Body['files']['list']
    const apps = (async () => answer()) as unknown as Body['apps']['list']
    const files = { ...plain.files, list, read: () => read() }
    body = { ...plain, files, apps: { ...plain.apps, list: apps } }
    kid = await join_(body)
  })
  const listing = () => call.terminalFile.list({ terminal_kid: kid, path: '/' })
  const file = (name: unknown, more = {}) => ({ items: [{ name, type: 'file', ...more }], has_more: false })

  test.each([
    ['a name that climbs', file('..')],
    ['a name with a slash', file('../../etc/passwd')],
    ['a name with a line break', file('a\nb')],
    ['a name that is too long', file('x'.repeat(256))],
    ['a name that is no text', file({ toString: 'x' })],
    ['a size below nothing', file('a', { size: -1 })],
    ['a size beyond all numbers', file('a', { size: 1e300 })],
    ['a time that is none', file('a', { modified_at: 'yesterday' })],
    ['a type that nobody knows', file('a', { type: 'javascript:' })],
    [
      'more entries than allowed',
      { items: Array.from({ length: 1_001 }, (_, n) => ({ name: `${n}`, type: 'file' })), has_more: false },
    ],
  ])('is not believed: %s', async (_, given) => {
    answer = () => given
    await expect(listing()).rejects.toMatchObject(refusal(42082))
  })

  test('cannot lead in circles', async () => {
    answer = () => ({ items: [{ name: 'b', type: 'file' }], has_more: true })
    await expect(call.terminalFile.list({ terminal_kid: kid, path: '/', after: 'b' })).rejects.toMatchObject(
      refusal(42082),
    )
  })

  test('cannot speak for the link, nor in more than one short line', async () => {
    answer = () => {
      throw new TaskFailure('offline' as FailureCode, `\u202Egnp.exe\nsecond line ${'x'.repeat(5_000)}`)
    }
    const { status, reply } = await listing().then(
      () => ({ status: 200, reply: { result: 1, message: '' } }),
      (error: { status: number; reply: { result: number; message: string } }) => error,
    )
    expect({ status, result: reply.result }).toEqual({ status: 422, result: 42084 })
    expect(reply.message.length).toBeLessThan(300)
    expect(reply.message).not.toMatch(/[\u202E\n]/)
  })

  test('that claims to have sent a file has sent nothing', async () => {
    read = () => Promise.reject(new TaskFailure('__proto__' as FailureCode, 'no'))
    const failed = await ended(await call.terminalFile.download({ terminal_kid: kid, path: '/a.bin' }))
    expect(failed).toMatchObject({ state: 'failed', code: '__proto__', message: 'no', url: null })
    answer = () => ({ items: [{ package: 'a' }] })
    await expect(call.terminalApp.list({ terminal_kid: kid })).rejects.toMatchObject(refusal(42084))
  })

  test('that never says a word again is given up, and its slot with it', async () => {
    read = () => new Promise(() => {})
    const asked = await call.terminalFile.download({ terminal_kid: kid, path: '/a.bin' })
    const { deps } = w.server
    const later = new Date(deps.clock.now().getTime() + 10 * 60_000)
    await keepTransfers({ ...deps, clock: { ...deps.clock, now: () => later } })
    expect(await ended(asked)).toMatchObject({ state: 'failed', code: 'interrupted' })
    const { kid: user, secret } = (await storedCredentials(stores.get(body)!, proxy.url))!
    const late = await fetch(`${w.url}/device/slot/${asked.kid}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${user}:${secret}` },
      body: 'x',
    })
    expect(late.status).toBe(404)
  })
})

test('a device that is not online is not asked', async () => {
  const device = await w.addDevice()
  await device.agent.stop()
  await until('it to be offline', async () => !(await call.terminal.get({ kid: device.kid })).is_online)
  const at = { terminal_kid: device.kid, path: '/sdcard' }
  const offline = refusal(42003)
  await expect(call.terminalFile.list(at)).rejects.toMatchObject(offline)
  await expect(call.terminalFile.download({ ...at, path: '/sdcard/a' })).rejects.toMatchObject(offline)
  await expect(call.terminalApp.list({ terminal_kid: device.kid })).rejects.toMatchObject(offline)
  await expect(call.terminalLog.ask({ terminal_kid: device.kid })).rejects.toMatchObject(offline)
  expect((await call.terminalFile.paging({ terminal_kid: device.kid })).total).toBe(0)
})

test('a device that has gone offline is shown as it last said, for 30 days', async () => {
  const device = await w.addDevice()
  const { kid: terminal_kid } = device
  const at = { terminal_kid, path: '/' }
  const files = await call.terminalFile.list(at)
  const apps = await call.terminalApp.list({ terminal_kid })
  expect([files.reported_at, apps.reported_at]).toEqual([null, null])
  expect(files.items.length).toBeGreaterThan(0)
  await device.agent.stop()
  await until('it to be offline', async () => !(await call.terminal.get({ kid: terminal_kid })).is_online)
  const reported_at = expect.any(String) as string
  expect(await call.terminalFile.list(at)).toEqual({ ...files, reported_at })
  expect(await call.terminalApp.list({ terminal_kid })).toEqual({ ...apps, reported_at })
  await expect(call.terminalFile.list({ ...at, path: '/never-seen' })).rejects.toMatchObject(refusal(42003))
  await expect(call.terminalApp.uninstall({ terminal_kid, package: 'a' })).rejects.toMatchObject(refusal(42003))
  await expect(w.customers[1]!.terminalFile.list(at)).rejects.toMatchObject(refusal(404))
  const { deps } = w.server
  const later = new Date(deps.clock.now().getTime() + 30 * day_ms + 1)
  await keepTransfers({ ...deps, clock: { ...deps.clock, now: () => later } })
  await expect(call.terminalFile.list(at)).rejects.toMatchObject(refusal(42003))
  await expect(call.terminalApp.list({ terminal_kid })).rejects.toMatchObject(refusal(42003))
})

test('a transfer that is cancelled stops on both ends', async () => {
  const body = simulatedBody({ sn: 'FILES-SLOW', seed: 5, faults: { slow_ms: 200 } })
  const kid = await join_(body)
  const asked = await put(kid, '/sdcard', 'slow.bin', randomBytes(20 * mib))
  await until(
    'some progress',
    async () => (await call.terminalFile.paging({ terminal_kid: kid })).items[0]!.progress > 0,
  )
  expect(await call.terminalFile.cancel({ kid: asked.kid })).toMatchObject({ state: 'canceled' })
  await expect(call.terminalFile.cancel({ kid: asked.kid })).rejects.toMatchObject(refusal(43003))
  body.faults = {}
  await expect(w.server.deps.link.request(kid, 'ping', {}, 5_000)).resolves.toMatchObject({})
  expect(await names(kid, '/sdcard')).not.toContain('slow.bin')
  expect((await call.terminalFile.paging({ terminal_kid: kid })).items[0]).toMatchObject({ state: 'canceled' })
})

test('a file that came from a device is removed after 30 days', async () => {
  const { deps } = w.server
  const path = '/sdcard/logs/scan.log'
  const kept = await ended(await call.terminalFile.download({ terminal_kid: devices.simulated, path }))
  const row = () => deps.db.selectFrom('device_transfer').selectAll().where('kid', '=', kept.kid).executeTakeFirst()
  const object = (await row())!.object!
  const at = (days: number) => ({ ...deps.clock, now: () => new Date(Date.parse(kept.created_at) + days * day_ms) })
  await keepTransfers({ ...deps, clock: at(constants.device_file_cache_days - 0.1) })
  expect(await deps.objects.size(object)).toBe(kept.size)
  await keepTransfers({ ...deps, clock: at(constants.device_file_cache_days + 0.1) })
  expect(await row()).toBeUndefined()
  expect(await deps.objects.size(object)).toBeUndefined()
})

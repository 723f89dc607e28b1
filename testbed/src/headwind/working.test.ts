import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endResets } from '@mdm/server/gateways/shared/silent-resets.ts'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { HeadwindAgent } from './agent.ts'
import { headwindWorld } from './headwind-world.ts'
import type { HeadwindWorld } from './headwind-world.ts'

const minute = 60_000

describe('work of a device with the Headwind agent', () => {
  let w: HeadwindWorld
  let a: HeadwindAgent
  beforeAll(async () => {
    w = await headwindWorld()
    a = await w.joinedDevice()
  })
  afterAll(() => w.close())
  /** Until the poll that was sent waits at the server. */
  const held = () => new Promise((resolve) => setTimeout(resolve, 300))
  let apps = 0
  /** Another app each time, as what a device has it is not sent. */
  const appPush = (one: HeadwindAgent, more: object = {}) =>
    w.pushApp(one, { package: `com.example.app${(apps += 1)}`, version_code: 7, version: '1.7', ...more })
  const name = () => `com.example.app${apps}`
  async function filePush(one: HeadwindAgent, path: string, more: object = {}) {
    const object = newKid()
    const bytes = await w.deps.objects.put(object, Readable.from([Buffer.from('prices')]), 1_000)
    const kid = newKid()
    await w.deps.db.deleteFrom('file_cloud').where('name', '=', 'prices.csv').execute()
    await w.deps.db
      .insertInto('file_cloud')
      .values({
        ...{ kid, account_kid: w.account_kid, name: 'prices.csv', content_type: 'text/csv', object },
        ...{ size: bytes.size, md5: bytes.md5, sha256: bytes.sha256 },
        ...{ created_by_kid: newKid(), created_by: 'Ann', created_at: w.deps.clock.now() },
      })
      .execute()
    return w.push(one, { type: 'file', payload: { file_kids: [kid], path }, ...more })
  }

  it('is told of a push over the poll that it holds', async () => {
    await a.look()
    const polled = a.poll()
    await held()
    const task = await appPush(a)
    expect(await polled).toBe(true)
    expect(a.done).toContain(`install ${name()}`)
    expect(await task.row()).toMatchObject({ state: 'completed' })
  })

  it('holds its poll for less than a minute, and one at a time', async () => {
    const polled = a.poll()
    await held()
    const again = a.poll()
    expect(await polled).toBe(false)
    const step = setInterval(() => void w.deps.clock.advance(10_000), 20)
    expect(await again).toBe(false)
    clearInterval(step)
  })

  it('an app is received, fetched and there, by the version that it says; where the answer was lost it comes again', async () => {
    const task = await appPush(a)
    await w.deps.clock.advance(minute)
    await a.fetchConfig({ loses_answer: true })
    expect(await task.row()).toMatchObject({ state: 'executing' })
    expect(await w.laterDevice(a, minute)).toBe(false)
    expect(await w.laterDevice(a, 2 * minute)).toBe(true)
    expect(await task.row()).toMatchObject({ state: 'completed', attempt: 1 })
    expect(await w.laterDevice(a)).toBe(false)
  })

  it('an app that Android refuses fails with what the agent logs of it', async () => {
    const task = await appPush(a)
    a.refuses.add(name())
    await w.laterDevice(a)
    expect(await task.row()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('Install failed: INVALID'),
    })
  })

  it('a lower version takes the place of a higher one only where the push may do that', async () => {
    a.apps.set('com.example.old', { version: '2.0', code: 20 })
    const refused = await w.pushApp(a, { package: 'com.example.old', version_code: 7, version: '1.7' })
    await w.laterDevice(a)
    expect(await refused.row()).toMatchObject({ state: 'failed', code: 'has_newer' })
    a.apps.set('com.example.older', { version: '2.0', code: 20 })
    const may = await w.pushApp(a, {
      package: 'com.example.older',
      version_code: 8,
      version: '1.8',
      may_downgrade: true,
    })
    await w.laterDevice(a)
    await w.laterDevice(a)
    expect(await may.row()).toMatchObject({ state: 'completed' })
    expect(a.apps.get('com.example.older')).toMatchObject({ version: '1.8' })
  })

  it('an app is removed once it is seen to be gone; the agent itself never is', async () => {
    a.apps.set('com.example.gone', { version: '1', code: 1 })
    const task = await w.push(a, { type: 'app_uninstall', payload: { packages: ['com.example.gone'] } })
    const self = await w.push(a, { type: 'app_uninstall', payload: { packages: ['com.hmdm.launcher'] } })
    await w.laterDevice(a)
    expect(a.done).toContain('remove com.example.gone')
    expect(await self.row()).toMatchObject({ state: 'failed', code: 'not_supported' })
    await w.laterDevice(a, 5 * minute)
    expect(await task.row()).toMatchObject({ state: 'completed' })
    expect(a.apps.has('com.hmdm.launcher')).toBe(true)
  })

  it('a file goes to the storage that users see, and to no other place', async () => {
    const task = await filePush(a, '/sdcard/Download')
    const odd = [await filePush(a, '/data/local/tmp'), await filePush(a, '/sdcard/../../data')]
    await w.laterDevice(a)
    expect(a.files.has('Download/prices.csv')).toBe(true)
    expect(await task.row()).toMatchObject({ state: 'completed' })
    for (const each of odd) expect(await each.row()).toMatchObject({ state: 'failed', code: 'path_not_allowed' })
    // The same place again is another file.
    const again = await filePush(a, '/sdcard/Download')
    await w.laterDevice(a)
    expect(await again.row()).toMatchObject({ state: 'completed' })
    expect(a.done.filter((each) => each === 'file Download/prices.csv')).toHaveLength(2)
  })

  it('waits for a battery that is charged enough, and lets the agent wait for Wi-Fi', async () => {
    a.battery = 20
    await a.report()
    const task = await appPush(a, { conditions: { min_battery: 50, network: 'wifi' } })
    await w.laterDevice(a)
    expect(await task.row()).toMatchObject({ state: 'wait_execute' })
    expect(a.config!.applications.map(({ pkg }) => pkg)).not.toContain(name())
    a.battery = 90
    await a.report()
    await w.laterDevice(a)
    expect(await task.row()).toMatchObject({ state: 'completed' })
    expect(a.config!.downloadUpdates).toBe('wifi')
    a.battery = 80
  })

  it('a restart is done once, when it comes as after a start, and failed when it goes on polling', async () => {
    const task = await w.push(a, { type: 'restart', payload: {} })
    await w.laterDevice(a)
    expect(a.done.at(-1)).toBe('reboot')
    expect(await task.row()).toMatchObject({ state: 'executing' })
    await w.deps.clock.advance(40_000)
    await a.sync()
    expect(await task.row()).toMatchObject({ state: 'completed' })
    expect(a.config!.reboot).toBe(undefined)
    a.is_stuck = true
    const ignored = await w.push(a, { type: 'restart', payload: {} })
    await w.laterDevice(a)
    for (let i = 0; i < 3; i += 1) expect(await w.laterDevice(a)).toBe(false)
    expect(await ignored.row()).toMatchObject({ state: 'failed', code: 'not_restarted' })
    expect(a.done.filter((each) => each === 'reboot')).toHaveLength(2)
    a.is_stuck = false
  })

  it('an app that is followed by a restart is done after it', async () => {
    const task = await appPush(a, { conditions: { after_install: 'restart' } })
    await w.laterDevice(a)
    expect(a.done.at(-1)).toBe(`install ${name()}`)
    await w.laterDevice(a)
    expect(a.done.at(-1)).toBe('reboot')
    expect(await task.row()).toMatchObject({ state: 'executing' })
    await w.deps.clock.advance(40_000)
    await a.sync()
    expect(await task.row()).toMatchObject({ state: 'completed' })
  })

  it('a reset is done when it is silent or comes back as new, and failed when it goes on as it was', async () => {
    const b = await w.joinedDevice()
    const back = await w.push(b, { type: 'factory_reset', payload: {} })
    await w.laterDevice(b)
    expect(b.done).toEqual(['reset'])
    await w.deps.clock.advance(15 * minute)
    await b.sync()
    expect(await back.row()).toMatchObject({ state: 'completed' })

    await w.deps.clock.advance(minute)
    const silent = await w.push(b, { type: 'factory_reset', payload: {} })
    await w.laterDevice(b)
    await endResets(w.deps)
    expect(await silent.row()).toMatchObject({ state: 'executing' })
    await w.deps.clock.advance(21 * minute)
    await endResets(w.deps)
    expect(await silent.row()).toMatchObject({ state: 'completed' })

    const c = await w.joinedDevice()
    c.is_stuck = true
    const ignored = await w.push(c, { type: 'factory_reset', payload: {} })
    for (let i = 0; i < 6; i += 1) await w.laterDevice(c)
    expect(await ignored.row()).toMatchObject({ state: 'failed', code: 'not_reset' })
    expect(c.done).toEqual(['reset'])
  })

  it('a reset or a restart that was canceled after it was fetched is not carried out', async () => {
    const b = await w.joinedDevice()
    const reset = await w.push(b, { type: 'factory_reset', payload: {} })
    const restart = await w.push(b, { type: 'restart', payload: {} })
    await w.deps.clock.advance(minute)
    const config = await b.fetchConfig()
    expect(config).toMatchObject({ factoryReset: true, reboot: true })
    for (const { kid } of [reset, restart])
      await w.deps.db
        .updateTable('push_task_terminal')
        .set({ state: 'failed', code: 'deadline', send_at: null })
        .where('push_task_kid', '=', kid)
        .execute()
    await b.look()
    for (const path of ['', 'reboot/'])
      await expect(
        b.ask('POST', `plugins/devicereset/public/${path}${b.number}`, b.info({ factoryReset: true })),
      ).rejects.toMatchObject({ status: 409 })
    await b.sync()
    expect(b.done).toEqual([])
  })

  it('its log is collected for five minutes and handed in', async () => {
    const task = await w.push(a, { type: 'remote_log', payload: {} })
    await w.laterDevice(a)
    a.log(4, 'Downloading nothing')
    a.log(5, 'too much of it')
    await a.sendLog()
    await w.laterDevice(a, 6 * minute)
    const row = await task.row()
    expect(row).toMatchObject({ state: 'completed', result_object: expect.any(String) })
    const chunks: Buffer[] = []
    for await (const chunk of await w.deps.objects.read(row.result_object!)) chunks.push(chunk as Buffer)
    const text = gunzipSync(Buffer.concat(chunks)).toString()
    expect(text).toContain('DEBUG Downloading nothing')
    expect(text).not.toContain('too much')
    await w.laterDevice(a)
    a.log(3, 'nobody asks')
    expect(a.lines_waiting).toBe(0)
  })

  it('what it cannot do is refused, with the reason where somebody pushed it before the device had said so', async () => {
    const pushes = [
      { type: 'message', payload: { title: 'Hi', text: 'there' }, reason: 'The agent shows no messages' },
      { type: 'lock', payload: {}, reason: 'The agent has no lock that the user can open again' },
      { type: 'find', payload: { seconds: 10 }, reason: 'The agent cannot ring' },
    ]
    for (const { reason: message, ...what } of pushes) {
      await expect(w.push(a, what), what.type).rejects.toThrow('task_no_device')
      await w.deps.db.updateTable('terminal').set({ task_types: null }).where('kid', '=', a.id!).execute()
      const task = await w.push(a, what)
      await w.laterDevice(a)
      expect(await task.row()).toMatchObject({ state: 'failed', code: 'not_supported', message })
      a.model = `PDA-${what.type}`
      await a.report()
    }
  })

  it('people who ask how it is, or where, are answered once it has said so', async () => {
    a.location = { ts: w.deps.clock.now().getTime(), lat: 16.05, lon: 108.2 }
    const polled = a.poll()
    await held()
    const asked = w.link.request(a.id!, 'location_now', {}, 20_000)
    expect(await polled).toBe(true)
    expect(await asked).toMatchObject({ latitude: 16.05, longitude: 108.2 })
  })

  it('nothing is lost or done twice where the server is killed between what it says and what the device does', async () => {
    const b = await w.joinedDevice()
    const [app, restart] = [await appPush(b), await w.push(b, { type: 'restart', payload: {} })]
    await w.deps.clock.advance(minute)
    await b.fetchConfig()
    await w.http.restart()
    b.server = w.http.url
    w.deps.config.public_url = w.http.url
    await b.sync()
    expect(b.done).toEqual(['reboot'])
    await w.http.restart()
    b.server = w.http.url
    w.deps.config.public_url = w.http.url
    await w.deps.clock.advance(minute)
    await b.sync()
    await w.laterDevice(b)
    expect(b.done.filter((each) => each === 'reboot')).toHaveLength(1)
    expect(b.done.filter((each) => each.startsWith('install'))).toHaveLength(1)
    for (const task of [app, restart]) expect(await task.row()).toMatchObject({ state: 'completed', attempt: 1 })
    a.server = w.http.url
  })
})

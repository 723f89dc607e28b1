import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccount } from '@mdm/server/testing/devices.ts'
import { headwindWorld } from './headwind-world.ts'
import type { HeadwindWorld } from './headwind-world.ts'

describe('a hostile agent, or none at all, at the gateway for Headwind', () => {
  let w: HeadwindWorld
  beforeAll(async () => void (w = await headwindWorld()))
  afterAll(() => w.close())
  const send = async (method: string, path: string, body?: string) => {
    const headers = { ...(body !== undefined && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${w.http.url}/rest/${path}`, { method, headers, ...(body !== undefined && { body }) })
    return `${reply.status} ${((await reply.json()) as { message: string }).message}`
  }
  /** Everything that a device asks. */
  const requests = (id: string): [string, string, string?][] => [
    ['GET', `public/sync/configuration/${id}`],
    ['POST', 'public/sync/info', JSON.stringify({ deviceId: id })],
    ['GET', `notification/polling/${id}`],
    ['GET', `notifications/device/${id}`],
    ['GET', `plugins/devicelog/log/rules/${id}`],
    ['POST', `plugins/devicelog/log/list/${id}`, '[]'],
    ['POST', `plugins/devicereset/public/${id}`, JSON.stringify({ factoryReset: true })],
    ['POST', `plugins/devicereset/public/reboot/${id}`, '{}'],
  ]

  it('says ids that are none, serial numbers, kids, and those of devices with a letter changed', async () => {
    const a = await w.joinedDevice({ serial: 'HW-KNOWN' })
    const changed = a.number.slice(0, -1) + (a.number.endsWith('0') ? '1' : '0')
    const upper = a.number.toUpperCase()
    for (const id of ['HW-KNOWN', a.id!, changed, upper, `${a.number}0`, '%2e%2e', "1'--", 'x'.repeat(90)])
      for (const [method, path, body] of requests(id)) {
        const said = await send(method, path, body)
        const expected = path.startsWith('public/sync/configuration')
          ? /^(200 error\.notfound\.device|4\d\d )/
          : /^4\d\d /
        expect(said, `${method} ${path}`).toMatch(expected)
      }
    for (const deviceId of [[a.number], { id: a.number }, null, 7])
      expect(await send('POST', 'public/sync/info', JSON.stringify({ deviceId }))).toMatch(/^401 /)
    expect(w.http.internal_errors).toEqual([])
    await a.sync()
  })

  it('nests deeply, says very many values, wrong ones, or too much: it is read as nothing, or not at all', async () => {
    const a = await w.joinedDevice()
    const path = `plugins/devicelog/log/list/${a.number}`
    const wrong = JSON.stringify({
      ...{ deviceId: a.number, batteryLevel: 1e99, batteryCharging: {}, serial: [], model: 7, applications: 'x' },
      ...{ files: [null, { path: 7 }], location: { lat: 'x', lon: 1e9, ts: {} }, launcherType: null },
    })
    expect(await send('POST', 'public/sync/info', wrong)).toBe('200 null')
    for (const body of ['['.repeat(100_000), '{', '', 'null', '"x"', `[${'0,'.repeat(200_000)}0]`])
      expect(await send('POST', path, body)).toMatch(/^(200 null|4\d\d )/)
    const lines = JSON.stringify([{ message: { x: 1 } }, { message: '\u0000', timestamp: 1e300, logLevel: '9' }, null])
    expect(await send('POST', path, lines)).toBe('200 null')
    expect(await send('POST', path, JSON.stringify('x'.repeat(600_000)))).toMatch(/^413 /)
    expect(await send('POST', 'public/sync/configuration/HW-9', '['.repeat(60_000))).toBe('200 error.notfound.device')
    expect(await w.state(a.id)).toMatchObject({ is_online: true, battery_level: 80 })
    expect(w.http.internal_errors).toEqual([])
  })

  it('cannot fetch, end or answer what is of another device or account', async () => {
    const a = await w.joinedDevice()
    const other = await addAccount(w.deps)
    const thief = await w.joinedDevice({ token: (await w.code({ account_kid: other })).token })
    const task = await w.pushApp(a, { package: 'com.example.mine', version_code: 7, version: '1.7' })
    await w.deps.clock.advance(60_000)
    await thief.sync()
    expect(thief.config!.applications.map(({ pkg }) => pkg)).toEqual(['com.hmdm.launcher'])
    const said = { ...thief.info(), applications: [{ pkg: 'com.example.mine', version: '1.7' }] }
    await thief.ask('POST', 'public/sync/info', said)
    expect(['wait_receipt', 'receipt']).toContain((await task.row()).state)
    // Nor may it restart or reset itself, as nobody has asked it to.
    for (const path of ['', 'reboot/'])
      await expect(
        thief.ask('POST', `plugins/devicereset/public/${path}${thief.number}`, thief.info({ factoryReset: true })),
      ).rejects.toMatchObject({ status: 409 })
    await w.laterDevice(a)
    expect(await task.row()).toMatchObject({ state: 'completed' })
  })

  it('replays the enrolment of a device with its serial number: the code of another account and a used one give nothing of it', async () => {
    const once = await w.code({ is_permanent: false, expires_at: new Date(w.deps.clock.now().getTime() + 60_000) })
    const a = await w.joinedDevice({ token: once.token })
    await w.deps.clock.advance(3_600_000)
    const replayed = w.device({ serial: a.serial, token: once.token })
    await expect(replayed.fetchConfig()).rejects.toThrow('error.notfound.device')
    const other = await addAccount(w.deps)
    const stranger = w.device({ serial: a.serial, token: (await w.code({ account_kid: other })).token })
    await stranger.fetchConfig()
    expect(stranger.id).not.toBe(a.id)
    // As if the id that it was given were one of its hardware.
    const named = w.device({ serial: a.number })
    named.number = a.number.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
    await expect(named.fetchConfig()).rejects.toThrow('error.notfound.device')
    await a.sync()
  })

  it('asks without end: it is told to wait, and others go on', async () => {
    const [a, b] = [await w.joinedDevice(), await w.joinedDevice()]
    const rules = (number: string) => send('GET', `plugins/devicelog/log/rules/${number}`)
    const said = new Set<string>()
    for (let i = 0; i < 260; i += 1) said.add(await rules(a.number))
    expect([...said].toSorted()).toEqual(['200 null', '429 error.too_many_requests'])
    for (let i = 0; i < 130; i += 1) said.add(await rules('0'.repeat(96)))
    expect(said).toContain('401 error.notfound.device')
    expect(await rules('1'.repeat(96))).toBe('429 error.too_many_requests')
    expect(await rules(b.number)).toBe('200 null')
    await w.deps.clock.advance(120_000)
    expect(await rules(a.number)).toBe('200 null')
  })

  it('a device that was removed, or whose account was frozen, is nobody at once', async () => {
    const a = await w.joinedDevice()
    await w.deps.db.deleteFrom('terminal').where('kid', '=', a.id!).execute()
    await w.link.kick(a.id!, 'deregistered')
    await w.deps.clock.advance(10_000)
    await expect(a.fetchConfig()).rejects.toThrow('error.notfound.device')
  })
})

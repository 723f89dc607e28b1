import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccount } from '@mdm/server/testing/devices.ts'
import { headwindWorld } from './headwind-world.ts'
import type { HeadwindWorld } from './headwind-world.ts'

const minute = 60_000

describe('an Android device with the Headwind agent joins', () => {
  let w: HeadwindWorld
  beforeAll(async () => void (w = await headwindWorld()))
  afterAll(() => w.close())

  it('by the token of its QR code, and from then on by an id that nobody can guess', async () => {
    const a = w.device({ serial: 'ACME-HW-1' })
    const config = await a.fetchConfig()
    expect(a.number).toMatch(/^[0-9a-f]{96}$/)
    expect(config).toMatchObject({ pushOptions: 'polling', runDefaultLauncher: true, kioskMode: false, files: [] })
    expect(config!.password).toMatch(/^[0-9A-F]{32}$/)
    expect(await w.terminal(a.id)).toMatchObject({
      ...{ account_kid: w.account_kid, agent_kind: 'headwind', sn: expect.stringMatching(/^HEADWIND-[0-9A-F]{16}$/) },
    })
    await w.deps.clock.advance(1_000)
    a.location = { ts: w.deps.clock.now().getTime(), lat: 10.77, lon: 106.7 }
    await a.sync()
    expect(await w.terminal(a.id)).toMatchObject({
      ...{ sn: 'ACME-HW-1', model: 'PDA-7', os_name: 'Android', os_version: '13', service_version: '6.36' },
      task_types: ['app_install', 'app_uninstall', 'restart', 'factory_reset', 'file', 'config_file', 'remote_log'],
    })
    expect(await w.state(a.id)).toMatchObject({
      ...{ is_online: true, transport: 'check_in', battery_level: 80, battery_charging: 'discharging' },
      location: expect.objectContaining({ latitude: 10.77, longitude: 106.7 }),
    })
  })

  it('as one device with one id, however often its first request is made and its answer lost', async () => {
    const before = (await w.rows()).length
    const a = w.device()
    const calls = Array.from({ length: 5 }, () => w.device({ serial: a.serial }))
    await Promise.all(calls.map((each) => each.fetchConfig()))
    await a.fetchConfig({ loses_answer: true })
    expect(a.number).toBe(a.serial)
    await a.sync()
    expect(new Set([a, ...calls].map(({ number }) => number)).size).toBe(1)
    expect(await w.rows()).toHaveLength(before + 1)
    // It fetches as the device that it is where it has lost all but its id.
    a.config = undefined
    await a.sync()
    expect(await w.rows()).toHaveLength(before + 1)
  })

  it('again after a reset as the same device with another id; the old one is nobody', async () => {
    const a = await w.joinedDevice()
    const { id, number } = a
    await w.deps.clock.advance(60 * minute)
    a.reset()
    await a.sync()
    expect(a.id).toBe(id)
    expect(a.number).not.toBe(number)
    expect((await w.events(a.id)).map(({ type }) => type)).toContain('enrolled_again')
    const old = w.device()
    Object.assign(old, { number, config: {} })
    await expect(old.fetchConfig()).rejects.toThrow('error.notfound.device')
  })

  it('not as another one where both say no serial number', async () => {
    const [one, other] = [w.device({ serial: 'unknown' }), w.device({ serial: 'unknown' })]
    await one.sync()
    await other.sync()
    expect(one.id).not.toBe(other.id)
  })

  it('never without a live token: whatever stands in its place', async () => {
    const before = (await w.rows()).length
    const used = await w.code({ is_permanent: false, expires_at: new Date(w.deps.clock.now().getTime() + minute) })
    await w.device({ token: used.token }).sync()
    const late = await w.code({ expires_at: new Date(w.deps.clock.now().getTime() - 1), is_permanent: false })
    const asked = await w.code({ needs_approval: true })
    const revoked = await w.code()
    await w.deps.db
      .updateTable('qrcode')
      .set({ revoked_at: new Date(0) })
      .where('kid', '=', revoked.kid)
      .execute()
    for (const token of [used, late, asked, revoked].map((code) => code.token).concat('', 'changeme-C3z9vi54', '1'))
      await expect(w.device({ token }).fetchConfig(), token).rejects.toThrow('error.notfound.device')
    // A device that nobody has enrolled asks as one that was.
    const b = w.device()
    Object.assign(b, { config: {} })
    await expect(b.fetchConfig()).rejects.toThrow('error.notfound.device')
    expect(await w.rows()).toHaveLength(before + 1)
  })

  it('in the account of the code, where another device of that serial number stays what it is', async () => {
    const a = await w.joinedDevice()
    const other = await addAccount(w.deps)
    const b = w.device({ serial: a.serial, token: (await w.code({ account_kid: other })).token })
    await b.sync()
    expect(b.id).not.toBe(a.id)
    expect(await w.terminal(b.id)).toMatchObject({ account_kid: other, sn: expect.stringMatching(/^HEADWIND-/) })
    await a.sync()
  })

  it('is offline after it has not polled for five minutes', async () => {
    const a = await w.joinedDevice()
    await w.laterDevice(a)
    expect((await w.state(a.id)).is_online).toBe(true)
    await expect.poll(async () => (await w.deps.clock.advance(minute), (await w.state(a.id)).is_online)).toBe(false)
    await a.look()
    expect((await w.state(a.id)).is_online).toBe(true)
  })

  it('is not there where the gateway is turned off, as it is unless turned on', async () => {
    w.deps.config.gateways.headwind = false
    await w.http.restart()
    const path = '/rest/public/sync/configuration/HW-1'
    expect((await w.http.call(path, { method: 'POST', body: '{}' })).status).toBe(404)
    w.deps.config.gateways.headwind = true
    await w.http.restart()
    w.deps.config.public_url = w.http.url
  })
})

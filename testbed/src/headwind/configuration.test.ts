import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HeadwindAgent } from './agent.ts'
import { headwindWorld } from './headwind-world.ts'
import type { HeadwindWorld } from './headwind-world.ts'

const minute = 60_000

describe('the configuration of a device with the Headwind agent', () => {
  let w: HeadwindWorld
  beforeAll(async () => void (w = await headwindWorld()))
  afterAll(() => w.close())
  const owe = (a: HeadwindAgent, version: number, config: object) => {
    const due = { version, config: JSON.stringify(config), is_dirty: false, send_at: w.deps.clock.now() }
    return w.deps.db
      .insertInto('terminal_config_delivery')
      .values({ terminal_kid: a.id!, account_kid: w.account_kid, is_forced: false, sends: 0, ...due })
      .onConflict((row) => row.column('terminal_kid').doUpdateSet(due))
      .execute()
  }
  const results = (a: HeadwindAgent) =>
    w.deps.db
      .selectFrom('terminal_config_result')
      .select(['section', 'outcome', 'reason'])
      .where('terminal_kid', '=', a.id!)
      .orderBy('section')
      .execute()
  const kept = (a: HeadwindAgent) =>
    w.deps.db
      .selectFrom('terminal_agent')
      .select('kept')
      .where('terminal_kid', '=', a.id!)
      .executeTakeFirstOrThrow()
      .then((row) => JSON.stringify(row.kept))
  const md5 = (text: string) => createHash('md5').update(text).digest('hex').toUpperCase()
  const kiosk = { mode: 'one_app', apps: ['com.example.scan'], exit_password: '135790' }

  it('is fetched with all else, with an outcome for each section once the device says how it is', async () => {
    const a = await w.joinedDevice({ launcher: 'master' })
    await owe(a, 1, {
      collection: { is_location_on: true },
      hardware: { usb: 'forbidden', bluetooth: 'forbidden', microphone: 'allowed' },
      factory_reset: { by_users: 'forbidden' },
      time_zone: { zone_id: 'Asia/Ho_Chi_Minh' },
      display: { brightness: 40, auto_brightness: 'off', screen_off_seconds: 60, media_volume: null },
      kiosk,
      ntp: { server: 'ntp.example' },
    })
    expect(await w.laterDevice(a)).toBe(true)
    expect(a.config).toMatchObject({
      restrictions: 'no_usb_file_transfer,no_bluetooth,no_factory_reset',
      ...{ requestUpdates: 'gps', timeZone: 'Asia/Ho_Chi_Minh', autoBrightness: false, brightness: 102 },
      ...{ manageTimeout: true, timeout: 60, kioskMode: true, mainApp: 'com.example.scan', runDefaultLauncher: false },
      password: md5('135790'),
    })
    expect(a.config!.applications).toContainEqual(
      expect.objectContaining({ pkg: 'com.example.scan', showIcon: true, useKiosk: true }),
    )
    expect(await w.state(a.id)).toMatchObject({ config_version: 1, battery_level: 80 })
    expect(await results(a)).toMatchObject([
      ...['collection', 'display', 'factory_reset', 'hardware', 'kiosk'].map((section) => ({
        section,
        outcome: 'applied',
      })),
      { section: 'ntp', outcome: 'not_supported', reason: 'unknown_section' },
      { section: 'time_zone', outcome: 'applied' },
    ])
    // Neither the password nor what the agent compares it with.
    for (const secret of ['135790', md5('135790')]) expect(await kept(a)).not.toContain(secret)
    // The same later, when nobody sends it any more.
    a.config!.kioskMode = false
    await a.sync()
    expect(a.config).toMatchObject({ kioskMode: true, password: md5('135790') })

    await owe(a, 2, { hardware: { camera: 'forbidden' } })
    await w.laterDevice(a)
    expect(a.config).toMatchObject({ kioskMode: false, restrictions: '', runDefaultLauncher: true })
    expect(a.config!.password).not.toBe(md5('135790'))
    expect(a.config!.password).not.toBe(md5('12345678'))
    expect(await results(a)).toMatchObject([{ section: 'hardware', outcome: 'not_supported', reason: 'no_command' }])
  })

  it('says of a kiosk that the agent does not begin that it failed, and of one that its build lacks that it has none', async () => {
    const a = await w.joinedDevice({ launcher: 'master' })
    const info = a.info.bind(a)
    a.info = (more) => ({ ...info(more), kioskMode: false })
    await owe(a, 1, { kiosk: { ...kiosk, mode: 'several_apps' } })
    await w.laterDevice(a)
    expect(a.config).toMatchObject({ mainApp: 'com.hmdm.launcher' })
    expect(await results(a)).toEqual([])
    await w.deps.clock.advance(21 * minute)
    await a.report()
    expect(await results(a)).toMatchObject([{ section: 'kiosk', outcome: 'failed', reason: 'command_failed' }])
    const open = await w.joinedDevice()
    expect((await w.terminal(open.id)).config_sections).not.toContain('kiosk')
    expect((await w.terminal(a.id)).config_sections).toContain('kiosk')
    await owe(open, 1, { kiosk })
    await w.laterDevice(open)
    expect(await results(open)).toMatchObject([
      { section: 'kiosk', outcome: 'not_supported', reason: 'unknown_section' },
    ])
  })

  it('comes again with all else after a reset', async () => {
    const a = await w.joinedDevice()
    await owe(a, 3, { time_zone: { zone_id: 'Asia/Shanghai' } })
    await w.laterDevice(a)
    expect(await w.state(a.id)).toMatchObject({ config_version: 3 })
    await w.deps.clock.advance(60 * minute)
    a.reset()
    await a.sync()
    await w.laterDevice(a)
    expect(a.config).toMatchObject({ timeZone: 'Asia/Shanghai' })
    expect(await w.state(a.id)).toMatchObject({ config_version: 3 })
  })
})

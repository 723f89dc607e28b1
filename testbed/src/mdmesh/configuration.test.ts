import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MdmeshAgent } from './agent.ts'
import { gatewayWorld } from './gateway-world.ts'
import type { GatewayWorld } from './gateway-world.ts'

describe('the configuration of a device with the MDMesh agent', () => {
  let w: GatewayWorld
  beforeAll(async () => void (w = await gatewayWorld()))
  afterAll(() => w.close())
  const owe = (a: MdmeshAgent, version: number, config: object) => {
    const due = { version, config: JSON.stringify(config), is_dirty: false, send_at: w.deps.clock.now() }
    return w.deps.db
      .insertInto('terminal_config_delivery')
      .values({ terminal_kid: a.id!, account_kid: w.account_kid, is_forced: false, sends: 0, ...due })
      .onConflict((row) => row.column('terminal_kid').doUpdateSet(due))
      .execute()
  }
  const results = (a: MdmeshAgent) =>
    w.deps.db
      .selectFrom('terminal_config_result')
      .select(['section', 'outcome', 'reason', 'message'])
      .where('terminal_kid', '=', a.id!)
      .orderBy('section')
      .execute()
  const kiosk = { mode: 'one_app', apps: ['com.example.scan'], exit_password: '135790' }

  it('is set item by item, with an outcome for each section', async () => {
    const a = await w.joined()
    await owe(a, 1, {
      collection: { is_location_on: true },
      hardware: { camera: 'forbidden', usb: 'allowed', bluetooth: 'no_change' },
      factory_reset: { by_users: 'forbidden' },
      kiosk,
      ntp: { server: 'ntp.example' },
    })
    await w.later(a)
    expect(a.policies).toEqual({ camera: false, usbStorage: true, factoryReset: false })
    expect(a.kiosk).toMatchObject({ mode: 'single', pinPackage: 'com.example.scan', password: '135790' })
    expect(a.location_mode).toBe('active')
    const { kept } = await w.deps.db
      .selectFrom('terminal_agent')
      .select('kept')
      .where('terminal_kid', '=', a.id!)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(kept)).not.toContain('135790')
    await w.later(a)
    expect(await w.state(a.id)).toMatchObject({ config_version: 1 })
    expect(await results(a)).toMatchObject([
      { section: 'collection', outcome: 'applied' },
      { section: 'factory_reset', outcome: 'applied' },
      { section: 'hardware', outcome: 'applied' },
      { section: 'kiosk', outcome: 'applied' },
      { section: 'ntp', outcome: 'not_supported', reason: 'unknown_section' },
    ])
    await owe(a, 2, { hardware: { camera: 'allowed', nfc: 'forbidden' } })
    await w.later(a)
    await w.later(a)
    expect([a.kiosk, a.policies['camera']]).toEqual([undefined, true])
    expect(await results(a)).toMatchObject([{ section: 'hardware', outcome: 'not_supported', reason: 'no_command' }])
  })

  it('is tried again after the next start where the agent did not know yet what it may do', async () => {
    // It tells the policy and refuses it.
    const a = await w.joined({ profile: '0.2.1', tells_policies: true })
    await owe(a, 1, { hardware: { camera: 'forbidden' } })
    await w.later(a)
    await w.later(a)
    expect(await results(a)).toMatchObject([
      { section: 'hardware', outcome: 'failed', message: 'policy not supported: camera' },
    ])
    a.boot()
    await w.later(a)
    await w.later(a)
    await w.later(a)
    expect(a.policies).toEqual({ camera: false })
    expect(await results(a)).toMatchObject([{ section: 'hardware', outcome: 'applied' }])
  })

  it('goes out again when nothing is heard of it', async () => {
    const a = await w.joined()
    await owe(a, 1, { collection: { is_location_on: true } })
    await w.deps.clock.advance(60_000)
    await a.checkIn({ loses_answer: true })
    await w.later(a)
    expect(a.location_mode).toBe('passive')
    await w.later(a)
    expect(a.location_mode).toBe('active')
    await w.later(a)
    expect(await w.state(a.id)).toMatchObject({ config_version: 1 })
  })

  it('begins anew on a device that was reset', async () => {
    const a = await w.joined()
    await owe(a, 1, { collection: { is_location_on: true } })
    await w.later(a)
    await w.later(a)
    await w.deps.clock.advance(3_600_000, 30_000)
    a.reset()
    a.location_mode = 'passive'
    await a.enrol()
    await a.checkIn()
    await w.later(a)
    await w.later(a)
    expect(a.location_mode).toBe('active')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccount } from '@mdm/server/testing/devices.ts'
import { gatewayWorld } from './gateway-world.ts'
import type { GatewayWorld } from './gateway-world.ts'

const minute = 60_000

describe('an Android device with the MDMesh agent joins', () => {
  let w: GatewayWorld
  beforeAll(async () => void (w = await gatewayWorld()))
  afterAll(() => w.close())
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    )

  it('by its QR token alone, and is online with its kind, its version and its state', async () => {
    const a = w.agent({ profile: '0.2.5', serial: 'ACME-0001' })
    await a.enrol()
    expect(await w.terminal(a.id)).toMatchObject({
      account_kid: w.account_kid,
      agent_kind: 'mdmesh',
      sn: expect.stringMatching(/^MDMESH-[0-9A-F]{16}$/),
      model: 'Acme TC-10',
    })
    const commands = await a.checkIn()
    expect(commands.map(({ type }) => type)).toEqual(['apps.scan'])
    expect(await w.terminal(a.id)).toMatchObject({
      sn: 'ACME-0001',
      service_version: '0.2.5',
      os_name: 'Android',
      os_version: '13',
      sdk: 33,
      resolution: '1080x1920',
      task_types: ['message', 'app_install', 'app_uninstall', 'lock', 'find', 'restart', 'factory_reset'],
    })
    expect(await w.state(a.id)).toMatchObject({
      is_online: true,
      transport: 'check_in',
      battery_level: 80,
      battery_charging: 'discharging',
      network_type: 'wifi',
      wifi: { ssid: 'Depot', signal: -61 },
      clock_is_off: false,
    })
    await w.later(a, minute)
    const { packages } = await w.deps.db
      .selectFrom('terminal_inventory')
      .selectAll()
      .where('terminal_kid', '=', a.id!)
      .executeTakeFirstOrThrow()
    expect(packages).toMatchObject([{ name: 'com.android.settings', version: '1', version_code: 1 }])
  })

  it('once, however many of its calls race, and whichever answer it keeps', async () => {
    const before = (await w.deps.db.selectFrom('terminal').select('kid').execute()).length
    const a = w.agent()
    const calls = [a, ...Array.from({ length: 4 }, () => w.agent({ hardware_id: a.hardware_id }))]
    await Promise.all(calls.map((each) => each.enrol()))
    expect(new Set(calls.map(({ id, secret }) => `${id} ${secret}`)).size).toBe(1)
    await a.checkIn()
    // One more, which was on its way.
    const late = w.agent({ hardware_id: a.hardware_id })
    await late.enrol()
    expect([late.id, late.secret]).toEqual([a.id, a.secret])
    await a.checkIn()
    expect(await w.deps.db.selectFrom('terminal').select('kid').execute()).toHaveLength(before + 1)
  })

  it('again when the answer was lost, also with a code that can be used once', async () => {
    const { token } = await w.code({
      is_permanent: false,
      expires_at: new Date(w.deps.clock.now().getTime() + 10 * minute),
    })
    const a = w.agent({ token })
    await a.enrol()
    await w.deps.clock.advance(30 * minute, minute / 2)
    const again = w.agent({ token, hardware_id: a.hardware_id })
    await again.enrol()
    expect([again.id, again.secret]).toEqual([a.id, a.secret])
    expect(await refusal(w.agent({ token }).enrol())).toBe('error.agent.token.invalid')
  })

  it('gets its row back after a reset, with a new secret; the old one is dead', async () => {
    const a = await w.joined({ serial: 'ACME-0002' })
    const before = { id: a.id, secret: a.secret }
    await w.deps.clock.advance(60 * minute, minute / 2)
    a.reset()
    await a.enrol()
    expect(a.id).toBe(before.id)
    expect(a.secret).not.toBe(before.secret)
    await a.checkIn()
    expect(await w.terminal(a.id)).toMatchObject({ sn: 'ACME-0002' })
    const old = w.agent({ hardware_id: a.hardware_id })
    Object.assign(old, before)
    expect(await refusal(old.checkIn())).toMatch(/unauthorized|HTTP 401/)
    const events = await w.deps.db
      .selectFrom('terminal_event')
      .select('type')
      .where('terminal_kid', '=', a.id!)
      .execute()
    expect(events).toContainEqual({ type: 'enrolled_again' })
  })

  it('in each account as a device of its own', async () => {
    const other = await addAccount(w.deps)
    const { token } = await w.code({ account_kid: other })
    const a = await w.joined()
    const b = w.agent({ token, hardware_id: a.hardware_id })
    await b.enrol()
    expect(b.id).not.toBe(a.id)
    expect(await w.terminal(b.id)).toMatchObject({ account_kid: other })
    await a.checkIn()
    // Neither can speak as the other.
    const thief = w.agent()
    Object.assign(thief, { id: a.id, secret: b.secret })
    expect(await refusal(thief.checkIn())).toMatch(/unauthorized|HTTP 401/)
  })

  it('is refused without a code that counts, without room, or when its account has ended', async () => {
    expect(await refusal(w.agent({ token: 'x'.repeat(64) }).enrol())).toBe('error.agent.token.invalid')
    const small = await addAccount(w.deps, 1)
    const { token, kid } = await w.code({ account_kid: small })
    const first = w.agent({ token })
    await first.enrol()
    expect(await refusal(w.agent({ token }).enrol())).toBe('error.agent.account_device_limit')
    // The one that is there comes back all the same.
    const again = w.agent({ token, hardware_id: first.hardware_id })
    await again.enrol()
    expect(again.id).toBe(first.id)
    await w.deps.db.updateTable('qrcode').set({ revoked_at: w.deps.clock.now() }).where('kid', '=', kid).execute()
    expect(await refusal(w.agent({ token, hardware_id: first.hardware_id }).enrol())).toBe('error.agent.token.invalid')
    const { token: late } = await w.code({ account_kid: small })
    await w.deps.db.updateTable('account').set({ expire_time: w.deps.clock.now() }).where('kid', '=', small).execute()
    expect(await refusal(w.agent({ token: late }).enrol())).toBe('error.agent.account_unavailable')
  })

  it('is not let in under a serial number that was scrapped, and takes none that another device has', async () => {
    await w.deps.db
      .insertInto('scrapped_sn')
      .values({ sn: 'ACME-OLD', account_kid: w.account_kid, scrapped_at: w.deps.clock.now() })
      .execute()
    const a = w.agent({ serial: 'acme-old' })
    await a.enrol()
    expect(await refusal(a.checkIn())).not.toBe('none')
    expect(await w.deps.db.selectFrom('terminal').select('kid').where('kid', '=', a.id!).execute()).toEqual([])
    const [first, second] = [await w.joined({ serial: 'ACME-SAME' }), await w.joined({ serial: 'ACME-SAME' })]
    expect((await w.terminal(first.id)).sn).toBe('ACME-SAME')
    expect((await w.terminal(second.id)).sn).toMatch(/^MDMESH-/)
  })

  it('keeps its row when it says another hardware id later, and finds it by that', async () => {
    const a = await w.joined()
    a.hardware_id = 'enrolment-specific-id'
    await w.later(a)
    await w.deps.clock.advance(60 * minute, minute / 2)
    const before = a.id
    a.reset()
    await a.enrol()
    expect(a.id).toBe(before)
  })

  it('is online while it comes, and offline after 20 minutes of silence', async () => {
    const a = await w.joined()
    for (let i = 0; i < 3; i += 1) await w.later(a, 15 * minute)
    expect(await w.state(a.id)).toMatchObject({ is_online: true })
    const sessions = () =>
      w.deps.db.selectFrom('terminal_session').select('epoch').where('terminal_kid', '=', a.id!).execute()
    expect(await sessions()).toHaveLength(1)
    await expect.poll(async () => (await w.deps.clock.advance(minute), (await w.state(a.id)).is_online)).toBe(false)
  })

  it('is not there where the gateway is turned off', async () => {
    w.deps.config.gateways.mdmesh = false
    await w.http.restart()
    expect((await w.http.call('/rest/public/agent/v1/enroll', { method: 'POST', body: '{}' })).status).toBe(404)
    w.deps.config.gateways.mdmesh = true
    await w.http.restart()
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fleet, hello, seedDevices } from '../../testing/fleet.ts'
import type { Fleet } from '../../testing/fleet.ts'

let f: Fleet
beforeAll(async () => void (f = await fleet(12)))
afterAll(() => f.close())
const now = () => f.deps.clock.now().toISOString()
const reports = (kid: string) =>
  f.deps.db.selectFrom('terminal_report').selectAll().where('terminal_kid', '=', kid).orderBy('seq').execute()

describe('state reports', () => {
  it('are rows and current state once they are acknowledged', async () => {
    const [kid] = f.kids as [string]
    await f.say(kid, 'state', {
      seq: 1,
      device_time: now(),
      battery: { level: 80, charging: 'discharging' },
      network: { type: 'wifi', signal: -60 },
    })
    expect(await reports(kid)).toMatchObject([
      { seq: 1, battery_level: 80, account_kid: f.account_kid, parts: { network: { type: 'wifi' } } },
    ])
    expect(await f.state(kid)).toMatchObject({
      battery_level: 80,
      battery_charging: 'discharging',
      network_type: 'wifi',
      signal: -60,
      last_seq: 1,
      clock_is_off: false,
    })
  })

  it('of one batch merge part by part, the later one winning', async () => {
    const kid = f.kids[1]!
    const at = (s: number) => new Date(f.deps.clock.now().getTime() + s).toISOString()
    await Promise.all([
      f.say(kid, 'state', { seq: 1, device_time: at(1), battery: { level: 50, charging: 'charging' } }),
      f.say(kid, 'state', { seq: 2, device_time: at(2), run: { cpu: 7, memory_used: 5 } }),
      f.say(kid, 'state', { seq: 3, device_time: at(3), battery: { level: 51, charging: 'full' } }),
    ])
    expect(await reports(kid)).toHaveLength(3)
    expect(await f.state(kid)).toMatchObject({ battery_level: 51, run: { cpu: 7 }, last_seq: 3 })
    await f.say(kid, 'state', { seq: 4, device_time: at(4), foreground_app: 'x' })
    expect(await f.state(kid)).toMatchObject({ battery_level: 51, run: { cpu: 7 }, foreground_app: 'x' })
  })

  it('are acknowledged but not stored again when they are repeated', async () => {
    const kid = f.kids[2]!
    const report = { seq: 5, device_time: now(), foreground_app: 'a' }
    await f.say(kid, 'state', report)
    await f.say(kid, 'state', report)
    await Promise.all([f.say(kid, 'state', report), f.say(kid, 'state', report)])
    expect(await reports(kid)).toHaveLength(1)
  })

  it('are stored, each once, when a later one has overtaken them', async () => {
    const kid = (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
    const at = (seq: number) => new Date(f.deps.clock.now().getTime() + seq).toISOString()
    const report = (seq: number) => f.say(kid, 'state', { seq, device_time: at(seq), foreground_app: `a${seq}` })
    await report(9)
    await report(7)
    await Promise.all([8, 10, 6, 8, 7, 10, 5, 11, 9].map(report))
    expect((await reports(kid)).map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9, 10, 11])
    expect(await f.state(kid)).toMatchObject({ last_seq: 11, foreground_app: 'a11' })
  })

  it('of a device that was reinstalled and counts anew are stored', async () => {
    const kid = f.kids[2]!
    await f.deps.clock.advance(1000)
    await f.say(kid, 'state', { seq: 1, device_time: now(), foreground_app: 'b' })
    expect(await f.state(kid)).toMatchObject({ foreground_app: 'b', last_seq: 1 })
  })

  it('of a clock that is off are dated by the server and flagged', async () => {
    const kid = f.kids[3]!
    await f.say(kid, 'state', { seq: 1, device_time: '2031-01-01T00:00:00Z', foreground_app: 'a' })
    expect((await f.state(kid)).clock_is_off).toBe(true)
    expect((await reports(kid))[0]!.device_time).toEqual(f.deps.clock.now())
    await f.say(kid, 'state', { seq: 2, device_time: now(), foreground_app: 'a' })
    expect((await f.state(kid)).clock_is_off).toBe(false)
  })
})

describe('clocks', () => {
  const eventsOf = (kid: string) =>
    f.deps.db.selectFrom('terminal_event').selectAll().where('terminal_kid', '=', kid).execute()

  it.each(['1970-01-01T00:00:05Z', '2000-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
    'at %s are not believed: state, history, track and events are dated by the server, and flagged',
    async (said) => {
      const kid = (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
      const at = f.deps.clock.now()
      const location = { longitude: 10, latitude: 10, at: said }
      await f.say(kid, 'state', { seq: 1, device_time: said, location })
      const message = { seq: 2, device_time: said, events: [{ type: 'fell', at: said }] }
      await f.say(kid, 'event', message)
      await f.deps.clock.advance(60_000)
      await f.say(kid, 'event', message)
      const state = await f.state(kid)
      expect(state).toMatchObject({ clock_is_off: true, location: { at: at.toISOString() } })
      expect(await reports(kid)).toMatchObject([{ device_time: at }])
      const track = await f.deps.db.selectFrom('terminal_track').selectAll().where('terminal_kid', '=', kid).execute()
      expect(track).toMatchObject([{ at }])
      expect(await eventsOf(kid)).toMatchObject([{ at, detail: { said_at: said } }])
    },
  )

  it('of events that waited for months are believed', async () => {
    const kid = (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
    const at = new Date(f.deps.clock.now().getTime() - 100 * 86_400_000)
    await f.say(kid, 'event', { seq: 1, device_time: at.toISOString(), events: [{ type: 'a', at: at.toISOString() }] })
    expect(await eventsOf(kid)).toMatchObject([{ at, detail: {} }])
  })
})

describe('what hello says of the state', () => {
  const said = (level: number) => ({ battery: { level, charging: 'charging' as const } })

  it('is history too', async () => {
    const kid = (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
    await f.say(kid, 'hello', hello(f.deps, { state: said(33) }))
    expect(await reports(kid)).toMatchObject([{ battery_level: 33, device_time: f.deps.clock.now() }])
  })

  it('is not overwritten by an older report that is sent again', async () => {
    const kid = (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
    const older = { seq: 8, device_time: now(), ...said(10), location: { longitude: 1, latitude: 1 } }
    await f.deps.clock.advance(60_000)
    await f.say(kid, 'hello', hello(f.deps, { state: said(80) }))
    await f.say(kid, 'state', older)
    expect(await f.state(kid)).toMatchObject({ battery_level: 80, location: null })
    expect((await reports(kid)).map((row) => row.battery_level).sort()).toEqual([10, 80])
    await f.deps.clock.advance(1_000)
    await f.say(kid, 'state', { seq: 9, device_time: now(), ...said(81) })
    expect(await f.state(kid)).toMatchObject({ battery_level: 81 })
  })

  it('of a clock that ran ahead does not hold up what comes after it was put right', async () => {
    const kid = (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
    await f.say(kid, 'hello', hello(f.deps, { device_time: '2031-01-01T00:00:00Z', state: said(80) }))
    await f.say(kid, 'state', { seq: 1, device_time: now(), ...said(79) })
    expect(await f.state(kid)).toMatchObject({ battery_level: 79, clock_is_off: false })
  })
})

describe('refused messages', () => {
  it.each([
    ['not JSON', Buffer.from('{"seq":')],
    ['a wrong field', Buffer.from('{"seq":-1,"device_time":"2026-01-01T00:00:00Z"}')],
    ['a nested bomb', Buffer.from('['.repeat(100_000))],
    ['no bytes', Buffer.alloc(0)],
  ])('%s is acknowledged, counted and changes nothing', async (_what, payload) => {
    const before = f.link.stats()['messages_refused'] ?? 0
    await f.edge.callbacks.inbound(f.kids[4]!, 'state', payload)
    expect(f.link.stats()['messages_refused']).toBe(before + 1)
    expect(await reports(f.kids[4]!)).toEqual([])
  })

  it('text that PostgreSQL cannot hold is cleaned, with everything beside it kept', async () => {
    const kid = f.kids[5]!
    const payload = `{"seq":1,"device_time":"${now()}","foreground_app":"a\\u0000b\\ud800c"}`
    await f.edge.callbacks.inbound(kid, 'state', Buffer.from(payload))
    expect((await f.state(kid)).foreground_app).toBe('ab\ufffdc')
  })

  it('of a device that is not registered change nothing', async () => {
    const stranger = '00000000-0000-4000-8000-000000000000'
    await f.say(stranger, 'state', { seq: 1, device_time: now(), foreground_app: 'a' })
    expect(await reports(stranger)).toEqual([])
  })
})

describe('hello', () => {
  it('says that a device is a page, and later that it is none; of agents of others it says nothing', async () => {
    const kid = f.kids[6]!
    const kindAfter = async (inventory: object) => {
      await f.say(kid, 'hello', hello(f.deps, { inventory }))
      const row = await f.deps.db.selectFrom('terminal').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
      return row.agent_kind
    }
    expect(await kindAfter({ agent: 'browser' })).toBe('browser')
    expect(await kindAfter({})).toBe('mdm')
    await f.deps.db.updateTable('terminal').set({ agent_kind: 'mdmesh' }).where('kid', '=', kid).execute()
    expect(await kindAfter({ agent: 'browser' })).toBe('mdmesh')
    await f.deps.db.updateTable('terminal').set({ agent_kind: 'mdm' }).where('kid', '=', kid).execute()
  })

  it('writes inventory and packages and the first connection', async () => {
    const kid = f.kids[6]!
    await f.say(
      kid,
      'hello',
      hello(f.deps, {
        inventory: {
          model: 'M1',
          os_version: '12',
          uid: 'U1',
          version_code: 7,
          ver: 3,
          packages: [{ name: 'a', version: '1' }],
        },
      }),
    )
    const first = f.deps.clock.now()
    await f.deps.clock.advance(60_000)
    await f.say(kid, 'hello', hello(f.deps, { inventory: { model: 'M2', ver: 4 } }))
    const row = await f.deps.db.selectFrom('terminal').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      model: 'M2',
      os_version: '12',
      uid: 'U1',
      version_code: 7,
      ver: 4,
      first_connected_at: first,
    })
    const inventory = await f.deps.db
      .selectFrom('terminal_inventory')
      .selectAll()
      .where('terminal_kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(inventory.packages).toEqual([{ name: 'a', version: '1' }])
  })

  it('with another boot is a boot event, once, also when the device tells of it', async () => {
    const kid = f.kids[7]!
    const boot_at = now()
    await f.say(kid, 'hello', hello(f.deps, { boot_id: 'b1' }))
    await f.say(kid, 'hello', hello(f.deps, { boot_id: 'b1' }))
    await f.say(kid, 'hello', hello(f.deps, { boot_id: 'b2', boot_at }))
    await f.say(kid, 'event', { seq: 9, device_time: now(), events: [{ type: 'boot', at: boot_at }] })
    const events = await f.deps.db.selectFrom('terminal_event').selectAll().where('terminal_kid', '=', kid).execute()
    expect(events).toMatchObject([{ type: 'boot' }])
  })
})

describe('events', () => {
  it('are stored once however often they come', async () => {
    const kid = f.kids[8]!
    const message = {
      seq: 1,
      device_time: now(),
      events: [
        { type: 'app_installed', at: now(), detail: { name: 'x' } },
        { type: 'app_installed', at: now(), detail: { name: 'x' } },
      ],
    }
    await Promise.all([f.say(kid, 'event', message), f.say(kid, 'event', message)])
    await f.say(kid, 'event', message)
    const events = await f.deps.db.selectFrom('terminal_event').selectAll().where('terminal_kid', '=', kid).execute()
    expect(events).toHaveLength(2)
  })
})

describe('live events', () => {
  it('say the latest state of a device once a second', async () => {
    const kid = f.kids[9]!
    await f.deps.clock.advance(5000)
    f.deps.events.length = 0
    for (let seq = 1; seq <= 5; seq += 1)
      await f.say(kid, 'state', { seq, device_time: now(), battery: { level: seq, charging: 'full' } })
    const levels = () =>
      f.deps.events.flatMap(({ event }) =>
        event.type === 'terminal_state' && event.kid === kid ? [event.battery_level] : [],
      )
    expect(levels()).toEqual([1])
    await f.deps.clock.advance(1000)
    expect(levels()).toEqual([1, 5])
  })
})

describe('group commit', () => {
  it('one message that the database refuses does not keep the others from being stored', async () => {
    const before = f.link.stats()['messages_refused'] ?? 0
    const [a, bad, b] = f.kids.slice(9, 12) as [string, string, string]
    // Whatever gets past the checks of the payload: the database has the last word.
    await f.deps.db.schema
      .alterTable('terminal_report')
      .addCheckConstraint('no_poison', sql`parts->>'foreground_app' IS DISTINCT FROM 'poison'`)
      .execute()
    await Promise.all([
      f.say(a, 'state', { seq: 100, device_time: now(), foreground_app: 'ok' }),
      f.say(bad, 'state', { seq: 100, device_time: now(), foreground_app: 'poison' }),
      f.say(b, 'state', { seq: 100, device_time: now(), foreground_app: 'ok' }),
    ])
    expect((await reports(a)).at(-1)).toMatchObject({ seq: 100 })
    expect((await reports(b)).at(-1)).toMatchObject({ seq: 100 })
    expect((await reports(bad)).at(-1)?.seq).not.toBe(100)
    expect(f.link.stats()['messages_refused']).toBe(before + 1)
    await f.deps.db.schema.alterTable('terminal_report').dropConstraint('no_poison').execute()
  })
})

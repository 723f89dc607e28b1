import { contract } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endDeadNodes } from '../../../link/nodes.ts'
import { newKid } from '../../../lib/ids.ts'
import { beginOfDay } from '../../../lib/days.ts'
import { testActor } from '../../../testing/actor.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { databases } from '../../../testing/devices.ts'
import { otherServer } from '../../../testing/other-server.ts'
import { batteryCurve, listUsage, onlineCurve } from './index.ts'
import { intervalsOf } from './online.ts'

const minute = 60_000
const hour = 60 * minute

describe('days', () => {
  it.each([
    ['2026-03-29', 'Europe/Berlin', 23],
    ['2026-10-25', 'Europe/Berlin', 25],
    ['2026-01-15', 'Europe/Berlin', 24],
    ['2026-06-01', 'Asia/Ho_Chi_Minh', 24],
    ['2026-03-08', 'America/New_York', 23],
    // There the clocks are put forward at midnight, and the day begins at one.
    ['2026-09-06', 'America/Santiago', 23],
    ['2026-04-05', 'Australia/Lord_Howe', 24.5],
  ])('%s in %s has %d hours', (day, zone, hours) => {
    const next = new Date(Date.parse(day) + 24 * hour).toISOString().slice(0, 10)
    expect((beginOfDay(next, zone).getTime() - beginOfDay(day, zone).getTime()) / hour).toBe(hours)
    const local = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' })
    expect(local.format(beginOfDay(day, zone))).toBe(day)
    expect(local.format(beginOfDay(day, zone).getTime() - 1)).not.toBe(day)
  })
})

it.each(['0000-01-01', '0001-01-01', '1969-12-31', '3000-01-01', '9999-12-31'])(
  'the day %s is refused rather than asked of a database that has no such day',
  (day) => {
    const { get_online_curve, list_battery, list_usage } = contract.terminalTelemetry.calls
    for (const { input } of [get_online_curve, list_battery, list_usage]) {
      expect(input.safeParse({ terminal_kid: newKid(), day }).error?.issues[0]?.path).toEqual(['day'])
      expect(input.safeParse({ terminal_kid: newKid(), day: '1970-01-01' }).success).toBe(true)
    }
  },
)

describe.each(databases)('telemetry on %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(12, {}, kind)))
  afterAll(() => f?.close())
  const at = (ms = 0) => new Date(f.deps.clock.now().getTime() + ms)
  const iso = (ms = 0) => at(ms).toISOString()
  const caller = () => testActor(f.deps, f.account_kid)

  describe('the online curve', () => {
    const session = (from: string, until: string | null, epoch = newKid()) => ({
      epoch,
      connected_at: new Date(from),
      disconnected_at: until === null ? null : new Date(until),
      is_lost: false,
    })
    const put = (kid: string, rows: ReturnType<typeof session>[]) =>
      f.deps.db
        .insertInto('terminal_session')
        .values(
          rows.map((row) => ({
            ...row,
            account_kid: f.account_kid,
            terminal_kid: kid,
            node_kid: newKid(),
            address: '',
          })),
        )
        .execute()

    it('splits at the midnights of the zone, over a day of 23 hours too', async () => {
      const kid = f.kids[0]!
      await sql`CREATE TABLE IF NOT EXISTS terminal_session_y2026m03 PARTITION OF terminal_session
      FOR VALUES FROM ('2026-03-01T00:00:00Z') TO ('2026-04-01T00:00:00Z')`.execute(f.deps.db)
      await put(kid, [
        session('2026-03-28T20:00:00Z', '2026-03-29T23:00:00Z'),
        // Two that overlap, as when a device comes back before the end of the first was noticed.
        session('2026-03-30T08:00:00Z', '2026-03-30T09:00:00Z'),
        session('2026-03-30T08:30:00Z', '2026-03-30T10:00:00Z'),
      ])
      const later = {
        ...caller(),
        deps: { ...f.deps, clock: { ...f.deps.clock, now: () => new Date('2026-04-02T00:00:00Z') } },
      }
      const { days, zone } = await onlineCurve(later, {
        terminal_kid: kid,
        day: '2026-03-30',
        days: 3,
        zone: 'Europe/Berlin',
      })
      expect(zone).toBe('Europe/Berlin')
      expect(days.map(({ day, online_seconds }) => [day, online_seconds / 3600])).toEqual([
        ['2026-03-28', 3],
        ['2026-03-29', 23],
        ['2026-03-30', 3],
      ])
      expect(days.map(({ intervals }) => intervals.map(({ end }) => end))).toEqual([['day'], ['day'], ['left', 'left']])
      expect(days[2]!.intervals[0]!.until).toEqual(new Date('2026-03-29T23:00:00Z'))
    })

    it('goes on until now, and no further, for the connection of now', async () => {
      const kid = f.kids[1]!
      await f.connect(kid)
      await f.deps.clock.advance(9 * minute)
      const [day] = (await onlineCurve(caller(), { terminal_kid: kid, days: 1 })).days
      expect(day).toMatchObject({ online_seconds: 540, known_until: at(), intervals: [{ end: 'now' }] })
      // Also when the row of its beginning has been dropped with its month.
      await f.deps.db.deleteFrom('terminal_session').where('terminal_kid', '=', kid).execute()
      expect((await onlineCurve(caller(), { terminal_kid: kid, days: 1 })).days[0]!.online_seconds).toBe(540)
    })

    it('ends with the last sign of life of a server that was killed, for those who came back and those who did not', async () => {
      const [back, gone, witness] = [f.kids[2]!, f.kids[3]!, f.kids[4]!]
      const begun = at()
      const other = await otherServer(f.deps)
      const { node_kid } = other
      for (const kid of [back, gone, witness]) {
        await f.connect(kid)
        await f.deps.db.updateTable('terminal_state').set({ node_kid }).where('terminal_kid', '=', kid).execute()
        await f.deps.db.updateTable('terminal_session').set({ node_kid }).where('terminal_kid', '=', kid).execute()
      }
      await f.deps.clock.advance(10 * minute)
      await f.say(witness, 'state', { seq: 1, device_time: iso(), run: { cpu: 1 } })
      const last_sign = at()
      await f.deps.clock.advance(20 * minute)
      await f.connect(back)
      await f.deps.clock.advance(5 * minute)
      await other.goSilent()
      await endDeadNodes(f.deps)
      const curve = async (kid: string) => (await onlineCurve(caller(), { terminal_kid: kid, days: 1 })).days[0]!
      expect((await curve(gone)).intervals).toEqual([{ from: begun, until: last_sign, end: 'lost' }])
      expect((await f.state(gone)).last_online_at).toEqual(last_sign)
      expect((await curve(back)).intervals).toMatchObject([
        { from: begun, end: 'lost' },
        { from: at(-5 * minute), until: at(), end: 'now' },
      ])
      expect((await curve(back)).intervals[0]!.until.valueOf()).toBeLessThanOrEqual(at(-5 * minute).valueOf())
    })

    it('counts no session twice and none that nobody saw end beyond the next', () => {
      const now = { at: at(), is_online: false, epoch: null, connected_at: null, last_contact_at: null }
      const open = { ...session(iso(-hour), null), connected_at: at(-hour) }
      const next = { ...session(iso(-30 * minute), iso(-20 * minute)), is_lost: false }
      expect(intervalsOf([next, open], now)).toEqual([
        { from: at(-hour).getTime(), until: at(-20 * minute).getTime(), end: 'left' },
      ])
      expect(intervalsOf([open], now)).toEqual([{ from: at(-hour).getTime(), until: at(-hour).getTime(), end: 'lost' }])
    })

    it('is nobody else', async () => {
      const stranger = testActor(f.deps, newKid())
      await expect(onlineCurve(stranger, { terminal_kid: f.kids[0]!, days: 1 })).rejects.toMatchObject({
        refusal: 'not_found',
      })
    })
  })

  describe('the battery curve', () => {
    it('stands where the device measured, whenever it came, and knows a repeat again', async () => {
      const kid = f.kids[5]!
      await f.connect(kid)
      await f.say(kid, 'state', {
        seq: 1,
        device_time: iso(),
        battery: { level: 50, charging: 'discharging', trigger: 'change' },
      })
      const message = {
        seq: 2,
        device_time: iso(),
        events: [
          // Late: it waited for a connection for three hours.
          { type: 'battery', at: iso(-3 * hour), detail: { trigger: 'disconnect', level: 77 } },
          // From a clock that runs two days ahead: not believed, and said so.
          { type: 'battery', at: iso(48 * hour), detail: { trigger: 'outage', level: 14 } },
          { type: 'battery', at: iso(-hour), detail: { trigger: 'exploded', level: 900 } },
        ],
      }
      await f.say(kid, 'event', message)
      await f.say(kid, 'event', message)
      const curve = await batteryCurve(caller(), { terminal_kid: kid, days: 1 })
      expect(curve.points).toEqual([{ at: at(), level: 50, charging: 'discharging' }])
      expect(curve.triggers).toMatchObject([
        { trigger: 'disconnect', level: 77, at: at(-3 * hour), received_at: at() },
        { trigger: 'outage', level: 14, at: at() },
        { trigger: 'change', at: at() },
      ])
      const events = await f.deps.db
        .selectFrom('terminal_event')
        .select('detail')
        .where('terminal_kid', '=', kid)
        .where(sql<boolean>`detail ? 'said_at'`)
        .execute()
      expect(events).toMatchObject([{ detail: { said_at: iso(48 * hour) } }])
    })

    it('marks a clock that is ahead, not one whose report was late', async () => {
      const kid = f.kids[6]!
      await f.connect(kid)
      const events = [{ type: 'battery', at: iso(-5 * hour), detail: { trigger: 'connect' } }]
      await f.say(kid, 'event', { seq: 1, device_time: iso(-5 * hour), events })
      expect((await f.state(kid)).clock_is_off).toBe(false)
      await f.say(kid, 'event', { seq: 2, device_time: iso(hour), events })
      expect((await f.state(kid)).clock_is_off).toBe(true)
    })
  })

  describe('usage', () => {
    const day = (back: number) => iso(-back * 24 * hour).slice(0, 10)
    const usage = (of: object, seq: number) => ({
      seq,
      device_time: iso(),
      events: [
        {
          type: 'usage',
          at: iso(),
          detail: { day: day(0), app: 'com.example.scan', network: 'wifi', received: 10, sent: 1, ...of },
        },
      ],
    })
    const items = async (kid: string, days = 1) => (await listUsage(caller(), { terminal_kid: kid, days })).items

    it('of a day only grows: late, repeated and overtaken reports change nothing', async () => {
      const kid = f.kids[7]!
      await f.connect(kid)
      await f.say(kid, 'event', usage({ received: 100, sent: 20 }, 1))
      await f.say(kid, 'event', usage({ received: 100, sent: 20 }, 1))
      await f.say(kid, 'event', usage({ received: 300, sent: 30 }, 3))
      await f.say(kid, 'event', usage({ received: 200, sent: 25 }, 2))
      await f.say(kid, 'event', usage({ network: 'mobile', app: undefined }, 4))
      expect(await items(kid)).toMatchObject([
        { app: '', network: 'mobile', received: 10, sent: 1 },
        { app: 'com.example.scan', network: 'wifi', received: 300, sent: 30 },
      ])
      const events = await f.deps.db.selectFrom('terminal_event').selectAll().where('terminal_kid', '=', kid).execute()
      expect(events.filter(({ type }) => type === 'usage')).toEqual([])
    })

    it('is kept of days half a year back, and of none that is older, still to come, or nonsense', async () => {
      const kid = f.kids[8]!
      await f.connect(kid)
      const said = [0, 40, 179, 181, -3].map((back, i) => f.say(kid, 'event', usage({ day: day(back) }, i + 1)))
      await Promise.all([
        ...said,
        f.say(kid, 'event', usage({ received: -1 }, 9)),
        f.say(kid, 'event', usage({ day: 'x' }, 10)),
      ])
      const kept = await f.deps.db
        .selectFrom('terminal_usage')
        .select('day')
        .where('terminal_kid', '=', kid)
        .orderBy('day')
        .execute()
      expect(kept.map((row) => row.day)).toEqual([day(179), day(40), day(0)])
      expect(await items(kid, 41)).toHaveLength(2)
    })
  })
})

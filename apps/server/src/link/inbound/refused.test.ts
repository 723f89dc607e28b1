import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { down, limits } from '@mdm/device-link'
import { newKid } from '../../lib/ids.ts'
import { databases } from '../../testing/devices.ts'
import { fleet, hello } from '../../testing/fleet.ts'
import type { Fleet } from '../../testing/fleet.ts'

describe.each(databases)('a message that breaks the schema in places, on %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(13, {}, kind)))
  afterAll(() => f.close())
  const now = () => f.deps.clock.now().toISOString()
  const refusals = (kid: string) =>
    f.deps.db.selectFrom('terminal_refusal').selectAll().where('terminal_kid', '=', kid).orderBy('kid').execute()
  const events = (kid: string) =>
    f.deps.db.selectFrom('terminal_event').selectAll().where('terminal_kid', '=', kid).orderBy('at').execute()
  const told = (kid: string) =>
    f.edge.sent
      .filter((sent) => sent.topic === `mdm/v1/${kid}/down/refused`)
      .map(({ payload }) => down.refused.parse(payload))

  test('a number out of range is left out alone, or with the part that needs it', async () => {
    const [kid] = f.kids as [string]
    await f.say(kid, 'state', {
      seq: 1,
      device_time: now(),
      run: { cpu: 101, memory_used: 5 },
      battery: { level: 900, charging: 'full' },
      network: { type: 'wifi', signal: null },
      wifi: null,
      foreground_app: 'x'.repeat(201),
    })
    const row = await f.state(kid)
    expect(row).toMatchObject({ run: { memory_used: 5 }, battery: null, wifi: null, foreground_app: 'x'.repeat(200) })
    expect(row.network).toEqual({ type: 'wifi' })
    const parts = [
      { path: 'battery.level', reason: 'out_of_range' },
      { path: 'run.cpu', reason: 'out_of_range' },
      { path: 'foreground_app', reason: 'too_long' },
    ]
    expect(told(kid)).toMatchObject([{ name: 'state', is_whole: false, seq: 1, parts }])
    expect(await refusals(kid)).toMatchObject([{ name: 'state', is_whole: false, account_kid: f.account_kid, parts }])
  })

  test('of three events the bad one is missing, whatever is wrong with it', async () => {
    const kid = f.kids[1]!
    const good = (n: number) => ({ type: `good_${n}`, at: now(), detail: { text: 'y'.repeat(1_200), none: null } })
    for (const [seq, bad] of [null, 'text', { type: 'Bad', at: now() }, { type: 'bad', at: 'noon' }, {}].entries())
      await f.say(kid, 'event', { seq, device_time: now(), events: [good(seq), bad, good(seq + 100)] })
    const stored = await events(kid)
    expect(stored.map(({ type }) => type).sort()).toEqual(
      [0, 1, 2, 3, 4].flatMap((n) => [`good_${n}`, `good_${n + 100}`]).sort(),
    )
    expect(stored[0]!.detail).toEqual({ text: 'y'.repeat(1_000), none: null })
    const paths = told(kid).map(({ parts }) => parts.map(({ path }) => path))
    expect(paths[3]).toEqual(['events.0.detail.text', 'events.1.at', 'events.2.detail.text'])
  })

  test('a list that is too long is cut', async () => {
    const kid = f.kids[2]!
    const all = Array.from({ length: 203 }, (_, n) => ({ type: 'e', at: now(), detail: { n } }))
    await f.say(kid, 'event', { seq: 1, device_time: now(), events: all })
    expect(await events(kid)).toHaveLength(200)
    expect(told(kid)[0]!.parts).toMatchObject([{ path: 'events', reason: 'too_long' }])
  })

  test('a report moves its task, however long its reason', async () => {
    const kid = f.kids[3]!
    const task_kid = newKid()
    const at = f.deps.clock.now()
    const task = {
      kid: task_kid,
      account_kid: f.account_kid,
      type: 'message',
      payload: '{}',
      description: '',
      summary: '',
    }
    await f.deps.db
      .insertInto('push_task')
      .values({
        ...task,
        created_by_kid: newKid(),
        created_by: 'x',
        created_at: at,
        total: 1,
        wait_receipt: 1,
      } as never)
      .execute()
    const row = { push_task_kid: task_kid, terminal_kid: kid, account_kid: f.account_kid, sn: 'x', type: 'message' }
    await f.deps.db
      .insertInto('push_task_terminal')
      .values({ ...row, state_at: at, created_at: at } as never)
      .execute()
    await f.say(kid, 'task', {
      task_kid,
      attempt: 1,
      state: 'failed',
      progress: 400,
      code: 'c'.repeat(61),
      message: 'm'.repeat(1_001),
      expected_version: 'first',
      result: { text: 5 },
    })
    const now = await f.deps.db
      .selectFrom('push_task_terminal')
      .selectAll()
      .where('push_task_kid', '=', task_kid)
      .executeTakeFirstOrThrow()
    expect(now).toMatchObject({ state: 'failed', code: 'c'.repeat(60), message: 'm'.repeat(1_000) })
    expect(told(kid)).toMatchObject([{ name: 'task', task_kid, is_whole: false }])
  })

  test('what is not JSON, and what lacks what it needs, is told as a whole', async () => {
    const kid = f.kids[4]!
    await f.edge.callbacks.inbound(kid, 'state', Buffer.from('{"seq":'))
    await f.say(kid, 'event', { device_time: now(), events: [{ type: 'a', at: now() }] })
    expect(told(kid)).toMatchObject([
      { name: 'state', is_whole: true, parts: [{ path: '', reason: 'not_json' }] },
      { name: 'event', is_whole: true, parts: [{ path: 'seq', reason: 'missing' }] },
    ])
    expect(await events(kid)).toEqual([])
  })

  test('20 are kept of a device and told, the rest is counted', async () => {
    const kid = f.kids[5]!
    const before = f.link.stats()['refusals_untold'] ?? 0
    for (let n = 0; n < 30; n++) await f.say(kid, 'event', { seq: n, device_time: now(), events: [] })
    expect([told(kid).length, (await refusals(kid)).length]).toEqual([20, 20])
    expect(f.link.stats()['refusals_untold']).toBe(before + 10)
    await f.deps.clock.advance(600_000, 10_000)
    await f.say(kid, 'event', { seq: 77, device_time: now(), events: [] })
    expect(await refusals(kid)).toHaveLength(20)
    expect(told(kid).at(-1)).toMatchObject({ seq: 77 })
  })

  test('a hello without a usable time is one of a clock that is off', async () => {
    const kid = f.kids[6]!
    await f.say(kid, 'hello', {
      ...hello(f.deps),
      device_time: 'noon',
      state: { battery: { level: 7, charging: 'low' } },
    })
    expect(await f.state(kid)).toMatchObject({ battery_level: 7, clock_is_off: true })
  })

  test('one device stores so many events an hour, whichever way it says them', async () => {
    const kid = f.kids[7]!
    const most = limits.events_per_hour
    for (let seq = 0; seq <= most / 200; seq++) {
      const all = Array.from({ length: 200 }, (_, n) => ({ type: 'flood', at: now(), detail: { n } }))
      await f.say(kid, 'event', { seq, device_time: now(), events: all })
    }
    await f.say(kid, 'hello', hello(f.deps, { boot_id: 'b1' }))
    await f.say(kid, 'hello', hello(f.deps, { boot_id: 'b2' }))
    expect(await events(kid)).toHaveLength(most)
    expect(told(kid)).toMatchObject([{ name: 'event', is_whole: true, parts: [{ reason: 'too_many' }] }])
    expect(f.link.stats()['events_over_limit']).toBeGreaterThanOrEqual(201)
    await f.say(f.kids[8]!, 'event', { seq: 1, device_time: now(), events: [{ type: 'beside', at: now() }] })
    expect(await events(f.kids[8]!)).toHaveLength(1)
    await f.deps.clock.advance(3_600_000, 60_000)
    await f.say(kid, 'event', { seq: 900, device_time: now(), events: [{ type: 'later', at: now() }] })
    expect(await events(kid)).toHaveLength(most + 1)
  })

  test('large events count more: what one device stores is bounded, not only how often it does', async () => {
    const [kid, at] = [f.kids[10]!, now()]
    const detail = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`part_${n}`, 'x'.repeat(1_000)]))
    for (let seq = 0; seq < 60; seq++)
      await f.say(kid, 'event', { seq, device_time: at, events: [{ type: 'large', at, detail }] })
    const { length } = await events(kid)
    expect(length).toBeGreaterThan(40)
    expect(length).toBeLessThan(55)
    expect(told(kid).at(-1)).toMatchObject({ name: 'event', is_whole: true, parts: [{ reason: 'too_many' }] })
  })

  test('what would take long to be found wrong is cut first, and a payload of too many values refused unread', async () => {
    const kid = f.kids[11]!
    const garbage = Array.from({ length: 120_000 }, () => 1)
    await f.say(kid, 'event', { seq: 1, device_time: now(), events: garbage })
    const wide = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [n.toString(36), []]))
    await f.say(kid, 'event', {
      seq: 2,
      device_time: now(),
      events: [{ type: 'wide', at: now(), detail: wide(40_000) }],
    })
    const many = Array.from({ length: 150 }, () => ({ type: 'nested', at: now(), detail: { kept: 1, ...wide(99) } }))
    await f.say(kid, 'event', { seq: 3, device_time: now(), events: many })
    const x = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => 1))
    await f.say(kid, 'state', { seq: 4, device_time: now(), x })
    const [first, second, third, last] = told(kid)
    expect(first).toMatchObject({ name: 'event', is_whole: true })
    expect(second).toMatchObject({ name: 'event', is_whole: false })
    expect(second!.parts[0]).toMatchObject({ path: 'events.0.detail', reason: 'too_long' })
    expect(new Set(third!.parts.map(({ reason }) => reason))).toEqual(new Set(['wrong']))
    expect(last).toMatchObject({ name: 'state', is_whole: true, parts: [{ path: '', reason: 'too_long' }] })
    const stored = await events(kid)
    expect(stored).toHaveLength(151)
    expect(stored.find(({ type }) => type === 'nested')!.detail).toEqual({ kept: 1 })
  })

  test('of thousands of faults the first are listed and the others counted; what is right is stored', async () => {
    const kid = f.kids[12]!
    const bad = { name: 1, version: 2, version_code: 'a', size: -1, title: 3 }
    const packages: unknown[] = Array.from({ length: 2_000 }, () => bad)
    packages[0] = { name: 'first', version: '1', size: -1 }
    packages[1_000] = { name: 'middle', version: '1' }
    packages[1_999] = { name: 'last', version: '1' }
    const said = hello(f.deps)
    await f.say(kid, 'hello', { ...said, inventory: { ...said.inventory, packages } })
    const { parts } = told(kid)[0]!
    expect(parts).toHaveLength(limits.refused_parts)
    expect(parts[0]).toMatchObject({ path: 'inventory.packages.0.size', reason: 'out_of_range' })
    // 99 after the first of it are looked into, with 5 faults each; of the others one stands for all of its faults.
    expect(parts.at(-1)).toMatchObject({ path: '', reason: 'too_many', message: '2375 more parts are wrong' })
    const stored = await f.deps.db
      .selectFrom('terminal_inventory')
      .select('packages')
      .where('terminal_kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(stored.packages).toEqual(['first', 'middle', 'last'].map((name) => ({ name, version: '1' })))
  })

  test('reports above the limit are the current state, but no history', async () => {
    const kid = f.kids[9]!
    const most = limits.reports_per_hour
    const saying = Array.from({ length: most + 5 }, (_, seq) =>
      f.say(kid, 'state', { seq, device_time: now(), battery: { level: seq % 100, charging: 'full' } }),
    )
    await Promise.all(saying)
    const { rows } = await f.deps.db
      .selectFrom('terminal_report')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where('terminal_kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(Number(rows)).toBe(most)
    expect(await f.state(kid)).toMatchObject({ battery_level: (most + 4) % 100, last_seq: most + 4 })
  })
})

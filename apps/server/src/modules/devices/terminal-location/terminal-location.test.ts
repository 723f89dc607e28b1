import { TerminalFilter } from '@mdm/contract'
import type { Bounds } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepLocations } from '../../../link/inbound/location.ts'
import { newKid } from '../../../lib/ids.ts'
import { ensurePartitions } from '../../../jobs/partitions.ts'
import { RequestError } from '../../../link/requests.ts'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { insert as insertGroup } from '../../fleet/terminal-group/index.ts'
import { addAccount, addTerminal, databases, openDeps, refusalOf } from '../../../testing/devices.ts'
import * as locations from './index.ts'

const world: Bounds = { west: -180, south: -90, east: 180, north: 90 }
const hanoi = { longitude: 105.8342, latitude: 21.0278 }
const saigon = { longitude: 106.7009, latitude: 10.7769 }
const fiji = { longitude: 179.9, latitude: -17 }
const samoa = { longitude: -172, latitude: -13.8 }

describe.each(databases)('locations on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
    await ensurePartitions(deps)
  })
  afterAll(() => deps?.close())

  const as = (account_kid: string, visible_groups?: string[]) => testActor(deps, account_kid, visible_groups)
  type Place = { longitude: number; latitude: number }
  const say = (account_kid: string, terminal_kid: string, location: Place, at = deps.clock.now()) =>
    deps.db
      .transaction()
      .execute((trx) => keepLocations(trx, [{ terminal_kid, account_kid, location, at, received_at: at }]))
  const at = async (account_kid: string, place: Place, given = {}, state = {}) => {
    const kid = await addTerminal(deps, account_kid, given, state)
    await say(account_kid, kid, place)
    return kid
  }
  const look = (viewer: ReturnType<typeof as>, more: object = {}) =>
    locations.list(viewer, { ...TerminalFilter.parse({}), bounds: world, zoom: 5, is_clustered: true, ...more })

  it('shows who is within the bounds, near ones as one', async () => {
    const account = await addAccount(deps)
    const alone = await at(account, hanoi, { sn: `H-${account}`, name: 'Gate' }, { is_online: true })
    await at(account, saigon, {}, { is_online: true })
    await at(account, { ...saigon, latitude: saigon.latitude + 0.001 })
    await addTerminal(deps, account)
    await at(await addAccount(deps), hanoi)
    const seen = await look(as(account))
    expect(seen).toMatchObject({
      total: 3,
      devices: [{ kid: alone, name: 'Gate', is_online: true, ...hanoi, at: deps.clock.now() }],
      clusters: [{ count: 2, online: 1 }],
    })
    expect(seen.clusters[0]!.longitude).toBeCloseTo(saigon.longitude, 6)
    expect(seen.clusters[0]!.latitude).toBeCloseTo(saigon.latitude + 0.0005, 5)
    expect(await look(as(account), { zoom: 20 })).toMatchObject({ clusters: [], devices: [{}, {}, {}] })
    const near_hanoi = { west: 105, south: 20, east: 107, north: 22 }
    expect(await look(as(account), { bounds: near_hanoi })).toMatchObject({ total: 1, clusters: [] })
    const each = await look(as(account), { is_clustered: false })
    expect([each.total, each.devices.length, each.clusters]).toEqual([3, 3, []])
    expect(await locations.extent(as(account), TerminalFilter.parse({}))).toMatchObject({ placed: 3 })
  })

  it('obeys filters and groups, and looks across the 180th meridian', async () => {
    const account = await addAccount(deps)
    const group = (await insertGroup(as(account), { name: 'islands', parent_kid: 'ROOT' })).kid
    const here = await at(account, fiji, { terminal_group_kid: group }, { is_online: true })
    const there = await at(account, samoa)
    const kids = async (viewer: ReturnType<typeof as>, more = {}) =>
      (await look(viewer, { zoom: 8, ...more })).devices.map(({ kid }) => kid).sort()
    expect(await kids(as(account))).toEqual([here, there].sort())
    expect(await kids(as(account), { is_online: true })).toEqual([here])
    expect(await kids(as(account), { terminal_group_kid: group })).toEqual([here])
    expect(await kids(as(account, [group]))).toEqual([here])
    expect(await kids(as(account, []))).toEqual([])
    const pacific = { west: 170, south: -30, east: -170, north: 0 }
    expect(await kids(as(account), { bounds: pacific })).toEqual([here, there].sort())
    expect(await kids(as(account), { bounds: { ...pacific, west: -180 } })).toEqual([there])
    const { bounds } = await locations.extent(as(account), TerminalFilter.parse({ is_online: true }))
    expect(bounds!.east).toBeCloseTo(fiji.longitude, 6)
    expect(bounds!.north).toBeCloseTo(fiji.latitude, 6)
    expect(await locations.extent(as(await addAccount(deps)), TerminalFilter.parse({}))).toEqual({
      placed: 0,
      bounds: null,
    })
  })

  it('reads a track by day, thinned evenly, and of nobody else', async () => {
    const account = await addAccount(deps)
    const kid = await addTerminal(deps, account)
    const start = deps.clock.now().getTime()
    const points = 5000
    const said = Array.from({ length: points }, (_, n) => {
      const when = new Date(start + n * 10_000)
      return {
        terminal_kid: kid,
        account_kid: account,
        location: { longitude: 105, latitude: 21 + n * 0.001 },
        at: when,
        received_at: when,
      }
    })
    await deps.db.transaction().execute((trx) => keepLocations(trx, said))
    const ask = (from: number, until: number, viewer = as(account)) =>
      locations.listTrack(viewer, {
        terminal_kid: kid,
        from: new Date(from).toISOString(),
        until: new Date(until).toISOString(),
      })
    const whole = await ask(start, start + points * 10_000)
    expect(whole.total).toBe(points)
    expect(whole.points.length).toBeGreaterThan(1500)
    expect(whole.points.length).toBeLessThanOrEqual(2000)
    expect([whole.points[0]!.latitude, whole.points.at(-1)!.latitude]).toEqual([21, 21 + (points - 1) * 0.001])
    const part = await ask(start + 10_000, start + 30_000)
    expect(part.points.map((point) => point.at.getTime() - start)).toEqual([10_000, 20_000])
    // Where it crossed its fence by then; what a device calls a place need not be one.
    const event = (type: string, at: number, detail: object) => ({
      kid: newKid(),
      account_kid: account,
      terminal_kid: kid,
      type,
      at: new Date(at),
      received_at: new Date(at),
      detail: JSON.stringify(detail),
    })
    const place = { fence: 'Depot', longitude: 105, latitude: 21.1 }
    await deps.db
      .insertInto('terminal_event')
      .values([
        event('fence_out', start + 15_000, place),
        event('fence_in', start + 25_000, { ...place, latitude: 500 }),
        event('boot', start + 26_000, {}),
        event('fence_in', start + 40_000, place),
      ])
      .execute()
    expect((await ask(start + 10_000, start + 30_000)).crossings).toEqual([
      { ...place, to: 'outside', at: new Date(start + 15_000).toISOString() },
    ])
    expect(await refusalOf(ask(start, start + 1, as(await addAccount(deps))))).toBe('not_found')
    expect(await refusalOf(ask(start, start + 1, as(account, [])))).toBe('not_found')
  })

  it('asks a device once at a time and keeps its answer', async () => {
    const account = await addAccount(deps)
    const kid = await addTerminal(deps, account, {}, { is_online: true })
    const who = as(account)
    expect(await locations.get(who, kid)).toEqual({ position: null, is_refreshing: false })
    let answer: (location: object) => void = () => {}
    const asked: string[] = []
    deps.link.request = (_kid, method) => {
      asked.push(method)
      return new Promise((resolve) => (answer = resolve))
    }
    const first = locations.refresh(who, kid)
    await expect.poll(() => asked).toEqual(['location_now'])
    expect(await locations.get(who, kid)).toMatchObject({ is_refreshing: true })
    expect(await refusalOf(locations.refresh(who, kid))).toBe('task_running')
    answer({ ...hanoi, accuracy: 8, provider: 'gps' })
    expect(await first).toMatchObject({ ...hanoi, accuracy: 8, provider: 'gps', at: deps.clock.now() })
    expect(await locations.get(who, kid)).toMatchObject({ position: hanoi, is_refreshing: false })
    expect(deps.events.map(({ event }) => event.type)).toContain('terminal_location')

    // In the same place, but asked: the track of a day says where a device was that has not moved since the day before.
    await deps.clock.advance(60_000)
    deps.link.request = async () => ({ ...hanoi, accuracy: 5 })
    expect(await locations.refresh(who, kid)).toMatchObject({ accuracy: 5, provider: null, at: deps.clock.now() })
    const { n } = await deps.db
      .selectFrom('terminal_track')
      .select(sql<number>`count(*)::int`.as('n'))
      .where('terminal_kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(n).toBe(2)

    deps.link.request = async () => Promise.reject(new RequestError('no_location', 'none', true))
    expect(await refusalOf(locations.refresh(who, kid))).toBe('device_location_unknown')
    // A server that went away while it asked holds the place for half a minute.
    await deps.db
      .insertInto('location_refresh')
      .values({ terminal_kid: kid, account_kid: account, expires_at: new Date(deps.clock.now().getTime() + 30_000) })
      .execute()
    expect(await refusalOf(locations.refresh(who, kid))).toBe('task_running')
    await deps.clock.advance(31_000)
    expect(await refusalOf(locations.refresh(who, kid))).toBe('device_location_unknown')
    await deps.db.updateTable('terminal_state').set({ is_online: false }).where('terminal_kid', '=', kid).execute()
    expect(await refusalOf(locations.refresh(who, kid))).toBe('device_not_online')
  })
})

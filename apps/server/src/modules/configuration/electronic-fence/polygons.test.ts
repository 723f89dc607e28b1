import { contract, ltscopes } from '@mdm/contract'
import { metresBetween } from '@mdm/device-link'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wake } from '../../../lib/background.ts'
import { testActor } from '../../../testing/actor.ts'
import { fleet, hello } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import * as fences from './index.ts'

const { insert, update } = contract.electronicFence.calls
const depot = { longitude: 105.8342, latitude: 21.0278 }
const metres_of_degree = metresBetween({ longitude: 0, latitude: 0 }, { longitude: 0, latitude: 1 })
const at = (east: number, north: number) => ({
  longitude: depot.longitude + east / (metres_of_degree * Math.cos((depot.latitude * Math.PI) / 180)),
  latitude: depot.latitude + north / metres_of_degree,
})
/** A yard with a corner cut out of it. */
const yard = [at(0, 0), at(800, 0), at(800, 400), at(400, 400), at(400, 800), at(0, 800)]
const draft = { name: 'Yard', ...depot, radius: 500, points: yard }

describe('a fence that is a polygon', () => {
  let f: Fleet
  beforeAll(async () => {
    f = await fleet(2)
  })
  afterAll(() => f.close())
  const caller = () => ({ ...testActor(f.deps, f.account_kid), may: () => true, request: { language: 'en' } as never })
  const settle = async () => {
    await f.deps.clock.advance(11_000)
    wake(f.deps, fences.fencesDue)
    await fences.settleFences(f.deps)
    await expect.poll(() => f.deps.db.selectFrom('fence_due').selectAll().execute()).toEqual([])
    await f.deps.clock.advance(11_000)
  }
  let seq = 0
  const say = (kid: string, place: object) =>
    f.say(kid, 'state', {
      seq: ++seq,
      device_time: f.deps.clock.now().toISOString(),
      location: { ...place, accuracy: 10 },
    })
  const told = (kid: string) =>
    f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/config')).at(-1)?.payload.config.fence

  it('has its place and reach worked out from its corners, and becomes a circle again', async () => {
    const of = { ...draft, name: 'Worked out' }
    const { kid } = await fences.insert(caller(), insert.input.parse(of))
    const made = await fences.get(caller(), kid)
    expect(made).toMatchObject({ shape: 2, points: yard, version: 1 })
    expect(metresBetween(made, at(400, 400))).toBeLessThan(1)
    expect(made.radius).toBeGreaterThan(560)
    // The same again is no change that devices are told.
    await fences.update(caller(), update.input.parse({ ...of, kid }))
    expect(await fences.get(caller(), kid)).toMatchObject({ version: 1 })
    await fences.update(caller(), update.input.parse({ ...of, kid, radius: 700, points: null }))
    expect(await fences.get(caller(), kid)).toMatchObject({ shape: 1, points: null, radius: 700, version: 2 })
  })

  it.each([
    ['polygon_crossing', [at(0, 0), at(100, 100), at(100, 0), at(0, 100)]],
    ['polygon_repeated', [...yard, yard[0]!]],
    ['polygon_pole', [at(0, 0), at(100, 0), { longitude: 105.8, latitude: 89 }]],
    ['polygon_antimeridian', [at(0, 0), at(0, 100), { longitude: -179, latitude: 21 }]],
  ])('is refused as %s', (fault, points) => {
    const said = insert.input.safeParse({ ...draft, points })
    expect(said.error?.issues.map(({ message, path }) => [message, path[0]])).toEqual([[fault, 'points']])
  })

  it('is refused without corners, with two, with too many and where it is too large', async () => {
    const tries = (more: object) => fences.insert(caller(), insert.input.parse({ ...draft, ...more }))
    await expect(tries({ shape: 2, points: null })).rejects.toMatchObject({ fields: { points: { name: 'required' } } })
    const far = [at(0, 0), at(300_000, 0), at(0, 300_000)]
    await expect(tries({ points: far })).rejects.toMatchObject({ fields: { points: { name: 'polygon_size' } } })
    expect(insert.input.safeParse({ ...draft, points: yard.slice(0, 2) }).success).toBe(false)
    const many = Array.from({ length: 101 }, (_, n) => at(n, n % 2))
    expect(insert.input.safeParse({ ...draft, points: many }).success).toBe(false)
  })

  it('is told to a device that watches polygons itself; for another the server watches it', async () => {
    const [able, unable] = f.kids as [string, string]
    const says = async (kid: string, inventory: object) =>
      f.say(kid, 'hello', hello(f.deps, { epoch: await f.connect(kid), inventory }))
    await says(able, { judges_fence: true, judges_polygons: true })
    await says(unable, { judges_fence: true })
    const { kid } = await fences.insert(caller(), insert.input.parse(draft))
    const places = f.kids.map((terminal_kid) => ({ ltscope: ltscopes.terminal, terminal_kid }))
    await fences.savePlaces(caller(), { fence_kid: kid, places } as never)
    await settle()
    expect(told(able)).toMatchObject({ shape: 'polygon', points: yard })
    expect(told(unable)).toBeUndefined()
    await say(unable, at(200, 200))
    expect(await fences.current(caller(), unable)).toMatchObject({ state: 'inside', is_by_device: false })
    // Within the circle around it, beyond the corner that is cut out.
    await say(unable, at(600, 600))
    expect(await fences.current(caller(), unable)).toMatchObject({ state: 'outside', is_by_device: false })
    await say(able, at(600, 600))
    expect(await fences.current(caller(), able)).toMatchObject({ state: null })
  })
})

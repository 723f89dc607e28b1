import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fence, fenceAccuracyNames, fenceBand, fenceUnknown, judgeFence, metresBeyond, settleFence } from './fence.ts'
import { aroundPolygon, isWithinPolygon, polygonFault } from './polygon.ts'
import type { FenceArea, FenceCrossing, FenceMemory, FencePosition } from './fence.ts'

const centre = { longitude: 105.8342, latitude: 21.0278 }
const metres_of_degree = (Math.PI / 180) * 6_371_000
/** So many metres north of the centre, so many seconds from the start. */
const position = (metres: number, seconds: number, more: Partial<FencePosition> = {}): FencePosition => ({
  longitude: centre.longitude,
  latitude: centre.latitude + metres / metres_of_degree,
  at: seconds * 1000,
  ...more,
})
const circle = (more: Partial<FenceArea> = {}): FenceArea => ({
  ...centre,
  radius: 500,
  duration: 0,
  accuracy: 'common',
  ...more,
})
/** Where it went and when, in seconds. */
const said = (crossed: readonly FenceCrossing[]) => crossed.map(({ to, at }) => [to, at / 1000])
const run = (fence: FenceArea, positions: FencePosition[], before: FenceMemory = fenceUnknown) =>
  judgeFence(fence, before, positions)

describe('a fence', () => {
  test('is crossed once on the way out and once on the way back', () => {
    const way = [0, 200, 480, 520, 560, 900, 560, 480, 430, 100].map((metres, n) => position(metres, n * 10))
    const { memory, crossed } = run(circle(), way)
    expect(said(crossed)).toEqual([
      ['outside', 40],
      ['inside', 80],
    ])
    expect(crossed[0]).toMatchObject({ latitude: way[4]!.latitude })
    expect(memory).toEqual({ state: 'inside', judged_at: 90_000, crossing: null })
  })

  test('tells of a device that is outside when the fence comes, and is silent of one inside', () => {
    expect(said(run(circle(), [position(551, 1)]).crossed)).toEqual([['outside', 1]])
    expect(run(circle(), [position(449, 1)])).toEqual({
      memory: { state: 'inside', judged_at: 1000, crossing: null },
      crossed: [],
    })
  })

  test('waits for a first position that shows a side', () => {
    const unsure = [position(501, 1), position(499, 2), position(600, 3, { accuracy: 120 })]
    expect(run(circle(), unsure)).toEqual({
      memory: { state: null, judged_at: 3000, crossing: null },
      crossed: [],
    })
    expect(said(run(circle(), [...unsure, position(640, 4, { accuracy: 120 })]).crossed)).toEqual([['outside', 4]])
  })

  test('does not take 0/0 for a place', () => {
    const inside = run(circle(), [position(0, 10)]).memory
    for (const accuracy of [undefined, 0, 15]) {
      const nowhere = { longitude: 0, latitude: 0, at: 20_000, accuracy }
      expect(run(circle(), [nowhere], inside)).toEqual({ memory: inside, crossed: [] })
      expect(run(circle(), [nowhere])).toEqual({ memory: fenceUnknown, crossed: [] })
    }
  })

  test('waits for its duration; who comes back before has not left', () => {
    const fence = circle({ duration: 60 })
    const back = run(fence, [position(0, 0), position(600, 10), position(520, 30), position(480, 50)])
    expect(back).toMatchObject({ crossed: [], memory: { state: 'inside', crossing: null } })
    const gone = run(fence, [position(0, 0), position(600, 10)])
    expect(gone.crossed).toEqual([])
    // A parked van says nothing more: time alone ends the wait, at the same moment for whoever looks later.
    expect(settleFence(fence, gone.memory, 69_999).crossed).toEqual([])
    for (const late of [70_000, 500_000]) {
      const { memory, crossed } = settleFence(fence, gone.memory, late)
      expect([said(crossed), memory.state]).toEqual([[['outside', 70]], 'outside'])
    }
    // Nobody looked until it was back: it was away for long enough all the same.
    expect(said(run(fence, [position(0, 200)], gone.memory).crossed)).toEqual([['outside', 70]])
    expect(said(run(fence, [position(0, 200), position(0, 300)], gone.memory).crossed)).toEqual([
      ['outside', 70],
      ['inside', 260],
    ])
  })

  test('does not go by what is too uncertain, or older than what it knows', () => {
    const inside = run(circle(), [position(0, 10)]).memory
    expect(run(circle(), [position(900, 20, { accuracy: 300 })], inside).memory).toEqual(inside)
    expect(run(circle(), [position(900, 5)], inside).memory).toEqual(inside)
    expect(run(circle({ accuracy: 'high' }), [position(900, 20, { accuracy: 60 })], inside).crossed).toEqual([])
    const adaptive = circle({ accuracy: 'adaptive' })
    expect(run(adaptive, [position(600, 20, { accuracy: 120 })], inside).crossed).toEqual([])
    expect(said(run(adaptive, [position(600, 20, { accuracy: 15 })], inside).crossed)).toEqual([['outside', 20]])
  })

  test('of a few metres can still be entered', () => {
    const tiny = circle({ radius: 10 })
    expect(said(run(tiny, [position(50, 0), position(2, 10)]).crossed)).toEqual([
      ['outside', 0],
      ['inside', 10],
    ])
  })

  const anyCircle = fc.record({
    radius: fc.integer({ min: 10, max: 50_000 }),
    duration: fc.integer({ min: 0, max: 600 }),
    accuracy: fc.constantFrom(...fenceAccuracyNames),
  })

  test('is not crossed by a device that stands still, whatever its radius, mode and noise', () => {
    fc.assert(
      fc.property(
        anyCircle,
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.array(
          fc.record({
            accuracy: fc.double({ min: 0.1, max: 600, noNaN: true }),
            of_accuracy: fc.double({ min: -0.99, max: 0.99, noNaN: true }),
            after: fc.nat(3600),
          }),
          { minLength: 1 },
        ),
        (of, of_radius, noise) => {
          const fence = circle(of)
          const stands_at = of.radius * of_radius
          const truth = stands_at <= of.radius ? 'inside' : 'outside'
          let seconds = 0
          const way = noise.map(({ accuracy, of_accuracy, after }) =>
            // As far off as the position may be, and never past the centre: there the distance would grow again.
            position(Math.max(0, stands_at + of_accuracy * accuracy), (seconds += after), { accuracy }),
          )
          const { memory, crossed } = run(fence, way)
          const later = settleFence(fence, memory, (seconds + 100_000) * 1000)
          // That it is outside from the start is told once; nothing else ever is.
          const all = [...crossed, ...later.crossed].map(({ to }) => to)
          expect(all).toEqual(later.memory.state === 'outside' ? ['outside'] : [])
          if (later.memory.state !== null) expect(later.memory.state).toBe(truth)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('never flaps however a position jitters within the band', () => {
    fc.assert(
      fc.property(
        anyCircle,
        fc.boolean(),
        fc.array(fc.record({ of_band: fc.double({ min: -0.99, max: 0.99, noNaN: true }), after: fc.nat(3600) })),
        (of, is_inside, jitter) => {
          const fence = circle(of)
          const band = fenceBand(fence)
          const start = run(fence, [position(is_inside ? 0 : of.radius * 2 + 500, 0)]).memory
          expect(start.state).toBe(is_inside ? 'inside' : 'outside')
          let seconds = 0
          const way = jitter.map(({ of_band, after }) => position(of.radius + of_band * band, (seconds += after)))
          const { memory, crossed } = run(fence, way, start)
          expect(crossed).toEqual([])
          expect(settleFence(fence, memory, (seconds + 100_000) * 1000).crossed).toEqual([])
        },
      ),
    )
  })

  test('is judged alike at once and bit by bit, by whoever looks in between', () => {
    fc.assert(
      fc.property(
        anyCircle,
        fc.array(fc.record({ metres: fc.integer({ min: 0, max: 3000 }), after: fc.nat(400) }), { maxLength: 40 }),
        (of, steps) => {
          const fence = circle({ ...of, radius: 1000 })
          let seconds = 0
          const way = steps.map(({ metres, after }) => position(metres, (seconds += after)))
          const end = (seconds + 1000) * 1000
          const at_once = run(fence, way)
          const whole = [...at_once.crossed, ...settleFence(fence, at_once.memory, end).crossed]
          let memory = fenceUnknown
          const bit_by_bit: FenceCrossing[] = []
          for (const [n, step] of way.entries()) {
            const judged = judgeFence(fence, memory, [step])
            // Between two positions the one who looks sees time pass.
            const settled = settleFence(fence, judged.memory, way[n + 1] ? way[n + 1]!.at - 1 : end)
            memory = settled.memory
            bit_by_bit.push(...judged.crossed, ...settled.crossed)
          }
          expect(bit_by_bit).toEqual(whole)
          // Out and in take turns.
          for (const [n, { to }] of whole.entries()) if (n > 0) expect(to).not.toBe(whole[n - 1]!.to)
        },
      ),
    )
  })
})

test('a fence on the wire has what the circle needs', () => {
  expect(Fence.safeParse({ ...circle(), name: 'Depot', shape: 'circle' }).success).toBe(false)
})

describe('a polygon', () => {
  const at = (east: number, north: number) => ({
    longitude: centre.longitude + east / (metres_of_degree * Math.cos((centre.latitude * Math.PI) / 180)),
    latitude: centre.latitude + north / metres_of_degree,
  })
  // An L: a yard with a corner cut out of it.
  const yard = [at(0, 0), at(800, 0), at(800, 400), at(400, 400), at(400, 800), at(0, 800)]
  const fence = { ...circle(), ...aroundPolygon(yard).center, radius: aroundPolygon(yard).radius, points: yard }

  test('is within its corners, not within the circle around it', () => {
    expect(isWithinPolygon(yard, at(100, 700))).toBe(true)
    expect(isWithinPolygon(yard, at(700, 100))).toBe(true)
    expect(isWithinPolygon(yard, at(600, 600))).toBe(false)
    expect(metresBeyond(fence, at(600, 600))).toBeCloseTo(200, 0)
    expect(metresBeyond(fence, at(200, 200))).toBeCloseTo(-200, 0)
    expect(metresBeyond(fence, at(900, 900))).toBeGreaterThan(400)
    expect(aroundPolygon(yard).radius).toBeGreaterThanOrEqual(565)
    expect(fenceBand(fence)).toBe(50)
    expect(fenceBand({ accuracy: 'common', radius: 500, points: [at(0, 0), at(40, 0), at(40, 40)] })).toBeLessThan(10)
  })

  test('is crossed as a circle is: out by its cut corner and back', () => {
    const way = [at(200, 200), at(380, 380), at(420, 420), at(500, 500), at(600, 600), at(300, 300), at(200, 200)]
    const positions = way.map((place, n) => ({ ...place, at: n * 10_000 }))
    expect(said(run(fence, positions).crossed)).toEqual([
      ['outside', 30],
      ['inside', 50],
    ])
  })

  test.each([
    ['polygon_crossing', [at(0, 0), at(100, 100), at(100, 0), at(0, 100)]],
    ['polygon_crossing', [at(0, 0), at(100, 0), at(50, 0), at(50, 100)]],
    ['polygon_repeated', [at(0, 0), at(100, 0), at(100, 100), at(0, 0)]],
    ['polygon_pole', [at(0, 0), { longitude: 10, latitude: 86 }, { longitude: 20, latitude: 0 }]],
    [
      'polygon_antimeridian',
      [
        { longitude: 179, latitude: 1 },
        { longitude: -179, latitude: 1 },
        { longitude: 179, latitude: 2 },
      ],
    ],
    [undefined, yard],
    [undefined, yard.toReversed()],
  ])('%s', (fault, points) => {
    expect(polygonFault(points)).toBe(fault)
  })
})

import { expect, test } from 'vitest'
import { nearest, runsOf, spanOf, timeTicks, zoneOffset } from './chart-math.ts'

const minute = 60_000
const line = (...values: (number | null)[]) => values.map((value, i) => ({ at: i * minute, value }))

test('a missing value ends a run', () => {
  expect(runsOf(line(1, 2, null, 3)).map((run) => run.map(({ value }) => value))).toEqual([[1, 2], [3]])
})

test('a long silence ends a run, an uneven rhythm does not', () => {
  const points = [0, 1, 2, 4, 30, 31].map((m) => ({ at: m * minute, value: m }))
  expect(runsOf(points).map((run) => run.length)).toEqual([4, 2])
})

test('ticks fall on round times of the zone', () => {
  const from = Date.parse('2026-11-20T17:20:00Z')
  const until = from + 24 * 60 * minute
  const offset = zoneOffset(from, 'Asia/Ho_Chi_Minh')
  expect(offset).toBe(7 * 60 * minute)
  const ticks = timeTicks({ from, until }, 6, offset)
  expect(ticks.length).toBeGreaterThan(3)
  expect(ticks.every((tick) => (tick + offset) % (4 * 60 * minute) === 0)).toBe(true)
  expect(ticks.every((tick) => tick >= from && tick <= until)).toBe(true)
})

test('nearest point and span', () => {
  const points = line(5, 1, null, 9)
  expect(nearest(points, 1.4 * minute)).toBe(1)
  expect(nearest([], 0)).toBe(-1)
  expect(spanOf(points)).toEqual({ min: 1, max: 9, last: 9 })
  expect(spanOf(line(null))).toBeUndefined()
})

import { expect, test } from 'vitest'
import { nearest, runsOf, spanOf, timeTicks, zoneOffset } from './chart-math.ts'

const minute = 60_000
const line = (...values: number[]) => values.map((value, i) => ({ at: i * minute, value }))
const lengths = (...minutes: number[]) =>
  runsOf(minutes.map((m) => ({ at: m * minute, value: m }))).map((run) => run.length)

test('a long silence ends a run, an uneven rhythm does not', () => {
  expect(lengths(0, 1, 2, 9, 30, 31)).toEqual([4, 2])
  expect(lengths(0, 20, 40, 80, 300)).toEqual([4, 1])
  expect(lengths()).toEqual([])
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
  const points = line(5, 1, 4, 9)
  expect(nearest(points, 1.4 * minute)).toBe(1)
  expect(nearest([], 0)).toBe(-1)
  expect(spanOf(points)).toEqual({ min: 1, max: 9, last: 9 })
  expect(spanOf([])).toBeUndefined()
})

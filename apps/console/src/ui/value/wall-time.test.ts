import dayjs from 'dayjs'
import { afterEach, expect, test, vi } from 'vitest'
import { daysOf, instantOf, wallOf } from './wall-time.ts'

test.each([
  ['2026-11-21T08:00:00.000Z', 'Asia/Ho_Chi_Minh', '2026/11/21 15:00:00'],
  ['2026-11-21T20:30:00.000Z', 'Asia/Ho_Chi_Minh', '2026/11/22 03:30:00'],
  ['2026-07-01T12:00:00.000Z', 'Europe/Berlin', '2026/07/01 14:00:00'],
  ['2026-12-01T12:00:00.000Z', 'Europe/Berlin', '2026/12/01 13:00:00'],
  ['2026-03-29T01:30:00.000Z', 'Europe/Berlin', '2026/03/29 03:30:00'],
])('%s in %s reads %s, and back', (at, zone, reading) => {
  const wall = wallOf(at, zone)
  expect(wall?.format('YYYY/MM/DD HH:mm:ss')).toBe(reading)
  expect(instantOf(wall!, zone)).toBe(at)
  // As a picker hands over what was typed: a reading without the zone.
  expect(instantOf(dayjs(reading), zone)).toBe(at)
})

test('a value that is no instant shows nothing', () => {
  expect(wallOf('yesterday', 'Asia/Shanghai')).toBeNull()
})

afterEach(() => {
  vi.useRealTimers()
})

test.each([
  // A Sunday in Hanoi, while it is still Saturday in London.
  ['today', '2026-11-21T17:00:00.000Z', '2026-11-22T16:59:59.000Z'],
  ['yesterday', '2026-11-20T17:00:00.000Z', '2026-11-21T16:59:59.000Z'],
  ['week', '2026-11-15T17:00:00.000Z', '2026-11-22T16:59:59.000Z'],
  ['last_week', '2026-11-08T17:00:00.000Z', '2026-11-15T16:59:59.000Z'],
] as const)('%s is of the zone, and a week begins on Monday', (period, from, to) => {
  vi.useFakeTimers({ now: new Date('2026-11-21T18:30:00Z') })
  expect(daysOf(period, 'Asia/Ho_Chi_Minh')).toEqual({ from, to })
})

test('a day on which clocks change is as long as it is', () => {
  vi.useFakeTimers({ now: new Date('2026-03-29T12:00:00Z') })
  expect(daysOf('today', 'Europe/Berlin')).toEqual({ from: '2026-03-28T23:00:00.000Z', to: '2026-03-29T21:59:59.000Z' })
})

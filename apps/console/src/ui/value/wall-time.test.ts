import dayjs from 'dayjs'
import { expect, test } from 'vitest'
import { instantOf, wallOf } from './wall-time.ts'

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

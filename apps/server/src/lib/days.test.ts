import { expect, it } from 'vitest'
import { addDays, beginOfDay, dayOf } from './days.ts'

it.each([
  ['UTC', '2026-01-15T00:00:00.000Z'],
  ['Asia/Ho_Chi_Minh', '2026-01-14T17:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-14T18:15:00.000Z'],
  ['America/Chicago', '2026-01-15T06:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-01-14T10:00:00.000Z'],
  ['Etc/GMT+12', '2026-01-15T12:00:00.000Z'],
])('a day begins in %s at %s', (zone, start) => {
  expect(beginOfDay('2026-01-15', zone).toISOString()).toBe(start)
  expect([dayOf(new Date(start), zone), dayOf(Date.parse(start) - 1, zone)]).toEqual(['2026-01-15', '2026-01-14'])
})

it.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  // Clocks are put forward at midnight: the day begins at one.
  ['America/Asuncion', '2023-10-01', 23],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
])('in %s %s has %s hours', (zone, day, hours) => {
  const length = beginOfDay(addDays(day, 1), zone).getTime() - beginOfDay(day, zone).getTime()
  expect(length / 3_600_000).toBe(hours)
})

import { expect, test } from 'vitest'
import { monthAfter, weeksOf } from './month.ts'

const dates = (month: string) => weeksOf(month).map((week) => [week[0]!.date, week.at(-1)!.date])

test('a month has all weeks that it has a day of, Monday first', () => {
  expect(dates('2026-11')).toEqual([
    ['2026-10-26', '2026-11-01'],
    ['2026-11-02', '2026-11-08'],
    ['2026-11-09', '2026-11-15'],
    ['2026-11-16', '2026-11-22'],
    ['2026-11-23', '2026-11-29'],
    ['2026-11-30', '2026-12-06'],
  ])
  // Four weeks exactly.
  expect(dates('2027-02')).toHaveLength(4)
  const [first] = weeksOf('2026-11')
  expect(first!.at(-1)).toEqual({ date: '2026-11-01', number: 1, weekday: 7, is_other_month: false })
  expect(first![0]).toMatchObject({ weekday: 1, is_other_month: true })
})

test('months go on over the end of a year', () => {
  expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
})

import dayjs from 'dayjs'
import type { Dayjs } from 'dayjs'

/** A day of a month's page: its date as `YYYY-MM-DD`, and its day of the week, 1 for Monday. */
export type Day = { date: string; number: number; weekday: number; is_other_month: boolean }

/** The weeks that a month has days of, Monday first. `month` is `YYYY-MM`. */
export function weeksOf(month: string): Day[][] {
  const first = dayjs(`${month}-01`)
  const monday = first.subtract((first.day() + 6) % 7, 'day')
  const weeks: Day[][] = []
  for (let at = monday; at.isBefore(first.add(1, 'month')); at = at.add(7, 'day'))
    weeks.push(Array.from({ length: 7 }, (_, n) => dayOf(at.add(n, 'day'), month)))
  return weeks
}

const dayOf = (at: Dayjs, month: string): Day => ({
  date: at.format('YYYY-MM-DD'),
  number: at.date(),
  weekday: ((at.day() + 6) % 7) + 1,
  is_other_month: at.format('YYYY-MM') !== month,
})

export const monthAfter = (month: string, months: number): string =>
  dayjs(`${month}-01`).add(months, 'month').format('YYYY-MM')

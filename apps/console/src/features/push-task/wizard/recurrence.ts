/** When a recurring push runs, as a person says it; `free` is a cron expression of five fields. */
export type Recurrence = {
  every: 'day' | 'week' | 'month' | 'free'
  /** HH:mm */
  time: string
  /** 1: Monday to 7: Sunday */
  weekdays: readonly number[]
  /** 1 to 31; a month without that day is left out. `last`: the last of each month. */
  day: number | 'last'
  cron: string
}

/** Minute, hour, day of the month, month, day of the week. */
export function cronOf({ every, time, weekdays, day, cron }: Recurrence): string {
  if (every === 'free') return cron.trim().replaceAll(/\s+/g, ' ')
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const at = `${minute} ${hour}`
  if (every === 'day') return `${at} * * *`
  // 0 is Sunday there.
  if (every === 'week')
    return `${at} * * ${[...weekdays]
      .map((each) => each % 7)
      .toSorted((a, b) => a - b)
      .join(',')}`
  return `${at} ${day === 'last' ? 'L' : day} * *`
}

/** Monday to Sunday, as the language calls them. */
export function weekdayNames(locale: string, style: 'long' | 'short' = 'short'): { day: number; name: string }[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: style, timeZone: 'UTC' })
  // 2024-01-01 was a Monday.
  return [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, name: format.format(new Date(Date.UTC(2024, 0, day))) }))
}

import dayjs from 'dayjs'
import type { Dayjs } from 'dayjs'
import timezone from 'dayjs/plugin/timezone'
import utc from 'dayjs/plugin/utc'

dayjs.extend(utc)
dayjs.extend(timezone)

/** An instant as the clock on the wall of a zone shows it; null for what is no instant. */
export const wallOf = (at: string, zone: string): Dayjs | null => (dayjs(at).isValid() ? dayjs(at).tz(zone) : null)

/** The instant, in UTC, at which that clock reads so. A picker gives typed text in the browser's zone: only the reading counts. */
export const instantOf = (reading: Dayjs, zone: string): string =>
  dayjs.tz(reading.format('YYYY-MM-DDTHH:mm:ss'), zone).toISOString()

/** Makes the pickers' "now" and "today" those of a zone. Answers how to end it. */
export function pickInZone(zone: string): () => void {
  dayjs.tz.setDefault(zone)
  return () => dayjs.tz.setDefault()
}

/** Days of a zone that people ask for, as instants: from the first moment of the first to the last of the last. */
export function daysOf(period: Period, zone: string): { from: string; to: string } {
  const today = dayjs().tz(zone).startOf('day')
  const monday = today.subtract((today.day() + 6) % 7, 'day')
  const [first, last] = {
    today: [today, today],
    yesterday: [today.subtract(1, 'day'), today.subtract(1, 'day')],
    week: [today.subtract(6, 'day'), today],
    last_week: [monday.subtract(7, 'day'), monday.subtract(1, 'day')],
  }[period] as [Dayjs, Dayjs]
  return { from: instantOf(first, zone), to: instantOf(last.endOf('day'), zone) }
}
export const periods = ['today', 'yesterday', 'week', 'last_week'] as const
type Period = (typeof periods)[number]

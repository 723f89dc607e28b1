/** The zone, where it is one. */
export function zoneIn(zone: string | undefined): string | undefined {
  try {
    return zone !== undefined && zone !== '' && new Intl.DateTimeFormat('en', { timeZone: zone }) ? zone : undefined
  } catch {
    return undefined
  }
}

type Window = { from: string; to: string; days?: readonly number[] | undefined }
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Whether a push may execute now; `to` before `from` spans midnight, and belongs to the day on which it opens. */
export function isWithin({ from, to, days }: Window, now: number, timeZone: string): boolean {
  const of_day = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, ...of_day }).format(now)
  const weekday = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short' }).format(now)
  const day = weekdays.indexOf(weekday) + 1
  const isOn = (one: number) => days === undefined || days.includes(one)
  if (from <= to) return from <= time && time < to && isOn(day)
  return (time >= from && isOn(day)) || (time < to && isOn(day === 1 ? 7 : day - 1))
}

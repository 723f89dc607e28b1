const minute_ms = 60_000
const day_minutes = 1440

/** Minutes of the day of `HH:MM`, or undefined. */
const minutesOf = (text: string): number | undefined => {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  return match ? Number(match[1]) * 60 + Number(match[2]) : undefined
}

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const formatIn = (timeZone: string) => new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric })
  let format: Intl.DateTimeFormat
  try {
    format = formatIn(zone || 'UTC')
  } catch {
    // A terminal without a zone says `Etc/Unknown`, or nothing.
    format = formatIn('UTC')
  }
  formats.set(zone, format)
  return format
}

/** How far the clocks of a zone are ahead of UTC at an instant, in whole minutes. */
function offsetOf(zone: string, at_ms: number): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at_ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
  return (Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at_ms / minute_ms) * minute_ms) / minute_ms
}

const mod = (value: number, by: number): number => ((value % by) + by) % by

/** The first minute after `from_ms`, at most `to_ms`, in which the clocks of the zone have been changed. */
function changeBetween(zone: string, from_ms: number, to_ms: number): number {
  const before = offsetOf(zone, from_ms)
  let [early, late] = [Math.floor(from_ms / minute_ms), Math.floor(to_ms / minute_ms)]
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetOf(zone, middle * minute_ms) === before) early = middle
    else late = middle
  }
  return late * minute_ms
}

type Window = { from: string; to: string; days?: readonly number[] | undefined }
/** A window that opens on one day of the week is looked for past a change of the clocks on each day before it. */
const looks = 20
const thursday = 4
/** The day of the week of a day since 1970 began: 1 is Monday, 7 Sunday. */
const weekdayOf = (day: number): number => mod(day + thursday - 1, 7) + 1

/**
 * When a window opens by the clocks of `zone`; `now` inside it. `to` is not part of it, a window whose `to` is before its
 * `from` spans midnight and belongs to the day on which it opens, and one whose ends are equal is open all day. On a day on
 * which the clocks jump over its beginning it opens with the jump, if anything of it is left. Undefined when an end is no
 * time, or no day one of the week.
 */
export function windowOpens({ from, to, days }: Window, now: Date, zone: string): Date | undefined {
  const start = minutesOf(from)
  const end = minutesOf(to)
  if (start === undefined || end === undefined) return undefined
  const isOn = (day: number) => days === undefined || days.includes(weekdayOf(day))
  const isOpen = (minute: number, day: number) => {
    if (start === end) return isOn(day)
    if (start < end) return minute >= start && minute < end && isOn(day)
    return (minute >= start && isOn(day)) || (minute < end && isOn(day - 1))
  }
  let at_ms = now.getTime()
  for (let look = 0; look < looks; look += 1) {
    const offset = offsetOf(zone, at_ms)
    const local = Math.floor(at_ms / minute_ms) + offset
    const minute = mod(local, day_minutes)
    const day = Math.floor(local / day_minutes)
    if (isOpen(minute, day)) return new Date(at_ms)
    // All day long it opens with the day.
    const opens = start === end ? 0 : start
    const wait = mod(opens - minute, day_minutes) || day_minutes
    const opens_ms = (Math.floor(at_ms / minute_ms) + wait) * minute_ms
    // Another day of the week, or past a change of the clocks: it is looked at anew from there.
    at_ms = offsetOf(zone, opens_ms) === offset ? opens_ms : changeBetween(zone, at_ms, opens_ms)
  }
  return undefined
}

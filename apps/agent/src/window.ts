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

/**
 * When a daily window opens by the clocks of `zone`; `now` inside it. `to` is not part of it, a window whose `to` is
 * before its `from` spans midnight, and one whose ends are equal is always open. On a day on which the clocks jump over
 * its beginning it opens with the jump, if anything of it is left. Undefined when an end is no time.
 */
export function windowOpens({ from, to }: { from: string; to: string }, now: Date, zone: string): Date | undefined {
  const start = minutesOf(from)
  const end = minutesOf(to)
  if (start === undefined || end === undefined) return undefined
  const isOpen = (minute: number) => (start <= end ? minute >= start && minute < end : minute >= start || minute < end)
  let at_ms = now.getTime()
  for (;;) {
    const offset = offsetOf(zone, at_ms)
    const minute = mod(Math.floor(at_ms / minute_ms) + offset, day_minutes)
    if (start === end || isOpen(minute)) return new Date(at_ms)
    const opens_ms = (Math.floor(at_ms / minute_ms) + mod(start - minute, day_minutes)) * minute_ms
    if (offsetOf(zone, opens_ms) === offset) return new Date(opens_ms)
    at_ms = changeBetween(zone, at_ms, opens_ms)
  }
}

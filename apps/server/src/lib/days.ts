const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  formats.set(zone, made)
  return made
}

/** The day, as 2026-03-29, that it is in a zone. */
export const dayOf = (at: Date | number, zone: string): string => formatOf(zone).format(at)

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

const minute_ms = 60_000
/** No zone is further from UTC, either way. */
const furthest_ms = 15 * 60 * minute_ms

/** The first moment of a day in a zone, which is not midnight where the clocks are put forward then. */
export function beginOfDay(day: string, zone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  let before = (midnight - furthest_ms) / minute_ms
  let within = (midnight + furthest_ms) / minute_ms
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2)
    if (dayOf(middle * minute_ms, zone) < day) before = middle
    else within = middle
  }
  return new Date(within * minute_ms)
}

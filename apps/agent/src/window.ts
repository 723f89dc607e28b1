/** Minutes of the day of `HH:MM`, or undefined. */
const minutesOf = (text: string): number | undefined => {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  return match ? Number(match[1]) * 60 + Number(match[2]) : undefined
}

/**
 * Milliseconds until a daily window in the device's own time opens; 0 inside it. `to` is not part of it, a window whose
 * `to` is before its `from` spans midnight, and one whose ends are equal is always open. Undefined when an end is no time.
 */
export function msUntilWindow({ from, to }: { from: string; to: string }, now: Date): number | undefined {
  const start = minutesOf(from)
  const end = minutesOf(to)
  if (start === undefined || end === undefined) return undefined
  if (start === end) return 0
  const minute = now.getHours() * 60 + now.getMinutes()
  const is_open = start < end ? minute >= start && minute < end : minute >= start || minute < end
  if (is_open) return 0
  const opens = new Date(now)
  opens.setHours(Math.floor(start / 60), start % 60, 0, 0)
  if (opens <= now) opens.setDate(opens.getDate() + 1)
  return opens.getTime() - now.getTime()
}

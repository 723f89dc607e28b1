/** The zone, where it is one. */
export function zoneIn(zone: string | undefined): string | undefined {
  try {
    return zone !== undefined && zone !== '' && new Intl.DateTimeFormat('en', { timeZone: zone }) ? zone : undefined
  } catch {
    return undefined
  }
}

/** Whether a push may execute now; `to` before `from` spans midnight. */
export function isWithin({ from, to }: { from: string; to: string }, now: number, timeZone: string): boolean {
  const of_day = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, ...of_day }).format(now)
  return from <= to ? from <= time && time < to : time >= from || time < to
}

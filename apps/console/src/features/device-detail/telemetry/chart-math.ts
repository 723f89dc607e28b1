export type Point = { at: number; value: number }
export type Extent = { from: number; until: number }

/** Neighbours further apart than this are not joined: nothing is known in between. */
const gap_factor = 4
const gap_least_ms = 10 * 60_000

/** Runs of points that may be joined by a line. */
export function runsOf(points: readonly Point[]): Point[][] {
  const steps = points.slice(1).map((point, i) => point.at - (points[i]?.at ?? point.at))
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  const widest = Math.max(usual * gap_factor, gap_least_ms)
  const runs: Point[][] = []
  for (const [i, point] of points.entries()) {
    const before = points[i - 1]
    if (before && point.at - before.at <= widest) runs.at(-1)?.push(point)
    else runs.push([point])
  }
  return runs
}

/** About `count` round instants between from and until: full hours, days, five minutes. */
export function timeTicks({ from, until }: Extent, count: number, offset_ms = 0): number[] {
  const minute = 60_000
  const steps = [1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880].map((n) => n * minute)
  const step = steps.find((each) => (until - from) / each <= count) ?? 2880 * minute
  const first = Math.ceil((from + offset_ms) / step) * step - offset_ms
  return Array.from({ length: Math.max(0, Math.floor((until - first) / step) + 1) }, (_, i) => first + i * step)
}

/** Minutes east of UTC of a zone at an instant, in milliseconds. */
export function zoneOffset(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'))
  return local - Math.floor(at / 1000) * 1000
}

/** Index of the point nearest to an instant; -1 without points. */
export function nearest(points: readonly Point[], at: number): number {
  let found = -1
  for (const [i, point] of points.entries()) {
    const best = points[found]
    if (!best || Math.abs(point.at - at) < Math.abs(best.at - at)) found = i
  }
  return found
}

export function spanOf(points: readonly Point[]): { min: number; max: number; last: number } | undefined {
  const values = points.map(({ value }) => value)
  const last = values.at(-1)
  return last === undefined ? undefined : { min: Math.min(...values), max: Math.max(...values), last }
}

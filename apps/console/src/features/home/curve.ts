const day_ms = 86_400_000

type Size = { width: number; height: number }
export type Curve = {
  min: number
  max: number
  last: number
  from: number
  until: number
  line: string
  area: string
}

/** The day that ends with the last point as paths of this size; its height is that of the highest point. */
export function curveOf(points: readonly { at: string; online: number }[], { width, height }: Size): Curve | undefined {
  const last = points.at(-1)
  if (!last) return undefined
  const until = Date.parse(last.at)
  const from = until - day_ms
  const values = points.map((point) => point.online)
  const max = Math.max(...values)
  const x = (at: string) => (((Date.parse(at) - from) / day_ms) * width).toFixed(1)
  // Half a line's width stays free above.
  const y = (online: number) => (height - (online / Math.max(1, max)) * (height - 1)).toFixed(1)
  const steps = points.map((point) => `${x(point.at)},${y(point.online)}`)
  const line = `M${steps.join('L')}`
  const area = `${line}L${x(last.at)},${height}L${x(points[0]!.at)},${height}Z`
  return { min: Math.min(...values), max, last: last.online, from, until, line, area }
}

/** A polygon on the earth: its corners in order, the last joined to the first. WGS 84; its edges are straight on a map. */
export type Corner = { longitude: number; latitude: number }

export const polygonLimits = { min: 3, max: 100, latitude: 85 } as const

const metres_of_degree = (Math.PI / 180) * 6_371_000
type Point = { x: number; y: number }
/** Around a place the earth is flat enough: metres to the east and to the north of it. */
const seenFrom = (from: Corner, { longitude, latitude }: Corner): Point => ({
  x: (longitude - from.longitude) * metres_of_degree * Math.cos((from.latitude * Math.PI) / 180),
  y: (latitude - from.latitude) * metres_of_degree,
})
const edgesOf = <T>(points: readonly T[]): [T, T][] =>
  points.map((point, at) => [point, points[(at + 1) % points.length]!])

/** Whether a place lies within: an arm to the east crosses the edge an odd number of times. */
export function isWithinPolygon(points: readonly Corner[], { longitude, latitude }: Corner): boolean {
  let is_within = false
  for (const [a, b] of edgesOf(points)) {
    if (a.latitude > latitude === b.latitude > latitude) continue
    const part = (latitude - a.latitude) / (b.latitude - a.latitude)
    if (longitude < a.longitude + part * (b.longitude - a.longitude)) is_within = !is_within
  }
  return is_within
}

/** Metres from a place to the nearest point of the edge. */
export function metresToEdge(points: readonly Corner[], place: Corner): number {
  const distances = edgesOf(points.map((point) => seenFrom(place, point))).map(([a, b]) => {
    const [x, y] = [b.x - a.x, b.y - a.y]
    const length = x * x + y * y
    const part = length === 0 ? 0 : Math.min(1, Math.max(0, -(a.x * x + a.y * y) / length))
    return Math.hypot(a.x + part * x, a.y + part * y)
  })
  return Math.min(...distances)
}

/**
 * Metres that the middle of it is from its edge, roughly: its area by its circumference. Of a circle that is half of the radius.
 */
export function polygonDepth(points: readonly Corner[]): number {
  const { center } = aroundPolygon(points)
  const edges = edgesOf(points.map((point) => seenFrom(center, point)))
  const area = Math.abs(edges.reduce((sum, [a, b]) => sum + a.x * b.y - b.x * a.y, 0)) / 2
  const around = edges.reduce((sum, [a, b]) => sum + Math.hypot(b.x - a.x, b.y - a.y), 0)
  return around === 0 ? 0 : area / around
}

/** A circle around it: the middle of what it spans, and how far its farthest corner is from there. */
export function aroundPolygon(points: readonly Corner[]): { center: Corner; radius: number } {
  const middle = (of: (point: Corner) => number) => {
    const values = points.map(of)
    return (Math.min(...values) + Math.max(...values)) / 2
  }
  const center = { longitude: middle(({ longitude }) => longitude), latitude: middle(({ latitude }) => latitude) }
  const far = points.map((point) => seenFrom(center, point)).map(({ x, y }) => Math.hypot(x, y))
  return { center, radius: Math.ceil(Math.max(...far)) }
}

const turn = (a: Corner, b: Corner, c: Corner): number =>
  Math.sign(
    (b.longitude - a.longitude) * (c.latitude - a.latitude) - (b.latitude - a.latitude) * (c.longitude - a.longitude),
  )
const isBetween = (a: Corner, b: Corner, c: Corner): boolean =>
  Math.min(a.longitude, b.longitude) <= c.longitude &&
  c.longitude <= Math.max(a.longitude, b.longitude) &&
  Math.min(a.latitude, b.latitude) <= c.latitude &&
  c.latitude <= Math.max(a.latitude, b.latitude)
function isCrossing([a, b]: [Corner, Corner], [c, d]: [Corner, Corner]): boolean {
  const [abc, abd, cda, cdb] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)]
  if (abc !== abd && cda !== cdb) return true
  return (
    (abc === 0 && isBetween(a, b, c)) ||
    (abd === 0 && isBetween(a, b, d)) ||
    (cda === 0 && isBetween(c, d, a)) ||
    (cdb === 0 && isBetween(c, d, b))
  )
}

type PolygonFault = 'polygon_repeated' | 'polygon_pole' | 'polygon_antimeridian' | 'polygon_crossing'
/** Why these corners make no fence; undefined where they do. */
export function polygonFault(points: readonly Corner[]): PolygonFault | undefined {
  const places = new Set(points.map(({ longitude, latitude }) => `${longitude} ${latitude}`))
  if (places.size < points.length) return 'polygon_repeated'
  if (points.some(({ latitude }) => Math.abs(latitude) > polygonLimits.latitude)) return 'polygon_pole'
  const edges = edgesOf(points)
  if (edges.some(([a, b]) => Math.abs(a.longitude - b.longitude) > 180)) return 'polygon_antimeridian'
  const last = edges.length - 1
  for (const [at, edge] of edges.entries())
    for (const [other_at, other] of edges.entries()) {
      if (other_at <= at) continue
      const is_next = other_at === at + 1 || (at === 0 && other_at === last)
      // Neighbours share a corner; they may not lie on each other.
      const [from, corner, to] = other_at === at + 1 ? [edge[0], edge[1], other[1]] : [edge[1], edge[0], other[0]]
      const is_back = turn(from, corner, to) === 0 && (isBetween(corner, from, to) || isBetween(corner, to, from))
      if (is_next ? is_back : isCrossing(edge, other)) return 'polygon_crossing'
    }
  return undefined
}

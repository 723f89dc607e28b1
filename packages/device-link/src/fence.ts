import * as z from 'zod'
import { isWithinPolygon, metresToEdge, polygonDepth, polygonLimits } from './polygon.ts'

/**
 * How sure a position has to be: `band` is the distance from the edge, in metres, within which no position says on which
 * side a device is; a position that is less accurate than `worst` is not used.
 */
export const fenceAccuracies = {
  common: { code: 0, band: 50, worst: 200 },
  high: { code: 1, band: 20, worst: 50 },
  adaptive: { code: 2, band: 20, worst: 500 },
} as const
export type FenceAccuracy = keyof typeof fenceAccuracies
export const fenceAccuracyNames = Object.keys(fenceAccuracies) as FenceAccuracy[]

export const FenceState = z.enum(['inside', 'outside'])
export type FenceState = z.infer<typeof FenceState>

const Corner = z.object({
  longitude: z.number().min(-180).max(180),
  latitude: z.number().min(-polygonLimits.latitude).max(polygonLimits.latitude),
})
/** An area on the earth, WGS 84, that a device is to stay within. */
export const Fence = z.object({
  fence_kid: z.uuid(),
  fence_version: z.number().int().min(1),
  name: z.string().max(64),
  shape: z.enum(['circle', 'polygon']).describe('polygon: only to devices that say judges_polygons'),
  longitude: z.number().min(-180).max(180),
  latitude: z.number().min(-90).max(90),
  radius: z.number().min(1).describe('metres; of a polygon that of a circle around it'),
  points: z
    .array(Corner)
    .min(polygonLimits.min)
    .max(polygonLimits.max)
    .optional()
    .describe('of a polygon: its corners in order, the last joined to the first; it counts in place of the circle'),
  duration: z.number().int().min(0).describe('seconds that it has to be on the other side before that counts'),
  accuracy: z.enum(fenceAccuracyNames as [FenceAccuracy, ...FenceAccuracy[]]),
  alarm_seconds: z.number().int().min(2).max(600).optional().describe('rings for so long when it leaves'),
  lock_password: z.string().min(4).max(64).optional().describe('the screen is locked with it when it leaves'),
})
export type Fence = z.infer<typeof Fence>

/** How a device stands to the fence that is in force for it: a part of `up/state`. */
export const FenceStanding = z.object({
  fence_kid: z.uuid(),
  fence_version: z.number().int().min(1),
  state: FenceState,
  at: z.iso.datetime({ offset: true }).describe('since when'),
})

/** The detail of an event of type `fence_action`: what a device did by itself because it left its fence, or could not do. */
export const FenceAction = z.object({
  fence_kid: z.uuid(),
  fence_version: z.number().int().min(1),
  fence: z.string().max(64).describe('its name'),
  action: z.enum(['ring', 'lock']),
  outcome: z.enum(['done', 'failed']),
  reason: z.string().max(60).optional().describe('of what failed: a code as in up/task'),
  message: z.string().max(1000).optional().describe('of what failed, in the words of the device'),
})
export type FenceAction = z.infer<typeof FenceAction>

export type FenceArea = Pick<Fence, 'longitude' | 'latitude' | 'radius' | 'duration' | 'accuracy'> & {
  points?: Fence['points'] | null
}
type Place = { longitude: number; latitude: number }
/** `at` is in milliseconds, `accuracy` in metres. */
export type FencePosition = Place & { accuracy?: number | null | undefined; at: number }
/** Beyond the edge since then and there; it counts when the duration of the fence has passed. */
export type FenceCrossing = Place & { to: FenceState; at: number }
/** What has to be remembered of a device between two positions. */
export type FenceMemory = { state: FenceState | null; judged_at: number | null; crossing: FenceCrossing | null }

export const fenceUnknown: FenceMemory = { state: null, judged_at: null, crossing: null }

/** Receivers that have no position say 0/0, a place in the sea where no device is. */
export const isPlace = ({ longitude, latitude }: Place): boolean => longitude !== 0 || latitude !== 0

const earth_metres = 6_371_000
/** Metres between two places, along the great circle. */
export function metresBetween(a: Place, b: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2
  const h =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude)
  return 2 * earth_metres * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** Metres to either side of the edge in which nothing changes: never more than half of the way to the middle. */
export const fenceBand = ({ accuracy, radius, points }: Pick<FenceArea, 'accuracy' | 'radius' | 'points'>): number =>
  Math.min(fenceAccuracies[accuracy].band, points ? polygonDepth(points) : radius / 2)

/** Metres beyond the edge of a fence; less than 0 within it. */
export function metresBeyond(fence: FenceArea, place: Place): number {
  const { points } = fence
  if (!points) return metresBetween(fence, place) - fence.radius
  return metresToEdge(points, place) * (isWithinPolygon(points, place) ? -1 : 1)
}

/**
 * The side on which a position shows the device to be: undefined within the band, and where the device may be on the other side
 * as far as the position is uncertain. So a device that stands still is never shown on a side on which it is not.
 */
function certainSide(fence: FenceArea, beyond: number, accuracy: number): FenceState | undefined {
  const margin = Math.max(fenceBand(fence), accuracy)
  if (beyond > margin) return 'outside'
  return beyond < -margin ? 'inside' : undefined
}

/**
 * What positions change, the oldest first: the new memory, and what is to be told. The first position that shows a side
 * says where the device is; that it is outside is told. After that it changes sides only when a position shows the other
 * one and none lies on its own for as long as the fence wants. Positions that are no place, too uncertain or older than
 * what was judged change nothing. Server and device both go by this function.
 */
export function judgeFence(
  fence: FenceArea,
  before: FenceMemory,
  positions: readonly FencePosition[],
): { memory: FenceMemory; crossed: FenceCrossing[] } {
  const crossed: FenceCrossing[] = []
  let memory = before
  for (const position of positions) {
    const { at, accuracy } = position
    if (!isPlace(position) || (accuracy ?? 0) > fenceAccuracies[fence.accuracy].worst) continue
    if (memory.judged_at !== null && at < memory.judged_at) continue
    const due = settleFence(fence, memory, at)
    crossed.push(...due.crossed)
    memory = afterPosition(fence, due.memory, position, crossed)
  }
  return { memory, crossed }
}

function afterPosition(
  fence: FenceArea,
  { state, crossing }: FenceMemory,
  { longitude, latitude, at, accuracy }: FencePosition,
  crossed: FenceCrossing[],
): FenceMemory {
  const beyond = metresBeyond(fence, { longitude, latitude })
  const side: FenceState = beyond <= 0 ? 'inside' : 'outside'
  const shown = certainSide(fence, beyond, accuracy ?? 0)
  const here = { longitude, latitude, to: side, at }
  if (state === null) {
    if (shown === 'outside') crossed.push(here)
    return { state: shown ?? null, judged_at: at, crossing: null }
  }
  // Back on its own side it starts anew; in the band it goes on.
  if (side === state) return { state, judged_at: at, crossing: null }
  const begun = crossing ?? (shown === undefined ? null : here)
  const now = settleFence(fence, { state, judged_at: at, crossing: begun }, at)
  crossed.push(...now.crossed)
  return now.memory
}

/** Time passes and nothing is heard: what has been beyond the edge for long enough counts. `now` is in milliseconds. */
export function settleFence(
  { duration }: Pick<Fence, 'duration'>,
  memory: FenceMemory,
  now: number,
): { memory: FenceMemory; crossed: FenceCrossing[] } {
  const { crossing } = memory
  const at = (crossing?.at ?? 0) + duration * 1000
  if (!crossing || at > now) return { memory, crossed: [] }
  return { memory: { ...memory, state: crossing.to, crossing: null }, crossed: [{ ...crossing, at }] }
}

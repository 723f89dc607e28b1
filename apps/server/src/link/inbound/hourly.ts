import { limits } from '@mdm/device-link'
import { limiterOf } from '../../lib/rate-limit.ts'
import { count } from '../stats.ts'
import type { Batch, ItemOf } from './items.ts'

const hour = 3_600_000
/** Of a number, about. */
const value_characters = 8

/** How many of these events of a device may still be stored, each by what it counts (`weightOf`); the rest is counted. */
export function eventsLeft({ deps }: Pick<Batch, 'deps'>, kid: string, weights: readonly number[]): number {
  const limiter = limiterOf(deps, 'device events', { limit: limits.events_per_hour, per_ms: hour })
  const takes = (weight: number): boolean => {
    for (let taken = 0; taken < weight; taken++) if (limiter.take(kid) > 0) return false
    return true
  }
  const over = weights.findIndex((weight) => !takes(weight))
  const left = over < 0 ? weights.length : over
  count('events_over_limit', weights.length - left)
  return left
}

/** A few large events fill a disk as well as many small ones: one more for each KiB of what it says. */
export function weightOf({ detail = {} }: { detail?: Record<string, unknown> | undefined }): number {
  let characters = 0
  for (const [key, value] of Object.entries(detail))
    characters += key.length + (typeof value === 'string' ? value.length : value_characters)
  return 1 + Math.floor(characters / 1024)
}

/** Whether one more report of this device may enter the histories. */
export function mayReport({ deps }: Pick<Batch, 'deps'>, kid: string): boolean {
  const may = limiterOf(deps, 'device reports', { limit: limits.reports_per_hour, per_ms: hour }).take(kid) === 0
  if (!may) count('reports_over_limit')
  return may
}

/** What the device is told of it: of a list from this place on. */
export function tooMany({ kind, kid, at, body }: ItemOf<'event' | 'state'>, from = 0): ItemOf<'refused'> {
  const path = kind === 'event' ? `events.${from}` : ''
  const most = kind === 'event' ? limits.events_per_hour : limits.reports_per_hour
  const message = `more than ${most} within an hour are not kept, from here on`
  const is_whole = kind === 'event' && from === 0
  return {
    kind: 'refused',
    kid,
    at,
    body: { name: kind, is_whole, seq: body.seq, parts: [{ path, reason: 'too_many', message }] },
  }
}

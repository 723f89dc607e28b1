import { limits } from '@mdm/device-link'
import { limiterOf } from '../../lib/rate-limit.ts'
import { count } from '../stats.ts'
import type { Batch, ItemOf } from './items.ts'

const hour = 3_600_000

/** How many of `wanted` events of this device may still be stored; the rest is counted. */
export function eventsLeft({ deps }: Pick<Batch, 'deps'>, kid: string, wanted: number): number {
  const limiter = limiterOf(deps, 'device events', { limit: limits.events_per_hour, per_ms: hour })
  let left = 0
  while (left < wanted && limiter.take(kid) === 0) left++
  count('events_over_limit', wanted - left)
  return left
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

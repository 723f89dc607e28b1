import dayjs from 'dayjs'
import { instantOf, wallOf } from '../../ui/value/wall-time.ts'

/**
 * The end 30 days or a year on, at the same time of the day in a zone: from the end as it is, or from now where that
 * has passed or there is none.
 */
export function renewed(expire_time: string | null, by: 'days' | 'year', now: number, zone: string): string {
  const is_ahead = expire_time !== null && Date.parse(expire_time) > now
  const from = wallOf(is_ahead ? expire_time : new Date(now).toISOString(), zone) ?? dayjs(now)
  return instantOf(by === 'days' ? from.add(30, 'day') : from.add(1, 'year'), zone)
}

import dayjs from 'dayjs'
import { useSearch, withParams } from '../../../core/address.ts'
import { instantOf, wallOf } from '../../../ui/value/wall-time.ts'
import { useNow } from '../../../ui/value/values.tsx'
import { useZone } from '../../../core/session.tsx'

export type Day = {
  /** YYYY-MM-DD, in the account's zone. */
  day: string
  today: string
  /** The instants between which it lies there: 23 or 25 hours where clocks change. */
  from: string
  until: string
  choose: (day: string) => void
}

/** The day that the address names, else today. */
export function useDay(): Day {
  const zone = useZone()
  const [search, setSearch] = useSearch()
  const today = wallOf(new Date(useNow()).toISOString(), zone)!.format('YYYY-MM-DD')
  const asked = search.get('day') ?? ''
  const is_day = /^\d{4}-\d{2}-\d{2}$/.test(asked) && dayjs(asked).format('YYYY-MM-DD') === asked && asked <= today
  const day = is_day ? asked : today
  const begin = (of: string) => instantOf(dayjs(`${of}T00:00:00`), zone)
  return {
    day,
    today,
    from: begin(day),
    until: begin(dayjs(day).add(1, 'day').format('YYYY-MM-DD')),
    choose: (chosen) => setSearch((before) => withParams(before, { day: chosen === today ? null : chosen })),
  }
}

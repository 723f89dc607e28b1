import { useCount } from '../../ui/value/format.ts'

/** Counts stop at so many (decision 004). */
const counted_max = 10_000

export function DeviceCount({ count }: { count: number }) {
  const format = useCount()
  return (
    <span className="number">
      {format(count)}
      {count >= counted_max && '+'}
    </span>
  )
}

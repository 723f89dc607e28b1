import { DatePicker } from 'antd'
import { useEffect } from 'react'
import { useZone } from '../../../core/session.tsx'
import { instantOf, pickInZone, wallOf } from '../../../ui/value/wall-time.ts'

type Props = { id?: string; value?: string | null; onChange?: (at: string | null) => void; autoFocus?: boolean }
/** An instant, typed and shown in the zone of the account. */
export function InstantPicker({ id, value, onChange, autoFocus = false }: Props) {
  const zone = useZone()
  // The picker's own "now" and "today" follow it too.
  useEffect(() => pickInZone(zone), [zone])
  return (
    <DatePicker
      {...(id !== undefined && { id })}
      autoFocus={autoFocus}
      showTime={{ format: 'HH:mm' }}
      format="YYYY/MM/DD HH:mm"
      needConfirm={false}
      value={value ? wallOf(value, zone) : null}
      onChange={(reading) => onChange?.(reading ? instantOf(reading.second(0), zone) : null)}
    />
  )
}

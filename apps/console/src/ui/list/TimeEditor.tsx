import { DatePicker } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useZone } from '../../core/session.tsx'
import type { TimeFilter } from './filters.tsx'
import type { ListParams, ParamSchema } from './params.ts'
import { instantOf, pickInZone, wallOf } from '../value/wall-time.ts'

/** Times are typed and shown in the zone of the account, like those in the cells; the address carries UTC. */
export function TimeEditor({ filter, params }: { filter: TimeFilter; params: ListParams<ParamSchema> }) {
  const { t } = useTranslation('common')
  const zone = useZone()
  // The picker's own "now" and "today" follow it too.
  useEffect(() => pickInZone(zone), [zone])
  const at = (key: string) => {
    const value = params.values[key]
    return typeof value === 'string' ? wallOf(value, zone) : null
  }
  const part = (key: string, label: string) => (
    <label>
      <span>{label}</span>
      <DatePicker
        showTime
        format="YYYY/MM/DD HH:mm:ss"
        value={at(key)}
        onChange={(value) => params.set({ [key]: value ? instantOf(value, zone) : null })}
      />
    </label>
  )
  return (
    <div className="filter-time">
      {part(filter.key, t('list.from'))}
      {part(filter.until, t('list.until'))}
      <p className="dim">{t('list.zone', { zone })}</p>
    </div>
  )
}

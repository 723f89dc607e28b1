import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import timezone from 'dayjs/plugin/timezone'
import utc from 'dayjs/plugin/utc'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useZone } from '../session.tsx'
import type { TimeFilter } from './filters.tsx'
import type { ListParams, ParamSchema } from './params.ts'

dayjs.extend(utc)
dayjs.extend(timezone)

/** Times are typed and shown in the zone of the account, like those in the cells; the address carries UTC. */
export function TimeEditor({ filter, params }: { filter: TimeFilter; params: ListParams<ParamSchema> }) {
  const { t } = useTranslation('common')
  const zone = useZone()
  // The picker's own "now" and "today" follow it too.
  useEffect(() => {
    dayjs.tz.setDefault(zone)
    return () => dayjs.tz.setDefault()
  }, [zone])
  const at = (key: string) => {
    const value = params.values[key]
    return typeof value === 'string' && dayjs(value).isValid() ? dayjs(value).tz(zone) : null
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

/** What the clock on the wall of `zone` reads counts: typed text comes from the picker in the browser's zone. */
export const instantOf = (value: dayjs.Dayjs, zone: string): string =>
  dayjs.tz(value.format('YYYY-MM-DDTHH:mm:ss'), zone).toISOString()

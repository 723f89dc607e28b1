import { Button, DatePicker } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useZone } from '../../core/session.tsx'
import type { TimeFilter } from './filters.tsx'
import { timesOf } from './params.ts'
import type { ListParams, ParamSchema } from './params.ts'
import { daysOf, instantOf, periods, pickInZone, wallOf } from '../value/wall-time.ts'

/** Times are typed and shown in the zone of the account, like those in the cells; the address carries UTC. */
export function TimeEditor({ filter, params }: { filter: TimeFilter; params: ListParams<ParamSchema> }) {
  const { t } = useTranslation('common')
  const zone = useZone()
  // The picker's own "now" and "today" follow it too.
  useEffect(() => pickInZone(zone), [zone])
  const [from, to] = timesOf(filter, params.values)
  const set = (times: { from?: unknown; to?: unknown }) => {
    if (filter.until !== undefined)
      return params.set({ [filter.key]: times.from ?? null, [filter.until]: times.to ?? null })
    const given = Object.entries(times).filter(([, at]) => at !== undefined && at !== null)
    params.set({ [filter.key]: given.length > 0 ? Object.fromEntries(given) : null })
  }
  const part = (end: 'from' | 'to', at: unknown, label: string) => (
    <label>
      <span>{label}</span>
      <DatePicker
        showTime
        format="YYYY/MM/DD HH:mm:ss"
        value={typeof at === 'string' ? wallOf(at, zone) : null}
        onChange={(value) => set({ from, to, [end]: value ? instantOf(value, zone) : null })}
      />
    </label>
  )
  return (
    <div className="filter-time">
      <div className="filter-periods">
        {periods.map((period) => (
          <Button key={period} size="small" onClick={() => set(daysOf(period, zone))}>
            {t(`list.period.${period}`)}
          </Button>
        ))}
      </div>
      {part('from', from, t('list.from'))}
      {part('to', to, t('list.until'))}
      <p className="dim">{t('list.zone', { zone })}</p>
    </div>
  )
}

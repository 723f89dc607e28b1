import { DownOutlined, RightOutlined } from '@ant-design/icons'
import { Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import type { CSSProperties } from 'react'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { sentences } from '../../../i18n/list-text.ts'
import { api, useCall } from '../../../core/api.ts'
import { dateParts } from '../../../ui/value/format.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { DateTime, Duration } from '../../../ui/value/values.tsx'
import { useZone } from '../../../core/session.tsx'
import { dayText, useDurationText } from './days.ts'
import { useDevice } from '../use-device.ts'

type Day = Out<typeof api.terminalTelemetry.get_online_curve>['days'][number]
const spans = [7, 31] as const
const refetch_ms = 60_000
const hours_marked = [6, 12, 18] as const
const hour_ms = 3_600_000

/** One strip a day, from midnight to midnight; a strip opens into its connections. */
export function OnlineDays() {
  const { t } = useTranslation('device-detail/telemetry')
  const { kid } = useDevice()
  const zone = useZone()
  const [days, setDays] = useState<(typeof spans)[number]>(7)
  const [open, setOpen] = useState<string | null>(null)
  const query = useCall(
    api.terminalTelemetry.get_online_curve,
    { terminal_kid: kid, days, zone },
    { enabled: kid !== '', keepPrevious: true, refetchMs: refetch_ms },
  )
  return (
    <section className="device-part" aria-label={t('online.title')}>
      <div className="device-part-head">
        <h2>{t('online.title')}</h2>
        <span className="dim">{sentences(t('online.hint'), t('online.zone', { zone }))}</span>
        <Segmented
          aria-label={t('days.range')}
          value={days}
          onChange={setDays}
          options={spans.map((value) => ({ value, label: t(`days.last_${value}`) }))}
        />
      </div>
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 7 }} />}
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={!!query.data} />}
      {query.data && (
        <ol className="online-days">
          {query.data.days.toReversed().map((day) => (
            <OnlineDay
              key={day.day}
              day={day}
              is_open={open === day.day}
              onToggle={() => setOpen(open === day.day ? null : day.day)}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

function OnlineDay({ day, is_open, onToggle }: { day: Day; is_open: boolean; onToggle: () => void }) {
  const { t } = useTranslation('device-detail/telemetry')
  const duration = useDurationText()
  const begin = Date.parse(day.from)
  const length = Date.parse(day.until) - begin
  const part = (from: string | number, until: string | number): CSSProperties => {
    const ms = (at: string | number) => (typeof at === 'number' ? at : Date.parse(at))
    return {
      left: `${((ms(from) - begin) / length) * 100}%`,
      width: `${((ms(until) - ms(from)) / length) * 100}%`,
    }
  }
  const title = dayText(day.day)
  const time = day.online_seconds > 0 ? duration(day.online_seconds) : t('online.none')
  const connections = t('online.connections', { count: day.intervals.length })
  const hours = length / hour_ms
  return (
    <li>
      <button
        type="button"
        className="online-day"
        aria-expanded={is_open}
        aria-label={`${title.slice(5)} ${time}. ${t('online.strip', { day: title, time, connections })}. ${t('online.show', { day: title })}`}
        onClick={onToggle}
      >
        <span className="online-day-name">
          <span className="dim" aria-hidden>
            {is_open ? <DownOutlined aria-hidden /> : <RightOutlined aria-hidden />}
          </span>
          {title.slice(5)}
          {hours !== 24 && (
            <span className="warn" title={t('online.unusual', { hours })}>
              {hours} h
            </span>
          )}
        </span>{' '}
        <span className="online-strip" aria-hidden>
          {hours_marked.map((hour) => (
            <i key={hour} className="online-mark" style={part(begin + hour * hour_ms, begin + hour * hour_ms)} />
          ))}
          {day.intervals.map((each) => (
            <i key={each.from} className="online-bar" style={part(each.from, each.until)} />
          ))}
          <i className="online-unknown" style={part(day.known_until, day.until)} />
        </span>
        <span className="online-day-total">{time}</span>
      </button>
      {is_open && <Connections day={day} />}
    </li>
  )
}

function Connections({ day }: { day: Day }) {
  const { t } = useTranslation('device-detail/telemetry')
  const zone = useZone()
  if (day.intervals.length === 0) return <p className="dim online-none">{t('online.none')}</p>
  return (
    <ListTable
      className="online-connections"
      aria-label={t('online.show', { day: dayText(day.day) })}
      rowKey="from"
      page_size={20}
      rows={day.intervals}
      columns={[
        { key: 'from', title: t('online.from'), render: (_, row) => <DateTime at={row.from} /> },
        { key: 'until', title: t('online.until'), render: (_, row) => dateParts(row.until, zone)[1] },
        {
          key: 'duration',
          title: t('online.duration'),
          align: 'right',
          render: (_, row) => <Duration seconds={(Date.parse(row.until) - Date.parse(row.from)) / 1000} />,
        },
        { key: 'end', title: t('online.end_title'), render: (_, row) => t(`online.end.${row.end}`) },
      ]}
    />
  )
}

import { Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Dash, DateTime, Unit } from '../../../ui/value/values.tsx'
import { useZone } from '../../../core/session.tsx'
import { late_after_seconds, useDurationText } from './days.ts'
import { LineChart } from './LineChart.tsx'
import { useDevice } from '../use-device.ts'

type Curve = Out<typeof api.terminalTelemetry.list_battery>
const spans = [1, 7] as const
const refetch_ms = 60_000

/** The level as the device measured it, with what happened to its power on the curve and in a table. */
export function BatteryCurve() {
  const { t } = useTranslation('device-detail/telemetry')
  const { kid } = useDevice()
  const zone = useZone()
  const [days, setDays] = useState<(typeof spans)[number]>(1)
  const query = useCall(
    api.terminalTelemetry.list_battery,
    { terminal_kid: kid, days, zone },
    { enabled: kid !== '', keepPrevious: true, refetchMs: refetch_ms },
  )
  const is_empty = query.data?.points.length === 0 && query.data.triggers.length === 0
  return (
    <section className="device-part" aria-label={t('battery.title')}>
      <div className="device-part-head">
        <h2>{t('battery.title')}</h2>
        <span className="dim">{t('battery.hint')}</span>
        <Segmented
          aria-label={t('days.range')}
          value={days}
          onChange={setDays}
          options={spans.map((value) => ({ value, label: t(value === 1 ? 'days.one' : 'days.last_7') }))}
        />
      </div>
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 6 }} />}
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={!!query.data} />}
      {is_empty && <p className="dim">{t('battery.none')}</p>}
      {query.data && !is_empty && (
        <div className="battery-curve">
          <Chart curve={query.data} />
          <Triggers curve={query.data} />
        </div>
      )}
    </section>
  )
}

function Chart({ curve }: { curve: Curve }) {
  const { t } = useTranslation(['device-detail/telemetry', 'device-event'])
  return (
    <LineChart
      name={t('battery.level')}
      points={curve.points.map(({ at, level }) => ({ at: Date.parse(at), value: level }))}
      marks={curve.triggers
        .filter(({ trigger }) => trigger !== 'change')
        .map(({ at, trigger }) => ({ at: Date.parse(at), title: t(`device-event:trigger.${trigger}`) }))}
      extent={{ from: Date.parse(curve.from), until: Date.parse(curve.until) }}
      max={100}
      format={(value) => `${Math.round(value)}%`}
    />
  )
}

function Triggers({ curve }: { curve: Curve }) {
  const { t } = useTranslation(['device-detail/telemetry', 'device-event'])
  const duration = useDurationText()
  if (curve.triggers.length === 0) return <p className="dim">{t('battery.no_triggers')}</p>
  const rows = curve.triggers.toReversed().map((each, key) => ({ ...each, key }))
  return (
    <ListTable
      aria-label={t('battery.triggers')}
      page_size={6}
      rows={rows}
      columns={[
        { key: 'at', title: t('battery.at'), render: (_, row) => <DateTime at={row.at} /> },
        { key: 'trigger', title: t('battery.event'), render: (_, row) => t(`device-event:trigger.${row.trigger}`) },
        {
          key: 'level',
          title: t('battery.level'),
          align: 'right',
          render: (_, row) => (row.level === null ? <Dash /> : <Unit value={row.level} unit="%" />),
        },
        {
          key: 'received',
          title: t('battery.received'),
          render: (_, row) => {
            const late = (Date.parse(row.received_at) - Date.parse(row.at)) / 1000
            if (late <= late_after_seconds) return <Dash />
            return <span className="warn">{t('battery.late', { time: duration(late) })}</span>
          },
        },
      ]}
    />
  )
}

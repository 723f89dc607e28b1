import { Segmented, Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { useSearch, withParams } from '../../../core/address.ts'
import { api, useCall } from '../../../core/api.ts'
import { Battery, UsageBar } from '../../../shared/device/DeviceParts.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { Refresh } from '../../../ui/list/ListTools.tsx'
import { Dash, Duration, Unit } from '../../../ui/value/values.tsx'
import { May } from '../../../core/session.tsx'
import type { Point } from './chart-math.ts'
import { DeviceLogs } from '../event/DeviceLogs.tsx'
import { LineChart } from './LineChart.tsx'
import { Usage } from './parts-power.tsx'
import { numberIn, shareOf } from './readings.ts'
import { useDevice } from '../use-device.ts'

/** Days of history come after what the device is like now. */
const Telemetry = lazy(() => import('./Telemetry.tsx'))
const ranges = [1, 24, 168] as const
type Hours = (typeof ranges)[number]
type RunPoint = Out<typeof api.terminal.list_run>[number]
/** No live event carries history; devices report every few minutes at most. */
const refetch_ms = 60_000

export default function RunPage() {
  const { t } = useTranslation('device-detail')
  const { kid } = useDevice()
  const [search, setSearch] = useSearch()
  const hours: Hours = ranges.find((each) => String(each) === search.get('hours')) ?? 24
  const query = useCall(
    api.terminal.list_run,
    { terminal_kid: kid, hours },
    { enabled: kid !== '', keepPrevious: true, refetchMs: refetch_ms },
  )
  const choose = (next: Hours) => setSearch((before) => withParams(before, { hours: String(next) }))
  return (
    <>
      <Now />
      <section aria-label={t('history.title')}>
        <div className="history-head">
          <Refresh query={query} />
          <Segmented<Hours>
            aria-label={t('history.range')}
            value={hours}
            onChange={choose}
            options={ranges.map((value) => ({ value, label: t(`history.hours_${value}`) }))}
          />
        </div>
        {query.isPending && <Skeleton active title={false} paragraph={{ rows: 8 }} />}
        {query.error && <Failure error={query.error} retry={query.refetch} is_line={!!query.data} />}
        {query.data && query.data.length === 0 && <Empty title={t('history.none')} hint={t('history.none_hint')} />}
        {query.data && query.data.length > 0 && (
          <Charts points={query.data} hours={hours} until={query.dataUpdatedAt} />
        )}
      </section>
      <Suspense fallback={<Skeleton active title={false} paragraph={{ rows: 8 }} />}>
        <Telemetry />
      </Suspense>
      <May needs="deviceDetailRun:log">
        <DeviceLogs />
      </May>
    </>
  )
}

/** The figures of this moment; they follow the device. */
function Now() {
  const { t } = useTranslation('device-detail')
  const { device, is_loading } = useDevice()
  if (!device) return is_loading ? <div className="run-now" aria-busy /> : null
  const { run } = device
  const cpu = numberIn(run, 'cpu')
  return (
    <div className="run-now">
      <div>
        <span className="dim">{t('run.cpu')}</span>
        <span className="part-figure">{cpu === null ? <Dash /> : <Unit value={cpu} unit="%" />}</span>
        {cpu !== null && <UsageBar part={cpu / 100} label={t('run.cpu')} />}
      </div>
      <Usage name={t('run.memory')} used={numberIn(run, 'memory_used')} total={numberIn(run, 'memory_total')} />
      <Usage name={t('run.storage')} used={numberIn(run, 'storage_used')} total={numberIn(run, 'storage_total')} />
      <div>
        <span className="dim">{t('run.battery')}</span>
        <span className="part-figure">
          <Battery level={device.battery_level} charging={device.battery_charging} />
        </span>
      </div>
      <div>
        <span className="dim">{t('run.uptime')}</span>
        <span className="part-figure">
          <Duration seconds={numberIn(run, 'uptime')} />
        </span>
      </div>
    </div>
  )
}

function Charts({ points, hours, until }: { points: readonly RunPoint[]; hours: number; until: number }) {
  const { t } = useTranslation('device-detail')
  const last = points.at(-1)
  // A computer whose clock is behind the server's must not cut the newest points off.
  const end = Math.max(until, last ? Date.parse(last.at) : 0)
  const extent = { from: end - hours * 3_600_000, until: end }
  const series = (value: (point: RunPoint) => number | null): Point[] =>
    // A report carries what changed: a missing figure is no gap by itself.
    points.flatMap((point) => {
      const known = value(point)
      return known === null ? [] : [{ at: Date.parse(point.at), value: known }]
    })
  const percent = (share: number | null) => (share === null ? null : share * 100)
  const percentText = (value: number) => `${Math.round(value)}%`
  const charts = [
    ['cpu', series(({ cpu }) => cpu)],
    ['memory', series((point) => percent(shareOf(point.memory_used, point.memory_total)))],
    ['battery', series(({ battery_level }) => battery_level)],
    ['storage', series((point) => percent(shareOf(point.storage_used, point.storage_total)))],
  ] as const
  return (
    <div className="charts">
      {charts.map(([name, each]) => (
        <LineChart key={name} name={t(`run.${name}`)} points={each} extent={extent} max={100} format={percentText} />
      ))}
    </div>
  )
}

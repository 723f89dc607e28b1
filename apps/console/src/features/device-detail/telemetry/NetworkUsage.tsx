import { Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { UsageNetwork } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { localeOf } from '../../../i18n/language.ts'
import { listText } from '../../../i18n/list-text.ts'
import { useNetworkLabel } from '../../../shared/device/DeviceParts.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { bytesParts } from '../../../ui/value/format.ts'
import { Bytes } from '../../../ui/value/values.tsx'
import { useSessionStore } from '../../../core/session-store.ts'
import { useZone } from '../../../core/session.tsx'
import { dayText } from './days.ts'
import { byApp, byDay, networksOf, sumOf } from './usage-sums.ts'
import type { Sum, UsageItem } from './usage-sums.ts'
import { useDevice } from '../use-device.ts'

const spans = [7, 31] as const
const refetch_ms = 300_000

/** What was received and sent: a bar a day, and the same in a table by app or by day. */
export function NetworkUsage() {
  const { t } = useTranslation('device-detail/telemetry')
  const { kid } = useDevice()
  const zone = useZone()
  const [days, setDays] = useState<(typeof spans)[number]>(7)
  const query = useCall(
    api.terminalTelemetry.list_usage,
    { terminal_kid: kid, days, zone },
    { enabled: kid !== '', keepPrevious: true, refetchMs: refetch_ms },
  )
  const { data } = query
  return (
    <section className="device-part" aria-label={t('usage.title')}>
      <div className="device-part-head">
        <h2>{t('usage.title')}</h2>
        <span className="dim">{t('usage.hint')}</span>
        <Segmented
          aria-label={t('days.range')}
          value={days}
          onChange={setDays}
          options={spans.map((value) => ({ value, label: t(`days.last_${value}`) }))}
        />
      </div>
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 6 }} />}
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={!!data} />}
      {data?.items.length === 0 && (
        <p className="dim">
          {t('usage.none')}. {t('usage.none_hint')}
        </p>
      )}
      {data && data.items.length > 0 && (
        <>
          <Legend items={data.items} />
          <div className="usage-parts">
            <Bars days={byDay(data.items, data.first_day, data.last_day)} networks={networksOf(data.items)} />
            <Tables items={data.items} first={data.first_day} last={data.last_day} />
          </div>
        </>
      )}
    </section>
  )
}

function Legend({ items }: { items: readonly UsageItem[] }) {
  const networkLabel = useNetworkLabel()
  const sum = sumOf(items)
  return (
    <ul className="usage-legend">
      {networksOf(items).map((network) => (
        <li key={network}>
          <i className="usage-key" data-network={network} aria-hidden />
          {networkLabel(network)} <Bytes value={sum[network]} />
        </li>
      ))}
    </ul>
  )
}

function useBytesText(): (bytes: number) => string {
  const language = useSessionStore((s) => s.language)
  return (bytes) => bytesParts(bytes, localeOf[language]).join('\u00a0')
}

function Bars({ days, networks }: { days: (Sum & { day: string })[]; networks: readonly UsageNetwork[] }) {
  const { t } = useTranslation('device-detail/telemetry')
  const networkLabel = useNetworkLabel()
  const bytesText = useBytesText()
  const most = Math.max(1, ...days.map(({ total }) => total))
  const every = Math.ceil(days.length / 8)
  return (
    <ol className="usage-bars">
      {days.map((day, i) => {
        const parts = listText(networks.map((network) => `${networkLabel(network)} ${bytesText(day[network])}`))
        const title = t('usage.bar', { day: dayText(day.day), parts })
        return (
          <li key={day.day} title={title}>
            <span className="usage-bar" role="img" aria-label={title}>
              {networks.map((network) => (
                <i key={network} data-network={network} style={{ height: `${(day[network] / most) * 100}%` }} />
              ))}
            </span>
            <span className="dim usage-day" aria-hidden>
              {(days.length - 1 - i) % every === 0 ? dayText(day.day).slice(5) : ''}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

type View = 'by_app' | 'by_day'
function Tables({ items, first, last }: { items: readonly UsageItem[]; first: string; last: string }) {
  const { t } = useTranslation('device-detail/telemetry')
  const networkLabel = useNetworkLabel()
  const [view, setView] = useState<View>('by_app')
  const nameless = t(items.some(({ app }) => app !== '') ? 'usage.rest' : 'usage.whole')
  const rows =
    view === 'by_app'
      ? byApp(items).map(({ app, title, ...sum }) => ({
          ...sum,
          key: app,
          name: app === '' ? nameless : (title ?? app),
          app,
        }))
      : byDay(items, first, last)
          .toReversed()
          .map(({ day, ...sum }) => ({ ...sum, key: day, name: dayText(day), app: '' }))
  const networks = networksOf(items)
  return (
    <div className="usage-table">
      <Segmented<View>
        size="small"
        aria-label={t('usage.view')}
        value={view}
        onChange={setView}
        options={(['by_app', 'by_day'] as const).map((value) => ({ value, label: t(`usage.${value}`) }))}
      />
      <ListTable
        aria-label={`${t('usage.title')}: ${t(`usage.${view}`)}`}
        page_size={8}
        rows={rows}
        columns={[
          {
            key: 'name',
            title: t(view === 'by_app' ? 'usage.app' : 'usage.day'),
            render: (_, row) => <span title={row.app || undefined}>{row.name}</span>,
          },
          ...networks.map((network) => ({
            key: network,
            title: networkLabel(network),
            align: 'right' as const,
            render: (_: unknown, row: Sum) => <Bytes value={row[network]} />,
          })),
          {
            key: 'received',
            title: t('usage.received'),
            align: 'right',
            render: (_, row) => <Bytes value={row.received} />,
          },
          { key: 'sent', title: t('usage.sent'), align: 'right', render: (_, row) => <Bytes value={row.sent} /> },
        ]}
      />
    </div>
  )
}

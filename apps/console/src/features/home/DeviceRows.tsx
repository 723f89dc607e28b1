import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { TerminalRow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { Arriving, arriving } from '../../ui/Arriving.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, Dash, DateTime, Unit } from '../../ui/value/values.tsx'
import { DeviceSn } from '../../shared/device/DeviceSn.tsx'

export function LongestOffline() {
  const { t } = useTranslation('home')
  const facets = useCall(api.terminal.facets, {})
  return (
    <DeviceRows
      id="offline"
      title={t('offline_rows')}
      none={facets.data?.total === 0 ? t('no_devices') : facets.data && t('offline_none')}
      filter={{ is_online: false, sort: 'last_online_at', order: 'asc' }}
      value={(row) =>
        row.last_online_at ? <Ago at={row.last_online_at} /> : <span className="dim">{t('never')}</span>
      }
    />
  )
}

export function LowBattery() {
  const { t } = useTranslation('home')
  return (
    <DeviceRows
      id="low"
      title={t('low')}
      none={t('low_none')}
      filter={{ is_online: true, sort: 'battery_level', order: 'asc' }}
      is_wanted={(row) => row.battery_level !== null}
      value={(row) => (row.battery_level === null ? <Dash /> : <Unit value={row.battery_level} unit="%" />)}
    />
  )
}

/** Devices whose storage is nearly full, whether they are online or not. */
export function LowStorage() {
  const { t } = useTranslation('home')
  const query = useCall(api.terminal.list_low_storage, {})
  return (
    <Rows id="low-storage" title={t('low_storage')} none={t('low_storage_none')} query={query} rows={query.data}>
      {(row) => <Unit value={row.storage_percent} unit="%" />}
    </Rows>
  )
}

/** Devices that are kept out because somebody may have copied their secret: nothing is said where there is none. */
export function Quarantined() {
  const { t } = useTranslation(['home', 'device'])
  const query = useCall(api.terminal.list_quarantined, {})
  if (query.isPending) return <Arriving />
  if (!query.error && !query.data?.length) return null
  return (
    <Rows id="quarantined" title={t('quarantined')} none={undefined} query={query} rows={query.data}>
      {(row) => (
        <StateBadge tone="bad" title={t('device:quarantined_hint')}>
          {t('quarantined_until')} <DateTime at={row.quarantined_until} />
        </StateBadge>
      )}
    </Rows>
  )
}

type Filter = { is_online: boolean; sort: 'last_online_at' | 'battery_level'; order: 'asc' }
type Props = {
  id: string
  title: string
  none: string | undefined
  filter: Filter
  is_wanted?: (row: TerminalRow) => boolean
  value: (row: TerminalRow) => ReactNode
}
function DeviceRows({ id, title, none, filter, is_wanted, value }: Props) {
  const query = useCall(api.terminal.paging, { ...filter, page_size: 6 })
  const rows = query.data?.items.filter(is_wanted ?? (() => true))
  return (
    <Rows id={id} title={title} none={none} query={query} rows={rows}>
      {value}
    </Rows>
  )
}

type Device = Pick<TerminalRow, 'kid' | 'sn' | 'name' | 'model'>
type RowsProps<R> = {
  id: string
  title: string
  none: string | undefined
  query: { isPending: boolean; error: Error | null; refetch: () => unknown }
  rows: readonly R[] | undefined
  children: (row: R) => ReactNode
}
function Rows<R extends Device>({ id, title, none, query, rows, children }: RowsProps<R>) {
  return (
    <section className={arriving(query)} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {rows?.length === 0 && none && <p className="dim">{none}</p>}
      <ul className="rows">
        {rows?.map((row) => (
          <li key={row.kid}>
            <span className="rows-main">
              <DeviceSn kid={row.kid} sn={row.sn} />
              <span className="dim" dir="auto">
                {row.name || row.model}
              </span>
            </span>
            {children(row)}
          </li>
        ))}
      </ul>
    </section>
  )
}

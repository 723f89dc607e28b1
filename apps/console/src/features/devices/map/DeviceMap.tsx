import { AimOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { MapDevice, Sent } from '@mdm/contract'
import { useSearch, withParams } from '../../../core/address.ts'
import { api, useCall } from '../../../core/api.ts'
import { MapView } from '../../../map/MapView.tsx'
import type { Mark, Target, View } from '../../../map/MapView.tsx'
import type { Bounds, Place } from '../../../map/coordinates.ts'
import { clusterKey, useFleetMarks } from '../../../shared/device/fleet-marks.ts'
import type { SeenDevices } from '../../../shared/device/fleet-marks.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Empty } from '../../../ui/Empty.tsx'
import { OnlineBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago, Code } from '../../../ui/value/values.tsx'
import './device-map.css'
import { link } from '../../../core/links.ts'

/** What the list is filtered by. */
export type DeviceFilter = Omit<Sent<typeof api.terminalLocation.list>, 'bounds' | 'zoom' | 'is_clustered'>
/** Devices come into view and leave it without an event; those on screen follow theirs. */
const refetch_ms = 30_000

/** Where the devices of the list are. What the map looks at is in the address, so that a link shows the same. */
export function DeviceMap({ filter, total }: { filter: DeviceFilter; total: number }) {
  const { t } = useTranslation(['map', 'common'])
  const format = useCount()
  const [search, setSearch] = useSearch()
  const extent = useCall(api.terminalLocation.extent, filter)
  const [target, setTarget] = useState<Target | undefined>(() => placeIn(search.get('at')))
  const [view, setView] = useState<View | null>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const around = extent.data?.bounds ?? undefined
  const first = useMemo<Target | undefined>(() => target ?? (around && { bounds: around }), [target, around])
  const query = useCall(
    api.terminalLocation.list,
    { ...filter, bounds: view?.bounds ?? anywhere, zoom: view?.zoom ?? 0 },
    { enabled: view !== null, keepPrevious: true, refetchMs: refetch_ms },
  )
  const seen = query.data
  const marks = useFleetMarks(seen)

  const looked = (next: View) => {
    setView(next)
    const { center, zoom } = next
    const at = `${center.latitude.toFixed(5)},${center.longitude.toFixed(5)},${zoom}`
    setSearch((before) => withParams(before, { at }), { replace: true })
  }
  const open = (mark: Mark) => {
    const device = seen?.devices.find(({ kid }) => kid === mark.key)
    if (device) return setOpened({ at: mark.at, device })
    const bounds = seen?.clusters.find((cluster) => clusterKey(cluster) === mark.key)?.bounds
    if (!bounds) return
    if (view?.is_closest || isPoint(bounds)) setOpened({ at: mark.at, bounds: widened(bounds) })
    else setTarget({ bounds: { ...bounds } })
  }
  const placed = extent.data?.placed
  if (extent.error) return <Failure error={extent.error} retry={extent.refetch} />
  if (placed === 0) return <Empty title={t('none')} hint={t('none_hint')} />
  return (
    <div className="device-map">
      <MapView
        label={t('fleet')}
        target={first}
        marks={marks}
        onMark={open}
        onView={looked}
        popup={
          opened
            ? {
                at: opened.at,
                onClose: () => setOpened(null),
                content:
                  'device' in opened ? (
                    <DeviceCard device={seen?.devices.find(({ kid }) => kid === opened.device.kid) ?? opened.device} />
                  ) : (
                    <DevicesHere filter={filter} bounds={opened.bounds} zoom={view?.zoom ?? 0} />
                  ),
              }
            : undefined
        }
      >
        <Button
          size="small"
          icon={<AimOutlined aria-hidden />}
          disabled={!around}
          onClick={() => around && setTarget({ bounds: { ...around } })}
        >
          {t('fit')}
        </Button>
        {placed !== undefined && (
          <span className="dim">
            {t('placed', { count: placed, shown: format(placed) })}
            {total > placed && ` · ${t('unplaced', { count: total - placed, shown: format(total - placed) })}`}
          </span>
        )}
      </MapView>
      <InView seen={seen} marks={marks} onOpen={open} />
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
    </div>
  )
}

type Opened = { at: Place } & ({ device: MapDevice } | { bounds: Bounds })
const anywhere: Bounds = { west: -180, south: -90, east: 180, north: 90 }

/** The same as the map shows, for the keyboard and for those who hear the page. */
function InView({
  seen,
  marks,
  onOpen,
}: {
  seen: SeenDevices | undefined
  marks: readonly Mark[]
  onOpen: (mark: Mark) => void
}) {
  const { t } = useTranslation('map')
  const format = useCount()
  return (
    <section className="map-in-view" aria-labelledby="map-in-view-title">
      <h2 id="map-in-view-title">
        {t('in_view')} {seen && <span className="dim">{format(seen.total)}</span>}
      </h2>
      {seen && marks.length === 0 && <p className="dim">{t('nothing_in_view')}</p>}
      <ul>
        {marks.map((mark) => (
          <li key={mark.key}>
            <button
              type="button"
              aria-label={mark.count === undefined ? mark.label : t('closer', { name: mark.label })}
              onClick={() => onOpen(mark)}
            >
              <i className="map-dot" data-tone={mark.tone} aria-hidden />
              {mark.label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function DeviceCard({ device }: { device: MapDevice }) {
  const { t } = useTranslation(['map', 'common', 'devices'])
  const { kid, sn, name, is_online, last_online_at, at } = device
  return (
    <div className="map-card">
      <strong>{name || <Code value={sn} />}</strong>
      {name && (
        <span className="dim">
          <Code value={sn} />
        </span>
      )}
      <OnlineBadge is_online={is_online} label={t(is_online ? 'common:online' : 'common:offline')} />
      <span>
        {t('devices:column.last_contact')}:{' '}
        {is_online ? t('devices:now') : last_online_at ? <Ago at={last_online_at} /> : t('devices:never')}
      </span>
      <span>
        {t('seen')}: <Ago at={at} />
      </span>
      <Link to={link.deviceDetailInfo.to({ kid })}>{t('open')}</Link>
    </div>
  )
}

/** Devices so close together that no map tells them apart. */
function DevicesHere({ filter, bounds, zoom }: { filter: DeviceFilter; bounds: Bounds; zoom: number }) {
  const { t } = useTranslation(['map', 'common'])
  const format = useCount()
  const query = useCall(api.terminalLocation.list, { ...filter, bounds, zoom, is_clustered: false })
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  if (!query.data) return <span className="dim">{t('common:list.loading')}</span>
  const { devices, total } = query.data
  return (
    <div className="map-card">
      <strong>{t('many_here')}</strong>
      {total > devices.length && (
        <span className="dim">{t('first_of', { shown: format(devices.length), total: format(total) })}</span>
      )}
      <ul className="map-here">
        {devices.map(({ kid, sn, name, is_online }) => (
          <li key={kid}>
            <Link to={link.deviceDetailInfo.to({ kid })}>{name || <Code value={sn} />}</Link>{' '}
            <OnlineBadge is_online={is_online} label={t(is_online ? 'common:online' : 'common:offline')} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Metres, in degrees: nearer than that devices are in one place. */
const point_degrees = 0.00005
const isPoint = ({ west, south, east, north }: Bounds): boolean =>
  east - west < point_degrees && north - south < point_degrees
/** Rounding must not leave those out that make the edge. */
const widened = ({ west, south, east, north }: Bounds): Bounds => ({
  west: west - point_degrees,
  south: south - point_degrees,
  east: east + point_degrees,
  north: north + point_degrees,
})
function placeIn(text: string | null): Target | undefined {
  const [latitude, longitude, zoom] = (text ?? '').split(',').map(Number)
  const is_place = [latitude, longitude, zoom].every((part) => part !== undefined && Number.isFinite(part))
  if (!is_place || Math.abs(latitude!) > 90 || Math.abs(longitude!) > 180) return undefined
  return { center: { latitude: latitude!, longitude: longitude! }, zoom: zoom! }
}

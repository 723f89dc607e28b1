import { AimOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FenceCrossing } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useLive } from '../../../core/live.ts'
import { coordinates } from '../../../map/coordinates.ts'
import type { Place } from '../../../map/coordinates.ts'
import { MapView } from '../../../map/MapView.tsx'
import type { Mark, Target } from '../../../map/MapView.tsx'
import { boundsAround, metresBetween } from '../../../map/use-circle.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { dateParts } from '../../../ui/value/format.ts'
import { Empty } from '../../../ui/Empty.tsx'
import { Refresh } from '../../../ui/list/ListTools.tsx'
import { Ago, CopyId, DateTime, OrDash, Unit } from '../../../ui/value/values.tsx'
import { May, useZone } from '../../../core/session.tsx'
import { DayPicker } from './DayPicker.tsx'
import './location.css'
import { FencePart, useFence, useStanding } from './FencePart.tsx'
import { Part } from '../Part.tsx'
import { Playback } from './Playback.tsx'
import { useProviderLabel } from './positions.ts'
import type { Position } from './positions.ts'
import { TrackTable } from './TrackTable.tsx'
import { useDay } from './use-day.ts'
import { useDevice } from '../use-device.ts'

const close_zoom = 16

export default function LocationPage() {
  const { t } = useTranslation('map')
  const { kid, device } = useDevice()
  const day = useDay()
  const query = useCall(api.terminalLocation.get, { terminal_kid: kid }, { enabled: kid !== '' })
  const track = useCall(
    api.terminalLocation.list_track,
    { terminal_kid: kid, from: day.from, until: day.until },
    { enabled: kid !== '', keepPrevious: true },
  )
  const { refetch } = query
  const { refetch: refetchTrack } = track
  useLive(
    'terminal_location',
    useCallback(
      (event) => {
        if (event.kid !== kid) return
        void refetch()
        void refetchTrack()
      },
      [kid, refetch, refetchTrack],
    ),
  )
  // Somebody else's question begins or ends with it.
  useLive(
    'terminal_info',
    useCallback((event) => void (event.kid === kid && refetch()), [kid, refetch]),
  )
  const points = track.data?.points ?? none
  const [chosen_at, choose] = useState<string | null>(null)
  const chosen = points.find(({ at }) => at === chosen_at)
  const position = query.data?.position ?? null
  const { current, is_pending } = useFence(kid)
  const fence = current?.fence ?? null
  const standing = useStanding(current)
  const { target, aim } = useTarget(position, points, `${kid} ${day.day}`, is_pending ? undefined : fence)
  const marks = useMarks(position, points, chosen, track.data?.crossings ?? no_crossings)

  if (query.isPending) return <Skeleton active title={false} paragraph={{ rows: 8 }} />
  if (query.error && !query.data) return <Failure error={query.error} retry={query.refetch} />
  return (
    <section aria-label={t('track.title')}>
      <div className="list-tools" role="toolbar" aria-label={t('track.title')}>
        <Refresh query={query} />
        <DayPicker {...day} />
        <span className="list-tools-end">
          <Ask kid={kid} is_online={device?.is_online} is_running={query.data.is_refreshing} />
        </span>
      </div>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {track.error && <Failure error={track.error} retry={track.refetch} is_line={!!track.data} />}
      {position === null && points.length === 0 ? (
        <Empty title={t('track.never')} hint={t('track.never_hint')} />
      ) : (
        <div className="location">
          <div className="location-map">
            <MapView
              label={t('track.map')}
              target={target}
              marks={marks}
              line={points}
              circle={fence && !fence.points ? { center: fence, radius: fence.radius } : undefined}
              polygon={fence?.points ? { points: fence.points } : undefined}
            />
            <Playback
              key={day.day}
              points={points}
              chosen={chosen_at}
              onChoose={(point) => choose(point.at)}
              standing={standing}
            />
            {fence && points.length > 1 && day.day !== day.today && (
              <p className="dim">{t('fence.of_now', { name: fence.name })}</p>
            )}
          </div>
          <div className="location-side">
            {position && <Last position={position} onAim={() => aim(position)} />}
            {current && <FencePart current={current} />}
            <TrackTable
              track={track.data}
              chosen={chosen_at}
              onChoose={(point) => {
                choose(point.at)
                aim(point)
              }}
            />
          </div>
        </div>
      )}
    </section>
  )
}
const none: readonly Position[] = []
const no_crossings: readonly FenceCrossing[] = []

/** One question at a time, whoever asks: a second one would bring the same answer. */
function Ask({ kid, is_online, is_running }: { kid: string; is_online: boolean | undefined; is_running: boolean }) {
  const { t } = useTranslation('map')
  const ask = useWrite(api.terminalLocation.refresh, { done: t('track.asked') })
  const is_busy = is_running || ask.isPending
  const disabled_reason = is_online === false ? t('track.offline') : is_busy ? t('track.running') : undefined
  return (
    <May needs="deviceDetailLocation:refresh">
      <DisabledReason disabled_reason={disabled_reason}>
        <Button
          type="primary"
          icon={<AimOutlined aria-hidden />}
          disabled={disabled_reason !== undefined}
          loading={is_busy}
          onClick={() => void ask.run({ terminal_kid: kid })}
        >
          {t('track.ask')}
        </Button>
      </DisabledReason>
    </May>
  )
}

function Last({ position, onAim }: { position: Position; onAim: () => void }) {
  const { t } = useTranslation('map')
  const provider = useProviderLabel()
  return (
    <Part
      title={t('track.last')}
      lead={
        <button type="button" className="link" onClick={onAim}>
          <Ago at={position.at} />
        </button>
      }
      rows={[
        [t('track.measured'), <DateTime key="at" at={position.at} />],
        [t('track.received'), <DateTime key="received" at={position.received_at} />],
        [t('track.coordinates'), <CopyId key="place" value={coordinates(position)} />],
        [t('track.accuracy'), position.accuracy !== null && <Unit value={Math.round(position.accuracy)} unit="m" />],
        [t('track.provider'), <OrDash key="provider">{provider(position.provider)}</OrDash>],
      ]}
    />
  )
}

/** Around the day's track at first, else at the last position; then where somebody points. */
function useTarget(
  position: Position | null,
  points: readonly Position[],
  day: string,
  /** Undefined while it is not known. */
  fence: (Place & { radius: number }) | null | undefined,
) {
  const [aimed, setAimed] = useState<{ day: string; target: Target } | null>(null)
  const first = useMemo<Target | undefined>(() => {
    const all = points.length > 0 ? points : position ? [position] : []
    const [first] = all
    if (!first || fence === undefined) return undefined
    // A fence that the device is near to is seen with it; one that is far away would make the way a dot.
    const is_near = fence && metresBetween(fence, first) < 4 * fence.radius
    const around = is_near ? boundsAround({ center: fence, radius: fence.radius }) : undefined
    const longitudes = [...all.map(({ longitude }) => longitude), ...(around ? [around.west, around.east] : [])]
    const latitudes = [...all.map(({ latitude }) => latitude), ...(around ? [around.south, around.north] : [])]
    const bounds = {
      west: Math.min(...longitudes),
      east: Math.max(...longitudes),
      south: Math.min(...latitudes),
      north: Math.max(...latitudes),
    }
    return { bounds }
    // What comes in later must not take the map out of somebody's hands.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [day, points.length > 0, position !== null, fence === undefined])
  const aim = (at: Position) => setAimed({ day, target: { center: { ...at }, zoom: close_zoom } })
  return { target: aimed?.day === day ? aimed.target : first, aim }
}

function useMarks(
  position: Position | null,
  points: readonly Position[],
  chosen: Position | undefined,
  crossings: readonly FenceCrossing[],
): Mark[] {
  const { t } = useTranslation('map')
  const zone = useZone()
  const time = (at: string) => dateParts(at, zone)[1]
  // Where it left and came back, as it was told then: by the fence of that day.
  const marks: Mark[] = crossings.map(({ at, to, fence, longitude, latitude }) => ({
    key: `crossing ${at} ${to}`,
    at: { longitude, latitude },
    tone: to === 'outside' ? 'bad' : 'quiet',
    label: t(to === 'outside' ? 'fence.left' : 'fence.entered', { time: time(at), name: fence }),
  }))
  const [first] = points
  const end = points.at(-1)
  if (first && first !== end)
    marks.push({ key: 'first', at: first, tone: 'quiet', label: t('track.first', { time: time(first.at) }) })
  if (end) marks.push({ key: 'end', at: end, tone: 'accent', label: t('track.end', { time: time(end.at) }) })
  if (position)
    marks.push({
      key: 'last',
      at: position,
      tone: 'good',
      label: `${t('track.last')}, ${dateParts(position.at, zone).join(' ')}`,
    })
  if (chosen)
    marks.push({ key: 'chosen', at: chosen, tone: 'accent', label: t('track.chosen', { time: time(chosen.at) }) })
  return marks
}

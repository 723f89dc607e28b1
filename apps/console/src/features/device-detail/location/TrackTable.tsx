import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import type { api } from '../../../core/api.ts'
import { coordinates } from '../../../map/coordinates.ts'
import { dateParts, useCount } from '../../../ui/value/format.ts'
import { Dash, Unit } from '../../../ui/value/values.tsx'
import { useZone } from '../../../core/session.tsx'
import { useProviderLabel } from './positions.ts'
import type { Position } from './positions.ts'

type Props = {
  track: Out<typeof api.terminalLocation.list_track> | undefined
  /** `at` of the position that is shown on the map. */
  chosen: string | null
  onChoose: (point: Position) => void
}

/** The positions of the day, newest first, as words beside the map. */
export function TrackTable({ track, chosen, onChoose }: Props) {
  const { t } = useTranslation('map')
  const zone = useZone()
  const format = useCount()
  const provider = useProviderLabel()
  const points = track?.points ?? []
  const time = (at: string) => dateParts(at, zone)[1]
  const count =
    track && track.total > points.length
      ? t('track.thinned', { shown: format(points.length), total: format(track.total) })
      : t('track.count', { count: points.length, shown: format(points.length) })
  return (
    <section className="track" aria-labelledby="track-title">
      <h2 id="track-title">
        {t('track.points')} <span className="dim">{count}</span>
      </h2>
      {track && points.length === 0 ? (
        <p className="dim">
          {t('track.none')}. {t('track.none_hint')}
        </p>
      ) : (
        <ListTable<Position>
          virtual
          scroll={{ x: 420, y: 360 }}
          rowKey="at"
          loading={!track}
          rows={points.toReversed()}
          rowClassName={(point) => (point.at === chosen ? 'is-chosen' : '')}
          columns={[
            {
              key: 'time',
              title: t('track.time'),
              width: 92,
              render: (_, point) => (
                <button
                  type="button"
                  className="link"
                  aria-pressed={point.at === chosen}
                  aria-label={t('track.show', { time: time(point.at) })}
                  onClick={() => onChoose(point)}
                >
                  {time(point.at)}
                </button>
              ),
            },
            { key: 'place', title: t('track.coordinates'), width: 160, render: (_, point) => coordinates(point) },
            {
              key: 'accuracy',
              title: t('track.accuracy'),
              width: 90,
              align: 'right',
              render: (_, { accuracy }) =>
                accuracy === null ? <Dash /> : <Unit value={Math.round(accuracy)} unit="m" />,
            },
            {
              key: 'provider',
              title: t('track.provider'),
              width: 110,
              render: (_, point) => provider(point.provider) ?? <Dash />,
            },
          ]}
        />
      )}
    </section>
  )
}

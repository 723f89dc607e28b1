import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { AlertOrigin } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { boundsAround } from '../../map/use-circle.ts'
import { MapView } from '../../map/MapView.tsx'
import type { Mark, Target } from '../../map/MapView.tsx'

type Props = Pick<AlertOrigin, 'fences' | 'places'>

/** Where the devices of an alert are, and the fence that it is about where that is one. A mark leads to its device. */
export default function AlertMap({ fences, places }: Props) {
  const { t } = useTranslation('alert')
  const navigate = useNavigate()
  const [fence] = fences.length === 1 ? fences : []
  const around = JSON.stringify([fence, places.map(({ longitude, latitude }) => [longitude, latitude])])
  // A new object moves the map: what is said again as it was must not take it out of somebody's hands.
  const target = useMemo<Target | undefined>(
    () => targetOf(fence, places),
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [around],
  )
  const marks = places.map(({ kid, sn, name, longitude, latitude }): Mark => ({
    key: kid,
    at: { longitude, latitude },
    label: name ? `${name} (${sn})` : sn,
    tone: 'bad',
  }))
  return (
    <div className="alert-map">
      <MapView
        label={t('origin.map')}
        target={target}
        marks={marks}
        circle={fence && !fence.points ? { center: fence, radius: fence.radius } : undefined}
        polygon={fence?.points ? { points: fence.points } : undefined}
        onMark={({ key }) => void navigate(link.deviceDetailLocation.to({ kid: key }))}
      />
    </div>
  )
}

/** Around the devices and the fence. */
function targetOf(fence: AlertOrigin['fences'][number] | undefined, places: Props['places']): Target | undefined {
  const circle = fence && boundsAround({ center: fence, radius: fence.radius })
  const longitudes = [...places.map(({ longitude }) => longitude), ...(circle ? [circle.west, circle.east] : [])]
  const latitudes = [...places.map(({ latitude }) => latitude), ...(circle ? [circle.south, circle.north] : [])]
  if (longitudes.length === 0) return undefined
  return {
    bounds: {
      west: Math.min(...longitudes),
      east: Math.max(...longitudes),
      south: Math.min(...latitudes),
      north: Math.max(...latitudes),
    },
  }
}

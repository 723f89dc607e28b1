import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { MapCluster, MapDevice, Out } from '@mdm/contract'
import type { api } from '../../core/api.ts'
import type { Place } from '../../map/coordinates.ts'
import type { Mark } from '../../map/MapView.tsx'
import { useCount } from '../../ui/value/format.ts'

export type SeenDevices = Out<typeof api.terminalLocation.list>

export const clusterKey = ({ longitude, latitude }: Place): string => `${longitude.toFixed(6)} ${latitude.toFixed(6)}`

/** Devices of a part of the map as marks, those that would cover each other in one. */
export function useFleetMarks(seen: SeenDevices | undefined): readonly Mark[] {
  const { t } = useTranslation(['map', 'common'])
  const format = useCount()
  return useMemo(() => {
    if (!seen) return []
    const cluster = ({ count, online, longitude, latitude }: MapCluster): Mark => ({
      key: clusterKey({ longitude, latitude }),
      at: { longitude, latitude },
      label: t('cluster', { count, shown: format(count), online: format(online) }),
      tone: online > 0 ? 'accent' : 'quiet',
      count,
      text: format(count),
    })
    const device = (of: MapDevice): Mark => ({
      key: of.kid,
      at: of,
      label: t('device', { name: of.name || of.sn, state: t(of.is_online ? 'common:online' : 'common:offline') }),
      tone: of.is_online ? 'good' : 'quiet',
    })
    return [...seen.clusters.map(cluster), ...seen.devices.map(device)]
  }, [seen, t, format])
}

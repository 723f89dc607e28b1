import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Out } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useLive } from '../../../core/live.ts'
import { useMay } from '../../../core/session.tsx'
import { metresBetween } from '../../../map/use-circle.ts'
import { useCount } from '../../../ui/value/format.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Unit } from '../../../ui/value/values.tsx'
import { Part } from '../Part.tsx'

export type CurrentFence = Out<typeof api.electronicFence.current>

/** The fence that is in force for a device now, and where the device is of it. */
export function useFence(terminal_kid: string): { current: CurrentFence | undefined; is_pending: boolean } {
  const query = useCall(api.electronicFence.current, { terminal_kid }, { enabled: terminal_kid !== '' })
  const { refetch } = query
  useLive(
    'terminal_location',
    useCallback((event) => void (event.kid === terminal_kid && refetch()), [terminal_kid, refetch]),
  )
  return { current: query.data, is_pending: query.isPending }
}

export function FencePart({ current }: { current: CurrentFence }) {
  const { t } = useTranslation('map')
  const may_list = useMay('electronicFenceList')
  const count = useCount()
  const { fence, state, since, source } = current
  if (!fence) return <Part title={t('fence.title')} rows={[[t('fence.in_force'), t('fence.none')]]} />
  const name = may_list ? <Link to={link.electronicFenceList.to({ text: fence.name })}>{fence.name}</Link> : fence.name
  return (
    <Part
      title={t('fence.title')}
      lead={
        <StateBadge tone={state === 'inside' ? 'good' : state === 'outside' ? 'bad' : 'quiet'} since={since}>
          {t(`fence.state.${state ?? 'unknown'}`)}
        </StateBadge>
      }
      rows={[
        [t('fence.in_force'), name],
        [t('fence.from'), t(`fence.source.${source}`)],
        [t('fence.radius'), <Unit key="radius" value={count(fence.radius)} unit="m" />],
        [t('fence.judged'), state && t(current.is_by_device ? 'fence.by_device' : 'fence.by_server')],
      ]}
    />
  )
}

/** How far inside or outside of the circle a place is, in words. */
export function useStanding(current: CurrentFence | undefined) {
  const { t } = useTranslation('map')
  const count = useCount()
  const fence = current?.fence
  return (at: { longitude: number; latitude: number }): string | undefined => {
    if (!fence) return undefined
    const beyond = Math.round(metresBetween(fence, at) - fence.radius)
    return t(beyond > 0 ? 'fence.outside_by' : 'fence.inside_by', { metres: count(Math.abs(beyond)) })
  }
}

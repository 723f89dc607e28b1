import { useTranslation } from 'react-i18next'
import type { ConfigChange } from '@mdm/contract'
import { useCount } from '../../../ui/value/format.ts'
import { ProgressBar } from '../../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import '../config.css'

/** How far the devices of a change are. */
export function Progress({ of }: { of: ConfigChange['progress'] }) {
  const { t } = useTranslation('configure/edit')
  const count = useCount()
  const { devices, applied, waiting, failed, superseded, held, is_owing } = of
  if (devices === 0) return <span className="dim">{t('progress.no_devices')}</span>
  const ended = applied + failed + superseded
  const percent = is_owing ? 0 : Math.floor((ended / devices) * 100)
  return (
    <span className="config-progress">
      <ProgressBar percent={percent} label={t('progress.label', { percent })} />
      <span className="dim">{t('progress.of', { ended: count(ended), devices: count(devices) })}</span>
      {waiting > 0 && <StateBadge tone="moving">{t('progress.waiting', { count: waiting })}</StateBadge>}
      {held > 0 && <StateBadge tone="quiet">{t('progress.held', { count: held })}</StateBadge>}
      {failed > 0 && <StateBadge tone="bad">{t('progress.failed', { count: failed })}</StateBadge>}
    </span>
  )
}

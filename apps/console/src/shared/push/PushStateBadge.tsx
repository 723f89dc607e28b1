import type { PushTaskResult, PushTaskState } from '@mdm/contract'
import { isFinal } from '@mdm/contract'
import { ClockCircleOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { ProgressBar } from '../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { resultTone, stateTone } from './push-labels.ts'

type StateProps = { state: PushTaskState; since?: string | null; cancel_asked?: boolean }

/** State of one device in a push task, and how long it has been so. */
export function PushStateBadge({ state, since, cancel_asked }: StateProps) {
  const { t } = useTranslation('push')
  const is_stopping = cancel_asked === true && !isFinal(state)
  return (
    <StateBadge
      tone={is_stopping ? 'warn' : stateTone(state)}
      since={since}
      icon={state === 'wait_receipt' ? <ClockCircleOutlined aria-hidden /> : undefined}
      title={is_stopping ? t(`state.${state}`) : undefined}
    >
      {is_stopping ? t('cancel_asked') : t(`state.${state}`)}
    </StateBadge>
  )
}

/** Result of a whole push task; `null` while a device still moves. */
export function PushResultBadge({ result, since }: { result: PushTaskResult | null; since?: string | null }) {
  const { t } = useTranslation('push')
  return (
    <StateBadge tone={resultTone(result)} since={since}>
      {t(`result.${result ?? 'running'}`)}
    </StateBadge>
  )
}

/** A bar that follows the device's reports; nothing for what has ended, not begun, or has no measure. */
export function PushProgress({ state, progress }: { state: PushTaskState; progress: number }) {
  const { t } = useTranslation('push')
  const percent = Math.round(progress)
  if (isFinal(state) || state === 'wait_receipt' || (percent === 0 && state !== 'downloading')) return null
  return <ProgressBar percent={percent} label={t('progress', { percent })} />
}

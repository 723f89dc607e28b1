import type { PushTaskState, PushTaskType } from '@mdm/contract'
import { isFinal } from '@mdm/contract'
import { ClockCircleOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { ProgressBar } from '../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { stateTone, usePushLabels } from '../../shared/push/push-labels.ts'
import './push-state.css'

type StateProps = { type: PushTaskType; state: PushTaskState; since?: string | null; cancel_asked?: boolean }

/** State of one device in a push task, and how long it has been so. */
export function PushStateBadge({ type, state, since, cancel_asked }: StateProps) {
  const { t, stateWord } = usePushLabels()
  const is_stopping = cancel_asked === true && !isFinal(state)
  return (
    <StateBadge
      tone={is_stopping ? 'warn' : stateTone(state)}
      since={since}
      icon={state === 'wait_receipt' ? <ClockCircleOutlined aria-hidden /> : undefined}
      title={is_stopping ? stateWord(type, state) : undefined}
    >
      {is_stopping ? t('cancel_asked') : stateWord(type, state)}
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

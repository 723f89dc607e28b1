import { ClockCircleOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { minutesText, useSecondsLeft } from '../../../ui/value/countdown.ts'

const warn_seconds = 300

/** How long the session still is, with a warning before its end. */
export function TimeLeft({ ends_at, can_renew }: { ends_at: number | undefined; can_renew: boolean }) {
  const { t } = useTranslation('remote')
  const left = useSecondsLeft(ends_at)
  if (ends_at === undefined) return null
  const is_soon = left <= warn_seconds
  const hours = Math.floor(left / 3_600)
  const text = hours > 0 ? `${hours}:${minutesText(left % 3_600).padStart(5, '0')}` : minutesText(left)
  return (
    <span className={is_soon ? 'warn remote-left' : 'dim remote-left'} role={is_soon ? 'timer' : undefined}>
      <ClockCircleOutlined aria-hidden /> {t('time.left', { time: text })}
      {is_soon && (
        <span className="remote-said" role="alert">
          {t(can_renew ? 'time.soon_renew' : 'time.soon')}
        </span>
      )}
    </span>
  )
}

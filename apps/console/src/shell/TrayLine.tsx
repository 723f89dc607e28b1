import { Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { minutesText, useSecondsLeft } from '../ui/value/countdown.ts'
import { useTray } from '../core/tray.ts'
import type { Work } from '../core/tray.ts'

export function TrayLine({ work }: { work: Work }) {
  const { t } = useTranslation(['shell', 'common'])
  const remove = useTray((s) => s.remove)
  const percent = work.total ? Math.min(100, Math.floor((work.done / work.total) * 100)) : 0
  const status = { running: 'active', done: 'success', failed: 'exception' } as const
  return (
    <div className="tray-line">
      <div className="tray-title">
        {work.countdown ? <Countdown {...work.countdown} /> : <strong>{work.title}</strong>}
        <span>
          {work.to && <Link to={work.to}>{t('tray_open')}</Link>}
          {work.retry && work.state === 'failed' && (
            <button type="button" className="link" onClick={work.retry}>
              {t('common:try_again')}
            </button>
          )}
          {work.cancel && work.state === 'running' && (
            <button type="button" className="link" onClick={work.cancel}>
              {t('common:cancel')}
            </button>
          )}
          {work.state !== 'running' && (
            <button type="button" className="link" onClick={() => remove(work.id)}>
              {t('dismiss')}
            </button>
          )}
        </span>
      </div>
      <Progress
        percent={work.state === 'done' ? 100 : percent}
        size="small"
        status={status[work.state]}
        showInfo={!work.countdown}
        aria-label={work.title}
      />
      {work.detail && <p className={work.state === 'failed' ? 'tray-failed' : 'dim'}>{work.detail}</p>}
    </div>
  )
}

function Countdown({ ends_at, title }: NonNullable<Work['countdown']>) {
  const left = useSecondsLeft(ends_at)
  return (
    <strong role="timer" className="tray-countdown">
      {title(minutesText(left))}
    </strong>
  )
}

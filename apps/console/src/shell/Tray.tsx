import { CloudUploadOutlined } from '@ant-design/icons'
import { Badge, Button, Popover, Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useTray } from './tray.ts'
import type { Work } from './tray.ts'

/** Long work that can be left and found again. */
export function Tray() {
  const { t } = useTranslation('shell')
  const works = useTray((s) => s.works)
  const running = works.filter(({ state }) => state === 'running').length
  const content = (
    <div className="tray">
      {works.length === 0 && <p className="dim">{t('tray_none')}</p>}
      {works.map((work) => (
        <Line key={work.id} work={work} />
      ))}
    </div>
  )
  return (
    <Popover trigger="click" placement="bottomRight" arrow={false} title={t('tray')} content={content}>
      <Button
        type="text"
        aria-label={running > 0 ? `${t('tray')}: ${t('tray_running', { count: running })}` : t('tray')}
        icon={
          <Badge count={running} size="small" dot={false} offset={[2, 0]}>
            <CloudUploadOutlined className="top-icon" />
          </Badge>
        }
      />
    </Popover>
  )
}

function Line({ work }: { work: Work }) {
  const { t } = useTranslation(['shell', 'common'])
  const remove = useTray((s) => s.remove)
  const percent = work.total ? Math.min(100, Math.floor((work.done / work.total) * 100)) : 0
  const status = { running: 'active', done: 'success', failed: 'exception' } as const
  return (
    <div className="tray-line">
      <div className="tray-title">
        <strong>{work.title}</strong>
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
        aria-label={work.title}
      />
      {work.detail && <p className={work.state === 'failed' ? 'tray-failed' : 'dim'}>{work.detail}</p>}
    </div>
  )
}

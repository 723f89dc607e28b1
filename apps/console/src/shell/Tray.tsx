import { CloudUploadOutlined } from '@ant-design/icons'
import { Badge, Button, Popover } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useTray } from './tray.ts'

// Most days nothing long is going on.
const TrayLine = lazy(() => import('./TrayLine.tsx').then((m) => ({ default: m.TrayLine })))

/** Long work that can be left and found again. */
export function Tray() {
  const { t } = useTranslation('shell')
  const { works, is_open, setOpen } = useTray()
  const running = works.filter(({ state }) => state === 'running').length
  const content = (
    <div className="tray">
      {works.length === 0 && <p className="dim">{t('tray_none')}</p>}
      <Suspense>
        {works.map((work) => (
          <TrayLine key={work.id} work={work} />
        ))}
      </Suspense>
    </div>
  )
  return (
    <Popover
      trigger="click"
      open={is_open}
      onOpenChange={setOpen}
      placement="bottomRight"
      arrow={false}
      title={t('tray')}
      content={content}
    >
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

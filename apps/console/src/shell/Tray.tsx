import { CloudUploadOutlined } from '@ant-design/icons'
import { Badge, Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Popup } from '../ui/dialog/Popup.tsx'
import { useTray } from '../core/tray.ts'

// Most days nothing long is going on.
const TrayLine = lazy(() => import('./TrayLine.tsx').then((m) => ({ default: m.TrayLine })))

/** Long work that can be left and found again. */
export function Tray() {
  const { t } = useTranslation('shell')
  const { works, is_open, setOpen } = useTray()
  // What opens by itself, because work has begun, leaves the focus where somebody types.
  const [is_by_hand, setByHand] = useState(false)
  const turn = (open: boolean) => {
    setByHand(open)
    setOpen(open)
  }
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
    <Popup
      open={is_open}
      onOpenChange={turn}
      is_quiet={!is_by_hand}
      placement="bottomRight"
      title={t('tray')}
      content={content}
    >
      <Button
        type="text"
        aria-label={running > 0 ? `${t('tray')}: ${t('tray_running', { count: running })}` : t('tray')}
        icon={
          <Badge count={running} size="small" dot={false} offset={[2, 0]}>
            <CloudUploadOutlined aria-hidden className="top-icon" />
          </Badge>
        }
      />
    </Popup>
  )
}

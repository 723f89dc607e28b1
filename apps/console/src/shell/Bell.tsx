import { BellOutlined } from '@ant-design/icons'
import { Badge, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { api, useCall } from '../core/api.ts'
import { link } from '../core/links.ts'
import { isOutside, useMay, useSession } from '../core/session.tsx'
import { Popup } from '../ui/dialog/Popup.tsx'
import { useCount } from '../ui/value/format.ts'
import { Ago } from '../ui/value/values.tsx'

/** What is wrong now. Who acts for no account, or may not see alerts, has no bell. */
export function Bell() {
  const may_see = useMay('alertList')
  const is_outside = isOutside(useSession())
  return may_see && !is_outside ? <OpenAlerts /> : null
}

function OpenAlerts() {
  const { t } = useTranslation('shell')
  const count = useCount()
  const [is_open, setOpen] = useState(false)
  const { open = 0, alerts = [] } = useCall(api.alert.list_open, {}).data ?? {}
  const close = () => setOpen(false)
  const content = (
    <div className="bell">
      {alerts.length === 0 && <p className="dim">{t('bell_none')}</p>}
      <ul>
        {alerts.map((alert) => (
          <li key={alert.kid} data-severity={alert.state === 'open' ? alert.severity : 'info'}>
            <Link to={link.alertList.to({ alert: alert.kid })} onClick={close}>
              {alert.name}
            </Link>
            <span className="dim">
              {alert.count > 0 && `${t('bell_devices', { count: alert.count, shown: count(alert.count) })} · `}
              <Ago at={alert.opened_at} />
              {(alert.assignee_name ?? alert.acknowledged_by) && ` · ${alert.assignee_name ?? alert.acknowledged_by}`}
            </span>
          </li>
        ))}
      </ul>
      <Link to={link.alertList.to({ states: ['open', 'acknowledged'] })} onClick={close}>
        {t('bell_all')}
      </Link>
    </div>
  )
  return (
    <Popup open={is_open} onOpenChange={setOpen} placement="bottomRight" title={t('bell')} content={content}>
      <Button
        type="text"
        aria-label={open > 0 ? `${t('bell')}: ${t('bell_open', { count: open })}` : t('bell')}
        icon={
          <Badge count={open} size="small" offset={[2, 0]}>
            <BellOutlined aria-hidden className="top-icon" />
          </Badge>
        }
      />
    </Popup>
  )
}

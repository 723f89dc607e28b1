import { WarningOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { useNow } from '../ui/value/values.tsx'
import { useSession } from '../core/session.tsx'
import { expiryOf } from './expiry.ts'

export function ExpiryBanner() {
  const { t } = useTranslation('shell')
  const { expire_time } = useSession()
  const expiry = expiryOf(expire_time, useNow())
  if (!expiry) return null
  return (
    <div className="expiry" data-tone={expiry.tone} role="status">
      <WarningOutlined aria-hidden />
      {t(expiry.is_past ? 'expired' : 'expires', { count: expiry.days })}
    </div>
  )
}

import { WarningOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { ReactNode } from 'react'
import type { OwnActivationState } from '@mdm/contract'
import { useMay, useSession } from '../core/session.tsx'
import { link } from '../core/links.ts'
import { useNow } from '../ui/value/values.tsx'
import { expiryOf } from './expiry.ts'

/** The end of the account acted for and, to people of the provider, that of the server's activation. */
export function ExpiryBanner() {
  const { t } = useTranslation('shell')
  const { expire_time, activation } = useSession()
  const now = useNow()
  const expiry = expiryOf(expire_time, now)
  return (
    <>
      {expiry && <Line tone={expiry.tone}>{t(expiry.is_past ? 'expired' : 'expires', { count: expiry.days })}</Line>}
      {activation && <ActivationLine state={activation.state} ends_at={activation.ends_at} now={now} />}
    </>
  )
}

type Activation = { state: OwnActivationState; ends_at: string | null; now: number }
function ActivationLine({ state, ends_at, now }: Activation) {
  const { t } = useTranslation('shell')
  const may_open = useMay('activateList')
  const expiry = expiryOf(ends_at, now)
  const is_over = state !== 'active' && state !== 'expired'
  if (!expiry && !is_over) return null
  return (
    <Line tone={is_over ? 'red' : expiry!.tone}>
      {is_over
        ? t(`activation.${state as 'missing'}`)
        : t(expiry!.is_past ? 'activation.expired' : 'activation.expires', { count: expiry!.days })}
      {may_open && (
        <>
          {' '}
          <Link to={link.activateList.to({ view: 'server' })}>{t('activation.show')}</Link>
        </>
      )}
    </Line>
  )
}

const Line = ({ tone, children }: { tone: 'red' | 'orange'; children: ReactNode }) => (
  <div className="expiry" data-tone={tone} role="status">
    <WarningOutlined aria-hidden />
    <span>{children}</span>
  </div>
)

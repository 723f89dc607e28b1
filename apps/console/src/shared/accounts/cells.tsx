import type { UserAccountRow } from '@mdm/contract'
import { WarningOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { dateParts, useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, Bytes, useNow } from '../../ui/value/values.tsx'
import { useZone } from '../../core/session.tsx'
import { UsageBar } from '../device/DeviceParts.tsx'
import { daysLeft, expiryTone, isUnlimited, partOf } from './quota.ts'
import type { ShownState } from './quota.ts'
import './accounts.css'

type InvitationState = UserAccountRow['invitation']
const tones = { normal: 'good', init: 'warn', invalid: 'bad', expired: 'bad' } as const

export function AccountStateBadge({ state }: { state: ShownState }) {
  const { t } = useTranslation('accounts')
  return <StateBadge tone={tones[state]}>{t(`state.${state}`)}</StateBadge>
}

/** Of somebody without a password: how it stands with the invitation. */
export function InvitationNote({ invitation }: { invitation: InvitationState }) {
  const { t } = useTranslation('accounts')
  const now = useNow()
  if (!invitation) return null
  const is_over = invitation.expires_at === null || Date.parse(invitation.expires_at) <= now
  const has_failed = invitation.mail === 'failed'
  return (
    <span className="invitation-note" data-bad={is_over || has_failed || undefined}>
      {is_over ? t('invitation.over') : has_failed ? t('invitation.failed') : t('invitation.open')}
    </span>
  )
}

/** A part of what there may be: a bar and the numbers; without a bar where there is no limit. */
export function Quota({ label, used, max }: { label: string; used: number; max: number }) {
  const { t } = useTranslation('accounts')
  const count = useCount()
  const is_unlimited = isUnlimited(max)
  return (
    <span className="quota">
      {is_unlimited ? (
        <span className="quota-none dim">{t('unlimited')}</span>
      ) : (
        <UsageBar part={partOf(used, max)} label={t('used_of', { name: label, used: count(used), max: count(max) })} />
      )}
      <span className="number">
        {count(used)}
        {!is_unlimited && <span className="dim"> / {count(max)}</span>}
      </span>
    </span>
  )
}

/** Space in use and space there is. */
export function SpaceUse({ label, used, space }: { label: string; used: number; space: number }) {
  return (
    <span className="quota">
      <UsageBar part={partOf(used, space)} label={label} />
      <span className="number">
        <Bytes value={used} />
        <span className="dim">
          {' / '}
          <Bytes value={space} />
        </span>
      </span>
    </span>
  )
}

/** The day on which an account ends, and how soon where that is near. */
export function Expiry({ at }: { at: string | null }) {
  const { t } = useTranslation('accounts')
  const now = useNow()
  const zone = useZone()
  if (!at) return <span className="dim">{t('no_expiry')}</span>
  const parts = dateParts(at, zone)
  return (
    <span className="expiry-cell">
      <time dateTime={at} title={parts.join(' ')}>
        {parts[0]}
      </time>
      {expiryTone(at, now) && <ExpiryBadge at={at} />}
    </span>
  )
}

/** Days left or past; nothing while the end is far away. */
export function ExpiryBadge({ at }: { at: string }) {
  const { t } = useTranslation('accounts')
  const count = useCount()
  const now = useNow()
  const tone = expiryTone(at, now)
  if (!tone) return null
  const days = daysLeft(at, now)
  return (
    <StateBadge tone={tone} icon={<WarningOutlined aria-hidden />}>
      {Date.parse(at) <= now
        ? t('expired', { count: -days, shown: count(-days) })
        : t('expires', { count: days, shown: count(days) })}
    </StateBadge>
  )
}

export function LastUse({ at }: { at: string | null }) {
  const { t } = useTranslation('accounts')
  return at ? <Ago at={at} /> : <span className="dim">{t('never')}</span>
}

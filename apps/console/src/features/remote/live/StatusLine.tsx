import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReactNode } from 'react'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import type { Tone } from '../../../ui/value/StateBadge.tsx'
import type { Status } from './status.ts'

const tones: Record<Status['name'], Tone> = {
  connecting: 'moving',
  waiting_consent: 'waiting',
  connected: 'good',
  stale: 'warn',
  reconnecting: 'moving',
  ended: 'quiet',
  refused: 'bad',
}

/** Seconds since a moment of `performance.now()`, counted on. */
function useAge(at: number | null): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500)
    return () => clearInterval(timer)
  }, [])
  return at === null ? 0 : Math.max(0, Math.floor((now - at) / 1_000))
}

type Props = { status: Status; name: string; has_pictures: boolean; children?: ReactNode }

/** How it stands, as it is: never 'connected' over a picture that is old without its age. */
export function StatusLine({ status, name, has_pictures, children }: Props) {
  const { t } = useTranslation('remote')
  const age = useAge('seen_at' in status ? status.seen_at : null)
  const said = useSaid(status, name)
  return (
    <div className="remote-status">
      <span role="status">
        <StateBadge tone={tones[status.name]}>{t(`status.${status.name}`)}</StateBadge>
        {said && <span className="remote-said">{said}</span>}
      </span>
      {has_pictures && status.name === 'connected' && (
        <span className="dim remote-age">{t('status.age', { seconds: age })}</span>
      )}
      {has_pictures && (status.name === 'stale' || (status.name === 'reconnecting' && status.seen_at !== null)) && (
        <span className="warn remote-age">{t('status.no_picture', { seconds: age })}</span>
      )}
      {children}
    </div>
  )
}

function useSaid(status: Status, name: string): string | undefined {
  const { t } = useTranslation('remote')
  switch (status.name) {
    case 'connecting':
      return status.is_open ? t('status.first_picture') : t('status.reaching', { name })
    case 'waiting_consent':
      return t('status.consent_of', { name })
    case 'reconnecting':
      return t(`broken.${status.disabled_reason}`)
    case 'ended':
      return t(`over.${status.disabled_reason}`)
    case 'refused':
      return status.message
    default:
      return undefined
  }
}

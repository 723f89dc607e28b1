import { useTranslation } from 'react-i18next'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { OrDash } from '../../ui/value/values.tsx'

export function ResultBadge({ result }: { result: number }) {
  const { t } = useTranslation('operation-log')
  const is_good = result === 1
  return (
    <StateBadge tone={is_good ? 'good' : 'bad'} title={is_good ? undefined : t('code', { result })}>
      {t(is_good ? 'success' : 'failure')}
    </StateBadge>
  )
}

/** Somebody who is not known has only a login name, or neither: a failed sign-in. */
export function Who({ name, username }: { name: string; username: string }) {
  if (!name && !username) return <OrDash>{null}</OrDash>
  return (
    <span>
      {name || username}
      {name && username && name !== username && <span className="dim"> {username}</span>}
    </span>
  )
}

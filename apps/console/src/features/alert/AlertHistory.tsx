import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { AlertHistoryEntry } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { listText } from '../../i18n/list-text.ts'
import { Failure } from '../../ui/Failure.tsx'
import { DateTime } from '../../ui/value/values.tsx'

/** What happened to an alert, newest first: what it did itself, what was told, and what people did. */
export function AlertHistory({ kid }: { kid: string }) {
  const { t } = useTranslation('alert')
  const query = useCall(api.alert.list_history, { kid })
  return (
    <section className="alert-section" aria-label={t('history.title')}>
      <h3>{t('history.title')}</h3>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={!!query.data} />}
      <ol className="alert-history">
        {query.data?.map((entry) => (
          <li key={`${entry.at} ${entry.event} ${entry.told?.of ?? ''}`} data-event={entry.event}>
            <DateTime at={entry.at} />
            <span>
              <What entry={entry} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function What({ entry }: { entry: AlertHistoryEntry }) {
  const { t } = useTranslation('alert')
  const { event, by, assignee, hours, told, alert_kid } = entry
  if (event === 'told') return told && <Told told={told} />
  if (event === 'resolved') return by ? t('history.resolved', { by }) : t('history.resolved_itself')
  if (event === 'silenced') return t('history.silenced', { by, count: hours ?? 0 })
  return (
    <>
      {t(`history.${event}`, { by, assignee })}
      {alert_kid && (
        <>
          {' '}
          <Link to={link.alertList.to({ alert: alert_kid })}>
            {t(event === 'reopened' ? 'history.next' : 'history.previous')}
          </Link>
        </>
      )}
    </>
  )
}

function Told({ told }: { told: NonNullable<AlertHistoryEntry['told']> }) {
  const { t } = useTranslation('alert')
  const { of, mails, emails, webhooks } = told
  const whom = [
    ...(mails > 0 ? [emails ? listText(emails) : t('history.mails', { count: mails })] : []),
    ...(webhooks > 0 ? [t('history.webhooks', { count: webhooks })] : []),
  ]
  return t(`history.told.${of}`, { whom: listText(whom) })
}

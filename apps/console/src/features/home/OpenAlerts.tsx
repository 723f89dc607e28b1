import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { Arriving } from '../../ui/Arriving.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago } from '../../ui/value/values.tsx'
import { severityTones } from '../alert/public.ts'

const most = 5
const unresolved = { states: ['open', 'acknowledged'] }

/** What is wrong now, what nobody looks after first: nothing is said where all is well. */
export function OpenAlerts() {
  const { t } = useTranslation('home')
  const count = useCount()
  const query = useCall(api.alert.list_open, {})
  const alerts = query.data?.alerts.slice(0, most) ?? []
  if (query.isPending) return <Arriving />
  if (!query.error && alerts.length === 0) return null
  return (
    <section aria-labelledby="alerts">
      <h2 id="alerts">
        {t('alerts')}
        <Link to={link.alertList.to(unresolved)}>{t('see_all')}</Link>
      </h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      <ul className="rows">
        {alerts.map((alert) => (
          <li key={alert.kid}>
            <span className="rows-main">
              <strong>
                <Link to={link.alertList.to({ ...unresolved, alert: alert.kid })} title={alert.name}>
                  {alert.name}
                </Link>
              </strong>
              <span className="dim">{alert.assignee_name ?? alert.acknowledged_by ?? t('alerts_nobody')}</span>
            </span>
            <StateBadge tone={alert.state === 'open' ? severityTones[alert.severity] : 'quiet'}>
              {t(`alerts_severity.${alert.severity}`)}
            </StateBadge>
            {alert.count > 0 && (
              <span
                className="number dim"
                title={t('alerts_devices', { count: alert.count, shown: count(alert.count) })}
              >
                {count(alert.count)}
              </span>
            )}
            <Ago at={alert.opened_at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

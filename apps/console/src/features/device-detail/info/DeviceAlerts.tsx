import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { alertKinds } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago } from '../../../ui/value/values.tsx'
import { severityTones } from '../../alert/public.ts'

/** What is wrong with the device now: the rules that fire for it, and that it is not compliant. Nothing where all is well. */
export function DeviceAlerts({ kid }: { kid: string }) {
  const { t } = useTranslation('device-detail')
  const textOf = useTextOf()
  const may_see = useMay('alertList')
  const { data = [] } = useCall(api.alert.list_by_terminal, { terminal_kid: kid }, { enabled: may_see })
  if (data.length === 0) return null
  return (
    <section className="device-alerts" aria-label={t('alerts.title')}>
      {data.some(({ is_noncompliant }) => is_noncompliant) && (
        <StateBadge tone="bad">{t('alerts.noncompliant')}</StateBadge>
      )}
      <ul>
        {data.map(({ rule_kid, alert_kid, name, kind, severity, fired_at }) => (
          <li key={rule_kid}>
            <StateBadge tone={severityTones[severity]}>{textOf(alertKinds[kind].title)}</StateBadge>
            {alert_kid ? <Link to={link.alertList.to({ alert: alert_kid })}>{name}</Link> : <span>{name}</span>}
            <span className="dim">
              <Ago at={fired_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

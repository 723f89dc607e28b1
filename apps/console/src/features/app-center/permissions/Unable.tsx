import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { api, useCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { DriftCause } from '../../configure/public.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Code } from '../../../ui/value/values.tsx'

const section = 'permission_policy'
const shown_max = 20

/** Devices that do not go by the policy, each with why: they cannot, it failed, or they have not confirmed it yet. */
export function Unable({ terminal_group_kid }: { terminal_group_kid: string | undefined }) {
  const { t } = useTranslation('app-center')
  const count = useCount()
  const query = useCall(api.terminalConfig.drift, {
    section,
    ...(terminal_group_kid !== undefined && { terminal_group_kid }),
    page_size: shown_max,
  })
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  const { items = [], total = 0 } = query.data ?? {}
  if (query.isPending) return null
  if (total === 0) return <p className="dim app-unable">{t('permission.all_follow')}</p>
  return (
    <div className="app-unable">
      <h3>{t('permission.unable', { count: total, shown: count(total) })}</h3>
      <ul>
        {items.map((row) => (
          <li key={row.kid}>
            <Link to={link.deviceDetailConfig.to({ kid: row.kid })}>
              <Code value={row.sn} />
            </Link>{' '}
            {row.name && <span className="dim">{row.name} </span>}
            {row.causes
              .filter((cause) => cause.section === section || cause.section === '')
              .map((cause) => (
                <span key={cause.section}>
                  <DriftCause of={{ ...cause, section }} />
                </span>
              ))}
          </li>
        ))}
      </ul>
      {total > items.length && <p className="dim">{t('permission.more', { count: total - items.length })}</p>}
    </div>
  )
}

import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { api, useCall } from '../../core/api.ts'
import { arriving } from '../../ui/Arriving.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago } from '../../ui/value/values.tsx'
import { link } from '../../core/links.ts'

/** Of the account, or of every account there is. */
export function RecentOperations({ of }: { of: 'account' | 'provider' }) {
  const { t } = useTranslation('home')
  const is_all = of === 'provider'
  const { paging } = is_all ? api.opsOperationLog : api.operationLog
  const log = is_all ? link.opsOperationLogList : link.operationLogList
  const query = useCall(paging, { page_size: is_all ? 14 : 8, sort: 'created_at', order: 'desc' })
  const rows = query.data?.items
  return (
    <section className={arriving(query)} aria-labelledby="operations">
      <h2 id="operations">
        {t('operations')}
        <Link to={log.to()}>{t('see_all')}</Link>
      </h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {rows?.length === 0 && <p className="dim">{t('operations_none')}</p>}
      <ul className="rows">
        {rows?.map((row) => (
          <li key={row.kid}>
            <span className="rows-main">
              <Link to={log.to({ log: row.kid })}>{row.action_name}</Link>
              <span className="dim">
                {[row.objects[0]?.name, row.operator_name || row.operator_username, is_all && row.account_name]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            {row.result !== 1 && <StateBadge tone="bad">{t('refused')}</StateBadge>}
            <Ago at={row.created_at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

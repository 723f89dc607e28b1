import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { api, useCall } from '../../api.ts'
import { Failure } from '../../screen/Failure.tsx'
import { StateBadge } from '../../screen/StateBadge.tsx'
import { Ago } from '../../screen/values.tsx'
import { link } from '../../screens.ts'

export function RecentOperations() {
  const { t } = useTranslation('home')
  const query = useCall(api.operationLog.paging, { page_size: 8, sort: 'created_at', order: 'desc' })
  const rows = query.data?.items
  return (
    <section aria-labelledby="operations">
      <h2 id="operations">
        {t('operations')}
        <Link to={link.operationLogList.to()}>{t('see_all')}</Link>
      </h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {rows?.length === 0 && <p className="dim">{t('operations_none')}</p>}
      <ul className="rows">
        {rows?.map((row) => (
          <li key={row.kid}>
            <span className="rows-main">
              <Link to={link.operationLogList.to({ log: row.kid })}>{row.action_name}</Link>
              <span className="dim">{row.operator_name || row.operator_username}</span>
            </span>
            {row.result !== 1 && <StateBadge tone="bad">{t('refused')}</StateBadge>}
            <Ago at={row.created_at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

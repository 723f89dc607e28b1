import { HomeOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { OpsOverview } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { PageHead } from '../../ui/PageHead.tsx'
import { useMay } from '../../core/session.tsx'
import './home.css'
import { ClockDoubts, Expiring, NearlyFull, Nodes, StorageUse } from './operator-parts.tsx'
import { RecentOperations } from './RecentOperations.tsx'
import { Bar } from './Bar.tsx'
import { link } from '../../core/links.ts'

/** No event tells of what happens in every account, so it is asked again. */
const refetchMs = 30_000

/** What the provider looks at first: the customers, what runs out, and whether the servers are well. */
export function OperatorHome() {
  const { t } = useTranslation('home')
  const query = useCall(api.opsHome.overview, {}, { refetchMs })
  const has_log = useMay('opsOperationLogList')
  return (
    <section className="home">
      <PageHead title={t('ops.title')} icon={<HomeOutlined aria-hidden />} />
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      <ClockDoubts rows={query.data?.nodes} />
      <Glance of={query.data} />
      <div className="home-columns">
        <div className="in-order">
          <Expiring rows={query.data?.expiring} />
          <NearlyFull rows={query.data?.nearly_full} />
        </div>
        <div className="in-order">
          <StorageUse rows={query.data?.storage} />
          <Nodes rows={query.data?.nodes} />
        </div>
        <div>{has_log && <RecentOperations of="provider" />}</div>
      </div>
    </section>
  )
}

function Glance({ of }: { of: OpsOverview | undefined }) {
  const { t } = useTranslation('home')
  const count = useCount()
  const may_list = useMay('externalUserManageList')
  const may_log = useMay('opsOperationLogList')
  const number = (value: number | undefined) => (value === undefined ? '–' : count(value))
  const { customers, devices, tasks, failed_sign_ins } = of ?? {}
  const { total = 0, online = 0 } = devices ?? {}
  const customer_number = number(customers?.total)
  const sign_in_number = number(failed_sign_ins)
  return (
    <dl className="fleet-line" data-of="provider" aria-busy={of === undefined}>
      <div>
        <dt>{t('ops.customers')}</dt>
        <dd>{may_list ? <Link to={link.externalUserManageList.to()}>{customer_number}</Link> : customer_number}</dd>
        {customers && (
          <dd className="fleet-note">
            {t('ops.customer_states', {
              normal: count(customers.normal),
              init: count(customers.init),
              // What has expired is invalid as well.
              disabled: count(Math.max(0, customers.invalid - customers.expired)),
              expired: count(customers.expired),
            })}
          </dd>
        )}
      </div>
      <div>
        <dt>{t('online')}</dt>
        <dd>
          {number(devices?.online)}
          <span className="dim"> / {number(devices?.total)}</span>
          <Bar
            share={total > 0 ? online / total : 0}
            label={t('online_of', { online: count(online), total: count(total) })}
            tone="good"
          />
        </dd>
      </div>
      <div>
        <dt>{t('running')}</dt>
        <dd>{number(tasks?.running)}</dd>
        {tasks && (
          <dd className="fleet-note" data-tone={tasks.failed_today > 0 ? 'bad' : undefined}>
            {t('ops.failed_today', { count: tasks.failed_today, shown: count(tasks.failed_today) })}
          </dd>
        )}
      </div>
      <div>
        <dt>{t('ops.failed_sign_ins')}</dt>
        <dd>
          {may_log ? (
            <Link to={link.opsOperationLogList.to({ module_code: 'login', result: 'failure' })}>{sign_in_number}</Link>
          ) : (
            sign_in_number
          )}
        </dd>
        <dd className="fleet-note">{t('ops.last_24_hours')}</dd>
      </div>
    </dl>
  )
}

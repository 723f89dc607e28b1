import { HomeOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { constants } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { Arriving } from '../../ui/Arriving.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { PageHead } from '../../ui/PageHead.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { ExpiryBadge } from '../../shared/accounts/cells.tsx'
import { isOutside, useMay, useSession } from '../../core/session.tsx'
import './home.css'
import { Bar } from './Bar.tsx'
import { LowBattery, LongestOffline, LowStorage, Quarantined } from './DeviceRows.tsx'
import { GroupShares, ModelShares, SystemShares } from './DeviceShares.tsx'
import { OpenAlerts } from './OpenAlerts.tsx'
import { OnlineCurve } from './OnlineCurve.tsx'
import { OperatorHome } from './OperatorHome.tsx'
import { RecentOperations } from './RecentOperations.tsx'
import { AwaitingApproval, FailedTasks, RunningTasks } from './Tasks.tsx'
import { link } from '../../core/links.ts'

export default function HomePage() {
  return isOutside(useSession()) ? <OperatorHome /> : <AccountHome />
}

function AccountHome() {
  const { t } = useTranslation('home')
  const { account_name } = useSession()
  const has_devices = useMay('deviceList')
  const reads_devices = useMay('deviceDetailTask')
  const has_tasks = useMay('pushTaskList') || reads_devices
  const approves = useMay('pushTaskList:approve')
  const has_log = useMay('operationLogList')
  const has_alerts = useMay('alertList')
  const facets = useCall(api.terminal.facets, {}, { enabled: has_devices })
  // Nine parts that say that there are no devices hide what is to be done first.
  const shows_devices = has_devices && facets.data?.total !== 0
  return (
    <section className="home">
      <PageHead title={account_name || t('title')} icon={<HomeOutlined aria-hidden />} />
      {has_devices && <Fleet />}
      <div className="home-columns">
        <div className="in-order">
          {has_alerts && <OpenAlerts />}
          {has_devices && <Quarantined />}
          {has_tasks && approves && <AwaitingApproval />}
          {has_tasks && <RunningTasks />}
          {has_tasks && <FailedTasks />}
          {shows_devices && <LongestOffline />}
        </div>
        <div className="in-order">
          {has_log && <RecentOperations of="account" />}
          {shows_devices && <LowBattery />}
          {shows_devices && <LowStorage />}
        </div>
        <div className="in-order">
          {shows_devices && <OnlineCurve />}
          {shows_devices && <GroupShares />}
          {shows_devices && <ModelShares />}
          {shows_devices && <SystemShares />}
        </div>
      </div>
    </section>
  )
}

/** How many devices somebody should look after, as a link to them; where there are none nothing is said of it. */
function Marked({ label, match }: { label: string; match: { is_compliant: false } | { is_lost: true } }) {
  const count = useCount()
  const query = useCall(api.terminal.count, { match })
  const marked = query.data?.count ?? 0
  if (query.isPending) return <Arriving />
  if (marked === 0) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Link to={link.deviceList.to(match)}>{count(marked)}</Link>
      </dd>
    </div>
  )
}

/** The fleet in one line: how many are here now, how many places are used, until when. */
function Fleet() {
  const { t } = useTranslation('home')
  const count = useCount()
  const { expire_time } = useSession()
  const facets = useCall(api.terminal.facets, {})
  const inventory = useCall(api.account.check_inventory, {})
  if (facets.error) return <Failure error={facets.error} retry={facets.refetch} />
  const { total = 0, online = 0 } = facets.data ?? {}
  /** A number that is not known yet is none, and not 0. */
  const device = (value: number) => (facets.data ? count(value) : '–')
  const place = (value: number) => (inventory.data ? count(value) : '–')
  const { terminal_count = 0, terminal_max = 0, given = 0, remaining = 0 } = inventory.data ?? {}
  const is_unlimited = terminal_max >= constants.unlimited_devices
  // How much may be registered, and until when, is worth knowing before the first device.
  const is_first = facets.data !== undefined && total === 0
  return (
    <>
      <dl className="fleet-line in-order" aria-busy={facets.isPending}>
        <div className="fleet-online">
          <dt>{t('online')}</dt>
          <dd>
            <Link to={link.deviceList.to({ is_online: true })}>{device(online)}</Link>
            <span className="dim"> / {device(total)}</span>
            <Bar
              share={total > 0 ? online / total : 0}
              label={t('online_of', { online: count(online), total: count(total) })}
              tone="good"
            />
          </dd>
        </div>
        <div>
          <dt>{t('offline')}</dt>
          <dd>
            <Link to={link.deviceList.to({ is_online: false })}>{device(total - online)}</Link>
          </dd>
        </div>
        <Marked label={t('lost')} match={{ is_lost: true }} />
        <Marked label={t('noncompliant')} match={{ is_compliant: false }} />
        <div>
          <dt>{t('quota')}</dt>
          <dd>
            {place(terminal_count)}
            {!is_unlimited && <span className="dim"> / {place(terminal_max)}</span>}
            {!is_unlimited && (
              <Bar
                share={terminal_max > 0 ? (terminal_count + given) / terminal_max : 0}
                label={t('quota_of', { used: count(terminal_count + given), max: count(terminal_max) })}
                tone={remaining > terminal_max * 0.05 ? 'quiet' : 'warn'}
              />
            )}
          </dd>
          <dd className="fleet-note">
            {inventory.data && (is_unlimited ? t('unlimited') : t('quota_left', { count: remaining }))}
            {given > 0 && ` · ${t('quota_given', { count: given })}`}
          </dd>
        </div>
        <div>
          <dt>{t('expiry')}</dt>
          <dd className="fleet-date">{expire_time ? <DateTime at={expire_time} /> : t('no_expiry')}</dd>
          {expire_time && (
            <dd className="fleet-note">
              <ExpiryBadge at={expire_time} />
            </dd>
          )}
        </div>
      </dl>
      {is_first && (
        <Empty title={t('first')} hint={t('first_hint')}>
          <Link to={link.deviceList.to()}>{t('first_go')}</Link>
        </Empty>
      )}
    </>
  )
}

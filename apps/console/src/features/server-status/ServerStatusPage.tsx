import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pages, queue_count_max } from '@mdm/contract'
import type { ServerStatus } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { api, useCall } from '../../core/api.ts'
import { Properties } from '../../ui/DetailPage.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, Bytes, Clipped, CopyId, DateTime, Duration } from '../../ui/value/values.tsx'
import './server-status.css'

type Node = ServerStatus['nodes'][number]
type Queue = ServerStatus['queues'][number]

/** No event tells of what servers do, so it is asked again. */
const refetchMs = 15_000
/** As the server warns of clocks in its log. */
const apart_ms = 2_000
const lag_warn_s = 60
const day_ms = 86_400_000
const ends_soon_ms = 21 * day_ms
const backup_old_ms = 2 * day_ms

/** Whether the servers are well, and what to look at where one is not. */
export default function ServerStatusPage() {
  const { t } = useTranslation('server-status')
  const textOf = useTextOf()
  const { data, error, isPending, refetch } = useCall(api.opsHome.status, {}, { refetchMs })
  return (
    <section className="detail-page">
      <PageHead
        title={textOf(pages.serverStatus.title)}
        icon={pageIcon('serverStatus')}
        aside={data && <Whole of={data} />}
      />
      <div className="detail-body server-status">
        {error && <Failure error={error} retry={refetch} is_line={data !== undefined} />}
        {isPending && <Skeleton active paragraph={{ rows: 10 }} />}
        {data && (
          <>
            <Part title={t('nodes')}>
              <Nodes rows={data.nodes} />
            </Part>
            <Part title={t('queues')} hint={t('queues_hint')}>
              <Queues rows={data.queues} />
            </Part>
            <Part title={t('services')}>
              <Services of={data} />
            </Part>
            {data.failed_jobs.length > 0 && (
              <Part title={t('failed_jobs')} hint={t('failed_jobs_hint')}>
                <FailedJobs rows={data.failed_jobs} />
              </Part>
            )}
          </>
        )}
      </div>
    </section>
  )
}

function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {hint && <p className="dim">{hint}</p>}
      {children}
    </section>
  )
}

const isWell = ({ parts, database, failed_jobs, certificate, nodes }: ServerStatus): boolean =>
  Object.values(parts).every(Boolean) &&
  failed_jobs.length === 0 &&
  certificate.error === null &&
  database.replica_is_used !== false &&
  nodes.every(({ is_alive }) => is_alive)

function Whole({ of }: { of: ServerStatus }) {
  const { t } = useTranslation('server-status')
  const is_well = isWell(of)
  return <StateBadge tone={is_well ? 'good' : 'warn'}>{t(is_well ? 'well' : 'not_well')}</StateBadge>
}

function Nodes({ rows }: { rows: readonly Node[] }) {
  const { t } = useTranslation('server-status')
  const columns: Column<Node>[] = [
    {
      key: 'kid',
      title: t('column.server'),
      render: (_, row) => (
        <>
          <CopyId value={row.kid} short={8} /> {row.is_this && <span className="dim">{t('answers')}</span>}
        </>
      ),
    },
    {
      key: 'is_alive',
      title: t('column.state'),
      render: (_, { is_alive, heard_at }) =>
        is_alive ? (
          <StateBadge tone="good">{t('alive')}</StateBadge>
        ) : (
          <StateBadge tone="bad" since={heard_at}>
            {t('silent')}
          </StateBadge>
        ),
    },
    { key: 'version', title: t('column.version'), render: (_, { version }) => version ?? t('older') },
    { key: 'url', title: t('column.address'), render: (_, { url }) => <Clipped text={url ?? ''} className="code" /> },
    { key: 'started_at', title: t('column.started'), render: (_, { started_at }) => <DateTime at={started_at} /> },
    {
      key: 'clock_apart_ms',
      title: t('column.clock'),
      align: 'right',
      render: (_, { clock_apart_ms }) => <Apart ms={clock_apart_ms} />,
    },
  ]
  return <ListTable rows={rows} columns={columns} />
}

function Apart({ ms }: { ms: number | null }) {
  const { t } = useTranslation('server-status')
  if (ms === null) return t('no_clock')
  if (Math.abs(ms) <= apart_ms) return t('clock_right')
  return (
    <span className="status-bad">
      <Duration seconds={Math.round(Math.abs(ms) / 1_000)} />
    </span>
  )
}

function Queues({ rows }: { rows: readonly Queue[] }) {
  const { t } = useTranslation('server-status')
  const count = useCount()
  const columns: Column<Queue>[] = [
    { key: 'name', title: t('column.queue'), render: (_, { name }) => t(`queue.${name}`) },
    {
      key: 'waiting',
      title: t('column.waiting'),
      align: 'right',
      render: (_, { waiting }) => `${count(waiting)}${waiting >= queue_count_max ? '+' : ''}`,
    },
    {
      key: 'lag_s',
      title: t('column.lag'),
      align: 'right',
      render: (_, { lag_s }) => (
        <span className={lag_s > lag_warn_s ? 'status-bad' : undefined}>
          <Duration seconds={lag_s} />
        </span>
      ),
    },
  ]
  return <ListTable rows={rows} columns={columns} rowKey="name" />
}

function Services({ of }: { of: ServerStatus }) {
  const { t } = useTranslation('server-status')
  const count = useCount()
  const { parts, database, broker, storage, certificate, backup } = of
  const can = (is_up: boolean) => (
    <StateBadge tone={is_up ? 'good' : 'bad'}>{t(is_up ? 'reached' : 'not_reached')}</StateBadge>
  )
  return (
    <Properties
      of={[
        { label: t('database'), value: can(parts.database) },
        { label: t('database_kind'), value: `${t(`database_of.${database.kind}`)} ${database.version}` },
        { label: t('database_size'), value: <Bytes value={database.bytes} /> },
        {
          label: t('connections'),
          value:
            database.connections &&
            t('of', { used: count(database.connections.used), max: count(database.connections.max) }),
        },
        {
          label: t('replica'),
          value:
            database.replica_is_used === null ? null : (
              <StateBadge tone={database.replica_is_used ? 'good' : 'warn'}>
                {t(database.replica_is_used ? 'replica_used' : 'replica_left_out')}
              </StateBadge>
            ),
        },
        { label: t('broker'), value: can(parts.broker) },
        { label: t('broker_kind'), value: t(`broker_of.${broker.kind}`) },
        { label: t('devices_online'), value: count(broker.online) },
        { label: t('files'), value: can(parts.objects) },
        { label: t('files_kind'), value: t(`files_of.${storage.kind}`) },
        { label: t('files_used'), value: <Bytes value={storage.used} /> },
        {
          label: t('disk_free'),
          value: (
            <span className={parts.disk ? undefined : 'status-bad'}>
              <Bytes value={storage.free} />
            </span>
          ),
        },
        { label: t('certificate'), value: <Certificate of={certificate} /> },
        { label: t('certificate_ends'), value: certificate.ends_at && <DateTime at={certificate.ends_at} /> },
        { label: t('certificate_error'), value: certificate.error, is_wide: true },
        { label: t('backup'), value: <Backup of={backup} /> },
        { label: t('backup_size'), value: backup && <Bytes value={backup.bytes} /> },
      ]}
    />
  )
}

function Certificate({ of: { kind, ends_at, error } }: { of: ServerStatus['certificate'] }) {
  const { t } = useTranslation('server-status')
  const left_ms = ends_at === null ? Infinity : new Date(ends_at).getTime() - Date.now()
  const is_missing = kind === 'acme' && ends_at === null
  const tone = is_missing || left_ms <= 0 ? 'bad' : error !== null || left_ms < ends_soon_ms ? 'warn' : 'quiet'
  return <StateBadge tone={tone}>{t(`certificate_of.${kind}`)}</StateBadge>
}

function Backup({ of }: { of: ServerStatus['backup'] }) {
  const { t } = useTranslation('server-status')
  if (of === null) return <StateBadge tone="warn">{t('no_backup')}</StateBadge>
  const is_old = Date.now() - new Date(of.at).getTime() > backup_old_ms
  return (
    <StateBadge tone={is_old ? 'warn' : 'good'}>
      <Ago at={of.at} />
    </StateBadge>
  )
}

function FailedJobs({ rows }: { rows: ServerStatus['failed_jobs'] }) {
  const { t } = useTranslation('server-status')
  const columns: Column<ServerStatus['failed_jobs'][number]>[] = [
    { key: 'name', title: t('column.job'), render: (_, { name }) => <span className="code">{name}</span> },
    { key: 'at', title: t('column.failed'), render: (_, { at }) => at && <DateTime at={at} /> },
    { key: 'error', title: t('column.error'), render: (_, { error }) => <Clipped text={error} /> },
  ]
  return <ListTable rows={rows} columns={columns} rowKey="name" />
}

import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { FleetBuild, Out } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { dayText, useCount } from '../../ui/value/format.ts'
import { Code, OrDash } from '../../ui/value/values.tsx'

const days = 90

/** Which versions the fleet runs now, and how that came about. */
export function FleetVersions() {
  const { t } = useTranslation('os-push')
  const count = useCount()
  const may_list = useMay('deviceList')
  const may_push = useMay('userOsPush')
  const query = useCall(api.osVersion.fleet, { days })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  const { now = [], behind = 0, days: past = [] } = query.data ?? {}
  const most = Math.max(1, ...now.map((build) => build.devices))
  const columns: Column<FleetBuild>[] = [
    {
      key: 'os_version',
      title: t('column.version'),
      render: (_, { os_version, ver }) => (
        <>
          <OrDash>
            {os_version && (may_list ? <Link to={link.deviceList.to({ os_version })}>{os_version}</Link> : os_version)}
          </OrDash>{' '}
          {ver !== null && <span className="dim">VER {ver}</span>}
        </>
      ),
    },
    { key: 'uid', title: 'UID', render: (_, { uid }) => <Code value={uid} /> },
    {
      key: 'devices',
      title: t('column.devices'),
      render: (_, build) => (
        <span className="os-share">
          <span className="os-share-bar" aria-hidden>
            <i style={{ width: `${(build.devices / most) * 100}%` }} />
          </span>
          <span className="number">{count(build.devices)}</span>
        </span>
      ),
    },
    {
      key: 'newest',
      title: t('column.newest'),
      render: (_, { newest, uid }) =>
        newest ? (
          may_push ? (
            <Link to={link.userOsPush.to({ version: newest.kid })}>
              {t('update_to', { version: newest.os_version })}
            </Link>
          ) : (
            newest.os_version
          )
        ) : (
          <span className="dim">{t(uid ? 'up_to_date' : 'uid_unknown')}</span>
        ),
    },
  ]
  return (
    <>
      <p className="os-behind" role="status">
        {query.data && t('behind.count', { count: behind, shown: count(behind) })}
      </p>
      <ListTable<FleetBuild>
        rows={now}
        columns={columns}
        rowKey={({ uid, os_version, version_code, ver }) => [uid, os_version, version_code, ver].join(' ')}
        loading={query.isPending}
        page_size={20}
      />
      {past.length > 0 && <OverTime past={past} />}
    </>
  )
}

type Past = Out<typeof api.osVersion.fleet>['days']
const colours = 6
/** A column for each day, a colour for each version; the numbers stand in a table for those who do not see it. */
function OverTime({ past }: { past: Past }) {
  const { t } = useTranslation('os-push')
  const count = useCount()
  const totals = new Map<string, number>()
  for (const { os_version, devices } of past) totals.set(os_version, (totals.get(os_version) ?? 0) + devices)
  const versions = [...totals].toSorted((a, b) => b[1] - a[1]).map(([version]) => version)
  const byDay = new Map<string, Past>()
  for (const one of past) byDay.set(one.day, [...(byDay.get(one.day) ?? []), one])
  const top = Math.max(1, ...[...byDay.values()].map((rows) => rows.reduce((sum, { devices }) => sum + devices, 0)))
  const colourOf = (version: string) => Math.min(versions.indexOf(version), colours - 1)
  return (
    <section className="os-over-time" aria-label={t('over_time')}>
      <h2>{t('over_time')}</h2>
      <div className="os-days" aria-hidden>
        {[...byDay].map(([day, rows]) => (
          <span key={day} className="os-day" title={dayText(day)}>
            {rows
              .toSorted((a, b) => versions.indexOf(a.os_version) - versions.indexOf(b.os_version))
              .map(({ os_version, devices }) => (
                <i
                  key={os_version}
                  data-colour={colourOf(os_version)}
                  title={`${dayText(day)} ${os_version}: ${count(devices)}`}
                  style={{ height: `${(devices / top) * 100}%` }}
                />
              ))}
          </span>
        ))}
      </div>
      <ul className="os-legend">
        {versions.slice(0, colours).map((version) => (
          <li key={version}>
            <i data-colour={colourOf(version)} aria-hidden />
            {version || t('unknown')}
          </li>
        ))}
      </ul>
      <table className="visually-hidden">
        <caption>{t('over_time')}</caption>
        <tbody>
          {past.slice(-200).map(({ day, os_version, devices }) => (
            <tr key={`${day} ${os_version}`}>
              <th scope="row">{dayText(day)}</th>
              <td>{os_version}</td>
              <td>{count(devices)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

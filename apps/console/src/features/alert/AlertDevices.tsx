import { Button, Pagination } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { alertKinds } from '@mdm/contract'
import type { Alert, AlertDevice } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, Code, DateTime } from '../../ui/value/values.tsx'
import { AlertStateBadge } from './AlertStateBadge.tsx'
import { severityTones } from './tones.ts'
import './alert.css'

const page_size = 20

type Props = { alert: Alert; onAcknowledge: () => void; onResolve: () => void; onClose: () => void }
/** An alert: how it stands, which devices it is about, those for which it is over too, and what can be done. */
export function AlertDevices({ alert, onAcknowledge, onResolve, onClose }: Props) {
  const { t } = useTranslation('alert')
  const [page, setPage] = useState(1)
  const query = useCall(api.alert.paging_terminal, { alert_kid: alert.kid, page, page_size }, { keepPrevious: true })
  const columns: Column<AlertDevice>[] = [
    {
      key: 'sn',
      title: t('devices.sn'),
      render: (_, row) => (
        <Link to={link.deviceDetailInfo.to({ kid: row.kid })}>
          <Code value={row.sn} />
        </Link>
      ),
    },
    { key: 'name', title: t('devices.name'), render: (_, row) => row.name },
    { key: 'fired_at', title: t('devices.fired'), render: (_, row) => <Ago at={row.fired_at} /> },
    {
      key: 'cleared_at',
      title: t('devices.cleared'),
      render: (_, row) => (row.cleared_at ? <Ago at={row.cleared_at} /> : t('devices.firing')),
    },
  ]
  const data = query.data
  return (
    <Drawer
      size={720}
      title={t('devices.of', { name: alert.name })}
      onClose={onClose}
      footer={
        alert.state !== 'resolved' && (
          <May needs="alertList:handle">
            <div className="submit-bar">
              {alert.state === 'open' && (
                <Button type="primary" onClick={onAcknowledge}>
                  {t('acknowledge')}
                </Button>
              )}
              <Button onClick={onResolve}>{t('resolve')}</Button>
            </div>
          </May>
        )
      }
    >
      <Standing of={alert} />
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={!!data} />}
      {query.isPending && <SkeletonRows columns={columns.length} label={t('devices.of', { name: alert.name })} />}
      {data && data.total === 0 && <Empty title={t('devices.empty')} hint={t('devices.empty_hint')} />}
      {data && data.total > 0 && (
        <>
          <ListTable<AlertDevice> rows={data.items} columns={columns} />
          <Pagination
            size="small"
            current={page}
            pageSize={page_size}
            total={Math.min(data.total, 10_000)}
            showSizeChanger={false}
            hideOnSinglePage
            onChange={setPage}
          />
        </>
      )}
    </Drawer>
  )
}

/** In one line: how bad it is, since when, and in whose hands. */
function Standing({ of: alert }: { of: Alert }) {
  const { t } = useTranslation('alert')
  const textOf = useTextOf()
  return (
    <p className="alert-standing">
      <AlertStateBadge state={alert.state} />
      <StateBadge tone={severityTones[alert.severity]}>{t(`severity.${alert.severity}`)}</StateBadge>
      <span>{textOf(alertKinds[alert.kind].title)}</span>
      <span className="dim">
        {t('column.opened')} <DateTime at={alert.opened_at} />
      </span>
      {alert.acknowledged_by && (
        <span className="dim">
          {t('column.handled')} {alert.acknowledged_by}
        </span>
      )}
      {alert.resolved_at && (
        <span className="dim">
          {t('column.resolved')} <DateTime at={alert.resolved_at} /> {alert.resolved_by ?? t('column.itself')}
        </span>
      )}
      {alert.is_silenced && <span className="dim">{t('silenced')}</span>}
    </p>
  )
}

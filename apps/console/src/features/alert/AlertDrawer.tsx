import { Button, Pagination } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { alertKinds } from '@mdm/contract'
import type { Alert, AlertDevice } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { May } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { DeviceSn } from '../../shared/device/DeviceSn.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, DateTime } from '../../ui/value/values.tsx'
import { AlertFacts } from './AlertFacts.tsx'
import { AlertHistory } from './AlertHistory.tsx'
import { AlertStateBadge } from './AlertStateBadge.tsx'
import { severityTones } from './tones.ts'
import type { Handling } from './use-handling.ts'
import './alert.css'

const page_size = 10

type Props = {
  alert: Alert
  handling: Handling
  onAcknowledge: () => void
  onResolve: () => void
  onNote: () => void
  onClose: () => void
}
/** An alert: how it stands, who looks after it, what it comes from, its devices, and what happened to it. */
export function AlertDrawer({ alert, handling, onAcknowledge, onResolve, onNote, onClose }: Props) {
  const { t } = useTranslation('alert')
  const is_of_devices = alertKinds[alert.kind].subject === 'device'
  return (
    <Drawer
      size={760}
      title={t('drawer', { name: alert.name })}
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
      <AlertFacts alert={alert} handling={handling} onNote={onNote} />
      {is_of_devices && <Devices alert={alert} />}
      <AlertHistory kid={alert.kid} />
    </Drawer>
  )
}

/** Those for which it is over, too. */
function Devices({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alert')
  const [page, setPage] = useState(1)
  const query = useCall(api.alert.paging_terminal, { alert_kid: alert.kid, page, page_size }, { keepPrevious: true })
  const columns: Column<AlertDevice>[] = [
    { key: 'sn', title: t('devices.sn'), render: (_, row) => <DeviceSn kid={row.kid} sn={row.sn} /> },
    { key: 'name', title: t('devices.name'), render: (_, row) => row.name },
    { key: 'fired_at', title: t('devices.fired'), render: (_, row) => <Ago at={row.fired_at} /> },
    {
      key: 'cleared_at',
      title: t('devices.cleared'),
      render: (_, row) => (row.cleared_at ? <Ago at={row.cleared_at} /> : t('devices.firing')),
    },
  ]
  const { data } = query
  return (
    <section className="alert-section" aria-label={t('devices.title')}>
      <h3>{t('devices.title')}</h3>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={!!data} />}
      {query.isPending && <SkeletonRows columns={columns.length} label={t('devices.title')} />}
      {data && data.total === 0 && <p className="dim">{t('devices.empty')}</p>}
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
    </section>
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

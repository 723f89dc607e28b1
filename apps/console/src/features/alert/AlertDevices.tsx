import { Drawer, Pagination } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Alert, AlertDevice } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Failure } from '../../ui/Failure.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { Ago, OrDash } from '../../ui/value/values.tsx'

const page_size = 20

/** Which devices an alert is about, those for which it is over too. */
export function AlertDevices({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const { t } = useTranslation('alert')
  const [page, setPage] = useState(1)
  const query = useCall(api.alert.paging_terminal, { alert_kid: alert.kid, page, page_size }, { keepPrevious: true })
  const columns: Column<AlertDevice>[] = [
    {
      key: 'sn',
      title: t('devices.sn'),
      render: (_, row) => <Link to={link.deviceDetailInfo.to({ kid: row.kid })}>{row.sn}</Link>,
    },
    { key: 'name', title: t('devices.name'), render: (_, row) => <OrDash>{row.name}</OrDash> },
    { key: 'fired_at', title: t('devices.fired'), render: (_, row) => <Ago at={row.fired_at} /> },
    {
      key: 'cleared_at',
      title: t('devices.cleared'),
      render: (_, row) => (row.cleared_at ? <Ago at={row.cleared_at} /> : t('devices.firing')),
    },
  ]
  const data = query.data
  return (
    <Drawer open size={720} title={t('devices.of', { name: alert.name })} onClose={onClose}>
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

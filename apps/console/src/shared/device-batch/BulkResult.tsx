import { ArrowLeftOutlined, MobileOutlined } from '@ant-design/icons'
import { Button, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { batchRowStates } from '@mdm/contract'
import type { BatchJob, BatchResultRow, BatchRowState, Paged } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { DeviceSn } from '../device/DeviceSn.tsx'
import { JobFacts, JobFiles } from './job-facts.tsx'
import type { BulkSide } from './sides.ts'

const tones: Record<BatchRowState, Tone> = { waiting: 'quiet', ok: 'good', already: 'quiet', refused: 'bad' }
const page_size = 20
const live_ms = 2_000
type Props = { side: BulkSide; job: BatchJob; onBack: () => void }

/** What came of each row of a sheet, as long as that is kept, and the way to its devices. */
export function BulkResult({ side, job, onBack }: Props) {
  const { t } = useTranslation('device-batch')
  const count = useCount()
  const [state, setState] = useState<BatchRowState | 'all'>('all')
  const [page, setPage] = useState(1)
  const { schedule_version, done, total, ok, failed, already } = job
  const asked = { ...side.rows.input, schedule_version, page, page_size, ...(state !== 'all' && { state }) }
  const refetchMs = job.state === 'running' ? live_ms : undefined
  const rows = useCall(side.rows.call, asked, { keepPrevious: true, ...(refetchMs && { refetchMs }) })
  const found = rows.data as Paged<BatchResultRow> | undefined
  const counts: Record<BatchRowState, number> = { ok, already, refused: failed - already, waiting: total - done }
  const devices = ok + already
  const columns: Column<BatchResultRow>[] = [
    { key: 'row', title: t('row'), dataIndex: 'row', align: 'right', width: 70 },
    {
      key: 'sn',
      title: t('column.sn'),
      width: 180,
      render: (_, { sn, terminal_kid: kid }) => (kid && side.devices ? <DeviceSn kid={kid} sn={sn} /> : sn),
    },
    {
      key: 'state',
      title: t('outcome'),
      render: (_, row) => (
        <>
          <StateBadge tone={tones[row.state]}>{t(`${side.texts}.row_state.${row.state}`)}</StateBadge>
          {row.state === 'refused' && <p className="bulk-fault">{row.message}</p>}
        </>
      ),
    },
    ...side.columns
      .filter((column) => column !== 'sn' && column !== 'verification_code')
      .map((column) => ({ key: column, title: t(`column.${column}`), dataIndex: column })),
  ]
  return (
    <div className="bulk-preview">
      <div role="status">
        <JobFacts side={side} job={job} />
      </div>
      <Segmented
        aria-label={t('show')}
        value={state}
        onChange={(chosen) => {
          setState(chosen)
          setPage(1)
        }}
        options={(['all', ...batchRowStates] as const)
          .filter((each) => each === 'all' || each === state || counts[each] > 0)
          .map((value) => ({
            value,
            label:
              value === 'all'
                ? t('show_all')
                : t('state_count', { name: t(`${side.texts}.row_state.${value}`), count: count(counts[value]) }),
          }))}
      />
      {rows.error && <Failure error={rows.error} retry={() => void rows.refetch()} />}
      <ListTable<BatchResultRow>
        rowKey="row"
        columns={columns}
        rows={found?.items ?? []}
        loading={rows.isPending}
        scroll={{ x: 640 }}
        tableLayout="fixed"
        page_size={page_size}
        paging={{ page, total: found?.total ?? 0, onPage: setPage }}
      />
      <div className="bulk-start">
        {side.devices && devices > 0 && (
          <Link className="bulk-devices" to={side.devices(job)}>
            <MobileOutlined aria-hidden /> {t('show_devices', { count: devices, shown: count(devices) })}
          </Link>
        )}
        {job.state !== 'running' && <JobFiles side={side} job={job} />}
        <Button icon={<ArrowLeftOutlined aria-hidden />} onClick={onBack}>
          {t('back')}
        </Button>
      </div>
    </div>
  )
}

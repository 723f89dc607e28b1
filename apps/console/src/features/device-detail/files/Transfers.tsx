import { DownloadOutlined, StopOutlined } from '@ant-design/icons'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { DeviceTransfer } from '@mdm/contract'
import { Bytes, DateTime } from '../../../ui/value/values.tsx'
import { ProgressBar } from '../../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { visibleName } from './device-names.ts'
import { transferTone, useTransferReason } from './transfer-labels.ts'
import './device-files.css'

type Props = {
  rows: readonly DeviceTransfer[]
  label: string
  /** Logs have one direction only. */
  has_kind?: boolean
  onStop?: (row: DeviceTransfer) => void
}

/** Files on their way from or to a device, and what became of them; live. */
export function Transfers({ rows, label, has_kind = false, onStop }: Props) {
  const { t } = useTranslation(['device-detail/files', 'common'])
  const actionsOf = (row: DeviceTransfer): RowAction[] => {
    const name = visibleName(row.name)
    const save = t('transfers.save_of', { name })
    return [
      ...(row.url && row.kind !== 'upload'
        ? [
            {
              label: save,
              own: (
                <a href={row.url} download={row.name} aria-label={save} title={t('transfers.save')}>
                  <DownloadOutlined aria-hidden />
                </a>
              ),
            },
          ]
        : []),
      ...(row.state === 'running' && onStop
        ? [
            {
              icon: <StopOutlined aria-hidden />,
              label: t('transfers.stop_of', { name }),
              hint: t('transfers.stop'),
              onSelect: () => onStop(row),
            },
          ]
        : []),
    ]
  }
  return (
    <ListTable<DeviceTransfer>
      aria-label={label}
      rows={[...rows]}
      columns={[
        {
          key: 'name',
          title: t('transfers.file'),
          render: (_, row) => (
            <span className="device-file-name" title={visibleName(row.path || row.name)}>
              <bdi>{visibleName(row.name)}</bdi>
            </span>
          ),
        },
        ...(has_kind
          ? [
              {
                key: 'kind',
                title: t('transfers.kind'),
                render: (_: unknown, row: DeviceTransfer) => t(`kind.${row.kind}`),
              },
            ]
          : []),
        { key: 'state', title: t('common:state'), render: (_, row) => <TransferState row={row} /> },
        { key: 'size', title: t('size'), align: 'right', render: (_, row) => <Bytes value={row.size} /> },
        { key: 'by', title: t('transfers.by'), dataIndex: 'created_by' },
        { key: 'created_at', title: t('transfers.begun'), render: (_, row) => <DateTime at={row.created_at} /> },
      ]}
      nameOf={({ name }) => visibleName(name)}
      rowActions={actionsOf}
    />
  )
}

function TransferState({ row }: { row: DeviceTransfer }) {
  const { t } = useTranslation('device-detail/files')
  const reason = useTransferReason()(row)
  const percent = Math.round(row.progress)
  return (
    <span className="device-transfer-state">
      <StateBadge tone={transferTone[row.state]}>{t(`state.${row.state}`)}</StateBadge>
      {row.state === 'running' && <ProgressBar percent={percent} label={t('transfers.progress', { percent })} />}
      {reason && <span className="device-transfer-why">{reason}</span>}
    </span>
  )
}

import { Button, Segmented, Table } from 'antd'
import type { TableColumnsType } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BatchPreview } from '@mdm/contract'
import { GroupPicker } from '../../pickers/GroupPicker.tsx'
import { Because } from '../../screen/Because.tsx'

type Row = BatchPreview['rows'][number]
type Props = {
  preview: BatchPreview
  group: string
  /** Why nothing can be started now. */
  because: string | undefined
  is_starting: boolean
  onStart: (terminal_group_kid: string) => void
  onAnother: () => void
}

/** Every row of the sheet with what would become of it; rows with problems come first to mind, so they can be had alone. */
export function BulkPreview({ preview, group, because, is_starting, onStart, onAnother }: Props) {
  const { t } = useTranslation('device-batch')
  const [only_bad, setOnlyBad] = useState(preview.bad > 0)
  const [target, setTarget] = useState(group)
  const group_id = useId()
  const reason = preview.good === 0 ? t('nothing_good') : because
  const rows = only_bad ? preview.rows.filter(({ faults }) => faults) : preview.rows
  const columns: TableColumnsType<Row> = [
    { key: 'row', title: t('row'), dataIndex: 'row', align: 'right', width: 70 },
    { key: 'sn', title: t('sn'), dataIndex: 'sn' },
    { key: 'work_order', title: t('work_order'), dataIndex: 'work_order' },
    { key: 'code', title: t('code'), dataIndex: 'verification_code' },
    { key: 'name', title: t('alias'), dataIndex: 'name' },
    {
      key: 'faults',
      title: t('problem'),
      render: (_, { faults = [] }) => faults.map(({ message }) => <p key={message} className="bulk-fault">{message}</p>), // prettier-ignore
    },
  ]
  return (
    <div className="bulk-preview">
      <ul className="bulk-facts" role="status">
        <li data-tone="good">{t('good', { count: preview.good })}</li>
        {preview.bad > 0 && <li data-tone="bad">{t('bad', { count: preview.bad })}</li>}
        <li>{t('room', { count: preview.room })}</li>
        {preview.unknown_columns.length > 0 && (
          <li data-tone="warn">{t('unknown_columns', { names: preview.unknown_columns.join(', ') })}</li>
        )}
      </ul>
      <Segmented
        aria-label={t('show')}
        value={only_bad}
        onChange={setOnlyBad}
        options={[
          { value: false, label: t('show_all') },
          { value: true, label: t('show_bad') },
        ]}
      />
      <Table<Row>
        size="small"
        rowKey="row"
        columns={columns}
        dataSource={rows}
        scroll={{ x: 'max-content' }}
        pagination={{ pageSize: 20, showSizeChanger: false, hideOnSinglePage: true }}
        locale={{ emptyText: t('none_bad') }}
      />
      <div className="bulk-start">
        <label htmlFor={group_id}>{t('group')}</label>
        <GroupPicker id={group_id} value={target} onChange={setTarget} special={['NO_GROUP']} />
        <Because because={reason}>
          <Button type="primary" disabled={reason !== undefined} loading={is_starting} onClick={() => onStart(target)}>
            {t('start', { count: preview.good })}
          </Button>
        </Because>
        <Button onClick={onAnother}>{t('another')}</Button>
      </div>
    </div>
  )
}

import { Button, Segmented } from 'antd'
import { useId, useState } from 'react'
import { listText } from '../../i18n/list-text.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import type { BulkSide, Preview, PreviewRow } from './sides.ts'

type Props = {
  side: BulkSide
  preview: Preview
  /** Of the file. */
  name: string
  group: string
  /** Why nothing can be started now. */
  because: string | undefined
  is_starting: boolean
  onStart: (terminal_group_kid: string) => void
  onAnother: () => void
}

/** Every row of the sheet with what would become of it; rows with problems come first to mind, so they can be had alone. */
export function BulkPreview({ side, preview, name, group, because, is_starting, onStart, onAnother }: Props) {
  const { t } = useTranslation('device-batch')
  const shown = useCount()
  const { texts } = side
  const { good, bad, room, unknown_columns } = preview
  const [only_bad, setOnlyBad] = useState(bad > 0)
  const [target, setTarget] = useState(group)
  const group_id = useId()
  const reason = good === 0 ? t(`${texts}.nothing_good`) : because
  const rows = only_bad ? preview.rows.filter(({ faults }) => faults) : preview.rows
  const columns: Column<PreviewRow>[] = [
    { key: 'row', title: t('row'), dataIndex: 'row', align: 'right', width: 70 },
    {
      key: 'faults',
      title: t('problem'),
      width: 240,
      render: (_, { faults = [] }) =>
        faults.map(({ message }) => (
          <p key={message} className="bulk-fault">
            {message}
          </p>
        )),
    },
    ...side.columns.map((column) => ({ key: column, title: t(`column.${column}`), dataIndex: column })),
  ]
  return (
    <div className="bulk-preview">
      <p className="bulk-name">{name}</p>
      <div role="status">
        <ul className="bulk-facts">
          <li data-tone="good">{t(`${texts}.good`, { count: good, shown: shown(good) })}</li>
          {bad > 0 && <li data-tone="bad">{t('bad', { count: bad, shown: shown(bad) })}</li>}
          {room !== undefined && <li>{t('room', { shown: shown(room) })}</li>}
          {unknown_columns.length > 0 && (
            <li data-tone="warn">{t('unknown_columns', { names: listText(unknown_columns) })}</li>
          )}
        </ul>
      </div>
      <Segmented
        aria-label={t('show')}
        value={only_bad}
        onChange={setOnlyBad}
        options={[
          { value: false, label: t('show_all') },
          { value: true, label: t('show_bad') },
        ]}
      />
      <ListTable<PreviewRow>
        rowKey="row"
        columns={columns}
        rows={rows}
        scroll={{ x: 640 }}
        tableLayout="fixed"
        page_size={20}
        locale={{ emptyText: t(only_bad ? 'none_bad' : `${texts}.nothing_good`) }}
      />
      <div className="bulk-start">
        {side.groups && (
          <>
            <label htmlFor={group_id}>{t('group')}</label>
            <GroupPicker id={group_id} of={side.groups} value={target} onChange={setTarget} special={['NO_GROUP']} />
          </>
        )}
        <DisabledReason because={reason}>
          <Button type="primary" disabled={reason !== undefined} loading={is_starting} onClick={() => onStart(target)}>
            {t(`${texts}.start`, { count: good, shown: shown(good) })}
          </Button>
        </DisabledReason>
        <Button onClick={onAnother}>{t('another')}</Button>
      </div>
    </div>
  )
}

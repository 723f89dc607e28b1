import { Button, Checkbox, Input, Segmented } from 'antd'
import { useId, useState } from 'react'
import { CallFailed } from '../../core/call-failed.ts'
import { listText } from '../../i18n/list-text.ts'
import { Failure } from '../../ui/Failure.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { BatchColumn } from '@mdm/contract'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { mend, rowsToCheck, withChecked, withGroups } from './mending.ts'
import type { Mended } from './mending.ts'
import type { BulkSide, Preview, PreviewRow, StartTarget } from './sides.ts'

type Props = {
  side: BulkSide
  preview: Preview
  /** Of the file. */
  name: string
  group: string
  /** Why nothing can be started now. */
  disabled_reason: string | undefined
  is_starting: boolean
  onStart: (rows: PreviewRow[], to: StartTarget) => void
  onAnother: () => void
}
const named_groups = 5
const cell_max = 1_000

/** Every row of the sheet with what would become of it. Rows with problems come first to mind: they can be had alone, and mended. */
export function BulkPreview({
  side,
  preview: read,
  name,
  group,
  disabled_reason,
  is_starting,
  onStart,
  onAnother,
}: Props) {
  const { t } = useTranslation('device-batch')
  const shown = useCount()
  const { texts } = side
  const [checked, setChecked] = useState(read)
  const [mended, setMended] = useState<Mended>(new Map())
  const [creates_groups, setCreating] = useState(false)
  const [is_checking, setChecking] = useState(false)
  const [error, setError] = useState<CallFailed | null>(null)
  const [only_bad, setOnlyBad] = useState(read.bad > 0)
  const [target, setTarget] = useState(group)
  const group_id = useId()
  const { missing_groups = [] } = checked
  const { good, bad, rows: all } = creates_groups ? withGroups(checked) : checked
  const reason = mended.size > 0 ? t('check_first') : good === 0 ? t(`${texts}.nothing_good`) : disabled_reason

  const check = async () => {
    setError(null)
    setChecking(true)
    try {
      setChecked(withChecked(checked, await side.preview({ rows: rowsToCheck(checked, mended) })))
      setMended(new Map())
    } catch (failed) {
      if (!(failed instanceof CallFailed)) throw failed
      setError(failed)
    } finally {
      setChecking(false)
    }
  }
  const write = (row: PreviewRow, column: BatchColumn, value: string) => {
    const { [column]: _, ...others } = mended.get(row.row) ?? {}
    const cells = value === (row[column] ?? '') ? others : { ...others, [column]: value }
    const next = new Map(mended)
    if (Object.keys(cells).length > 0) next.set(row.row, cells)
    else next.delete(row.row)
    setMended(next)
  }
  const cell = (row: PreviewRow, column: BatchColumn) =>
    row.faults || mended.has(row.row) ? (
      <Input
        size="small"
        maxLength={cell_max}
        disabled={is_checking}
        aria-label={t('cell', { column: t(`column.${column}`), row: row.row })}
        value={mend(row, mended)[column] ?? ''}
        onChange={({ target: { value } }) => write(row, column, value)}
        onPressEnter={() => void (mended.size > 0 && check())}
      />
    ) : (
      row[column]
    )
  const columns: Column<PreviewRow>[] = [
    { key: 'row', title: t('row'), dataIndex: 'row', align: 'right', width: 64 },
    {
      key: 'faults',
      title: t('problem'),
      width: 220,
      render: (_, { faults = [] }) =>
        faults.map(({ message }) => (
          <p key={message} className="bulk-fault">
            {message}
          </p>
        )),
    },
    ...side.columns.map((column) => ({
      key: column,
      title: t(`column.${column}`),
      render: (_: unknown, row: PreviewRow) => cell(row, column),
    })),
  ]
  return (
    <div className="bulk-preview">
      <p className="bulk-name">{name}</p>
      <div role="status">
        <PreviewFacts side={side} preview={{ ...checked, good, bad }} />
      </div>
      {missing_groups.length > 0 && (
        <Checkbox checked={creates_groups} onChange={({ target: { checked: is_on } }) => setCreating(is_on)}>
          {t('create_groups', {
            count: missing_groups.length,
            shown: shown(missing_groups.length),
            names: listText([
              ...missing_groups.slice(0, named_groups),
              ...(missing_groups.length > named_groups ? ['…'] : []),
            ]),
          })}
        </Checkbox>
      )}
      <Segmented
        aria-label={t('show')}
        value={only_bad}
        onChange={setOnlyBad}
        options={[
          { value: false, label: t('show_all') },
          { value: true, label: t('show_bad') },
        ]}
      />
      {bad > 0 && <p className="dim">{t('mend_hint')}</p>}
      {error && <Failure error={error} is_line />}
      <ListTable<PreviewRow>
        rowKey="row"
        columns={columns}
        rows={only_bad ? all.filter(({ faults, row }) => faults || mended.has(row)) : all}
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
        {mended.size > 0 && (
          <Button type="primary" loading={is_checking} onClick={() => void check()}>
            {t('check', { count: mended.size, shown: shown(mended.size) })}
          </Button>
        )}
        <DisabledReason disabled_reason={reason}>
          <Button
            type={mended.size > 0 ? 'default' : 'primary'}
            disabled={reason !== undefined}
            loading={is_starting}
            onClick={() => onStart(checked.rows, { group: target, creates_groups })}
          >
            {t(`${texts}.start`, { count: good, shown: shown(good) })}
          </Button>
        </DisabledReason>
        <Button onClick={onAnother}>{t('another')}</Button>
      </div>
    </div>
  )
}

/** What the file is, and what would become of its rows. */
function PreviewFacts({ side: { texts }, preview }: { side: BulkSide; preview: Preview }) {
  const { t } = useTranslation('device-batch')
  const shown = useCount()
  const { good, bad, room, unknown_columns, sheet, other_sheets } = preview
  return (
    <ul className="bulk-facts">
      <li data-tone="good">{t(`${texts}.good`, { count: good, shown: shown(good) })}</li>
      {bad > 0 && <li data-tone="bad">{t('bad', { count: bad, shown: shown(bad) })}</li>}
      {room !== undefined && <li {...(room < good && { 'data-tone': 'bad' })}>{t('room', { shown: shown(room) })}</li>}
      {sheet !== null && other_sheets.length > 0 && (
        <li data-tone="warn">{t('other_sheets', { read: sheet, names: listText(other_sheets) })}</li>
      )}
      {unknown_columns.length > 0 && (
        <li data-tone="warn">{t('unknown_columns', { names: listText(unknown_columns) })}</li>
      )}
    </ul>
  )
}

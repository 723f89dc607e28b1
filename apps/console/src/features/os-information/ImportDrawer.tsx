import { DownloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { columnsOf, information_limits, informationLists } from '@mdm/contract'
import type { InformationKey, InformationPreview } from '@mdm/contract'
import { api, download, send, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { listText } from '../../i18n/list-text.ts'
import { Save } from '../../shared/device-batch/Save.tsx'
import { SheetChoice } from '../../shared/device-batch/SheetChoice.tsx'
import '../../shared/device-batch/bulk.css'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { useCount } from '../../ui/value/format.ts'

type Row = InformationPreview['rows'][number]
type Checked = { preview: InformationPreview; name: string }

/** Rows of a list from a sheet: chosen, looked at, then those without a problem are imported. */
export function ImportDrawer({ of, onClose }: { of: InformationKey; onClose: () => void }) {
  const { t } = useTranslation(['os-information', 'device-batch'])
  const textOf = useTextOf()
  const calls = api[`ops${(of.charAt(0).toUpperCase() + of.slice(1)) as Capitalize<InformationKey>}`]
  const [checked, setChecked] = useState<Checked | null>(null)
  const write = useWrite(calls.import, {
    onSuccess: ({ imported, left_out }) => {
      notify.ok(t('import.done', { count: imported }))
      if (left_out.length > 0) notify.fail(new Error(t('import.left_out', { codes: listText(left_out) })))
      onClose()
    },
  })
  return (
    <Drawer
      rootClassName="bulk-drawer"
      className="form-drawer"
      size={checked ? 900 : 640}
      title={t('import.title', { list: textOf(informationLists[of].many) })}
      onClose={onClose}
    >
      {write.error && <Failure error={write.error} is_line />}
      {checked ? (
        <Preview
          {...checked}
          of={of}
          is_loading={write.isPending}
          onImport={(rows) => write.mutate({ rows: rows.map(({ row: _row, faults: _faults, ...draft }) => draft) })}
          onAnother={() => setChecked(null)}
        />
      ) : (
        <>
          <p className="dim bulk-hint">{t('import.hint')}</p>
          <div className="bulk-files">
            <Save icon={<DownloadOutlined aria-hidden />} save={() => download(calls.template, {})}>
              {t('device-batch:template')}
            </Save>
          </div>
          <SheetChoice
            rows_max={information_limits.import_rows}
            bytes_max={information_limits.sheet_bytes}
            preview={(upload_kid) => send(calls.preview_import, { upload_kid })}
            onChecked={(preview, name) => setChecked({ preview, name })}
          />
        </>
      )}
    </Drawer>
  )
}

type PreviewProps = Checked & {
  of: InformationKey
  is_loading: boolean
  onImport: (rows: readonly Row[]) => void
  onAnother: () => void
}
function Preview({ preview, name, of, is_loading, onImport, onAnother }: PreviewProps) {
  const { t } = useTranslation(['os-information', 'device-batch'])
  const count = useCount()
  const { rows, good, bad, unknown_columns } = preview
  const reason = good === 0 ? t('import.nothing_good') : undefined
  const columns: Column<Row>[] = [
    { key: 'row', title: t('device-batch:row'), dataIndex: 'row', align: 'right', width: 70 },
    {
      key: 'faults',
      title: t('device-batch:problem'),
      width: 260,
      render: (_, { faults }) =>
        faults.map(({ field, message }) => (
          <p key={`${field} ${message}`} className="bulk-fault">
            {message}
          </p>
        )),
    },
    ...columnsOf(informationLists[of]).map((column) => ({
      key: column,
      title: t(`column.${column}`),
      render: (_: unknown, row: Row) => row[column],
    })),
  ]
  return (
    <div className="bulk-preview">
      <p className="bulk-name">{name}</p>
      <div role="status">
        <ul className="bulk-facts">
          <li data-tone="good">{t('import.good', { count: good, shown: count(good) })}</li>
          {bad > 0 && <li data-tone="bad">{t('import.bad', { count: bad, shown: count(bad) })}</li>}
          {unknown_columns.length > 0 && (
            <li data-tone="warn">{t('device-batch:unknown_columns', { names: listText(unknown_columns) })}</li>
          )}
        </ul>
      </div>
      <ListTable<Row>
        rowKey="row"
        columns={columns}
        // Rows with problems come first to mind.
        rows={rows.toSorted((a, b) => Number(b.faults.length > 0) - Number(a.faults.length > 0) || a.row - b.row)}
        scroll={{ x: 720 }}
        page_size={20}
      />
      <div className="bulk-start">
        <DisabledReason disabled_reason={reason}>
          <Button
            type="primary"
            disabled={reason !== undefined}
            loading={is_loading}
            onClick={() => onImport(rows.filter(({ faults }) => faults.length === 0))}
          >
            {t('import.submit', { count: good, shown: count(good) })}
          </Button>
        </DisabledReason>
        <Button onClick={onAnother}>{t('device-batch:another')}</Button>
      </div>
    </div>
  )
}

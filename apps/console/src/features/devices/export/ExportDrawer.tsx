import { Button, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { exportFormatNames, exportFormats } from '@mdm/contract'
import type { ExportFormat } from '@mdm/contract'
import type { Sent, TerminalRow } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { ColumnChoice, useColumnsHere } from '../../../ui/list/columns.tsx'
import type { Columns } from '../../../ui/list/columns.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { dateParts, useCount } from '../../../ui/value/format.ts'
import { fileColumns, fileName, rowFields } from '../../../ui/list/list-export.ts'
import type { List } from '../../../ui/list/use-list-table.ts'
import { useZone } from '../../../core/session.tsx'
import { watch } from './export-watch.ts'
import { Exports } from './Exports.tsx'
import './export.css'

type What = 'selected' | 'found' | 'all'
type Asked = Sent<typeof api.terminalExport.export>

/** Devices as a file: which, which of their columns and in which format, and the files of the last days. */
export function ExportDrawer({ list, columns, filter, onClose }: Props) {
  const { t } = useTranslation(['devices/export', 'devices'])
  const zone_id = useZone()
  const fields = rowFields(list.call)
  const here = useColumnsHere({
    ...columns,
    all: columns.all.filter((column) => fileColumns([column], fields).length > 0),
  })
  const named = list.selection.is_match ? [] : list.selection.kids
  const [what, setWhat] = useState<What>(named.length > 0 ? 'selected' : list.is_filtered ? 'found' : 'all')
  const [format, setFormat] = useState<ExportFormat>('csv')
  const query = useCall(api.terminalExport.list_export_schedule, {})
  const start = useWrite(api.terminalExport.export, { done: t('begun'), onSuccess: watch })
  const is_running = query.data?.some(({ state }) => state === 'running') ?? false
  const { sort, order, ...match } = list.input as Asked & NonNullable<Asked['match']>
  const which = { selected: { terminal_kids: [...named] }, found: { match }, all: { match: {} } }[what]
  const begin = () =>
    void start
      .mutateAsync({
        ...which,
        ...(what !== 'selected' && { sort, order }),
        format,
        name: fileName(
          t('devices:title'),
          what === 'found' ? filter : what === 'selected' ? t('file_selected') : '',
          dateParts(Date.now(), zone_id),
        ),
        zone_id,
        columns: fileColumns(here.shown, fields),
      })
      .catch(() => {})
  const known = what === 'selected' ? named.length : what === 'found' || !list.is_filtered ? list.total : undefined
  const disabled_reason = is_running ? t('running') : known === 0 ? t('nothing') : undefined
  const startLabel = useStartLabel(known, what !== 'selected' && !list.total_is_exact)
  return (
    <Drawer
      size={560}
      title={t('title')}
      onClose={onClose}
      footer={
        <div className="export-start">
          <DisabledReason disabled_reason={disabled_reason}>
            <Button type="primary" loading={start.isPending} onClick={begin}>
              {startLabel}
            </Button>
          </DisabledReason>
        </div>
      }
    >
      {start.error && <Failure error={start.error} is_line />}
      <WhatToExport list={list} named={named.length} value={what} onChange={setWhat} />
      <fieldset className="export-part">
        <legend>{t('format')}</legend>
        <Radio.Group
          value={format}
          onChange={(event) => setFormat(event.target.value as ExportFormat)}
          options={exportFormats.map((value) => ({ value, label: exportFormatNames[value] }))}
        />
      </fieldset>
      <fieldset className="export-part">
        <legend>{t('columns')}</legend>
        <p className="dim">{t('columns_hint')}</p>
        <div className="export-columns">
          <ColumnChoice columns={here} />
        </div>
      </fieldset>
      <Exports query={query} />
    </Drawer>
  )
}
type Props = {
  list: List<TerminalRow>
  columns: Columns<TerminalRow>
  /** How the list is filtered, in words. */
  filter: string
  onClose: () => void
}

/** 'Export 1,204 devices', or without the number where nobody has counted them. */
function useStartLabel(known: number | undefined, at_least: boolean): string {
  const { t } = useTranslation('devices/export')
  const count = useCount()
  if (known === undefined || known === 0) return t('start_many')
  return t('start', { count: known, shown: at_least ? `${count(known)}+` : count(known) })
}

type WhatProps = { list: List<TerminalRow>; named: number; value: What; onChange: (what: What) => void }
function WhatToExport({ list, named, value, onChange }: WhatProps) {
  const { t } = useTranslation('devices/export')
  const count = useCount()
  const total = `${count(list.total)}${list.total_is_exact ? '' : '+'}`
  const choices = [
    { value: 'all' as const, label: list.is_filtered ? t('all') : `${t('all')} (${total})` },
    ...(list.is_filtered ? [{ value: 'found' as const, label: `${t('found')} (${total})` }] : []),
    ...(named > 0 ? [{ value: 'selected' as const, label: t('selected', { count: named, shown: count(named) }) }] : []),
  ]
  return (
    <fieldset className="export-part">
      <legend>{t('what')}</legend>
      <Radio.Group
        vertical
        value={value}
        onChange={(event) => onChange(event.target.value as What)}
        options={choices}
      />
    </fieldset>
  )
}

import { DownloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { exportFormatNames, exportFormats } from '@mdm/contract'
import type { ExportFormat } from '@mdm/contract'
import { DropMenu } from '../dialog/DropMenu.tsx'
import { api, useWrite } from '../../core/api.ts'
import type { AnyCall } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { useZone } from '../../core/session.tsx'
import { DisabledReason } from '../dialog/DisabledReason.tsx'
import { dateParts } from '../value/format.ts'
import { fileColumns, fileName, rowFields } from './list-export.ts'
import type { Column } from './ListPage.tsx'

const formats = exportFormats.map((key) => ({ key, label: exportFormatNames[key] }))

type Props<R> = {
  /** What is listed, and with which filters. */
  list: { call: AnyCall; input: Record<string, unknown> }
  /** Of a list without pages: the rows as the screen has them. */
  kids?: readonly string[]
  is_empty: boolean
  title: string
  /** How the list is filtered, in words. */
  filter: string
  columns: readonly Column<R>[]
}

/** The list as a file: what is found and in which order, the columns that are shown, on every page. */
export function ExportButton<R>({ list, kids, is_empty, title, filter, columns: shown }: Props<R>) {
  const { t } = useTranslation('common')
  const zone_id = useZone()
  const prepare = useWrite(api.listExport.insert)
  const columns = fileColumns(shown, rowFields(list.call))
  if (columns.length === 0) return null
  const disabled_reason = is_empty ? t('list.export_nothing') : undefined
  const save = async (format: ExportFormat) => {
    const name = fileName(title, filter, dateParts(Date.now(), zone_id))
    const { call, input } = list
    const made = await prepare.run({
      path: call.path,
      input,
      ...(kids && { kids: [...kids] }),
      format,
      name,
      zone_id,
      columns,
    })
    if (!made) return
    fetchFile(made.url)
    notify.info(t('list.export_begins', { name: `${name}.${format}` }))
  }
  const button = (
    <Button
      type="text"
      icon={<DownloadOutlined aria-hidden />}
      loading={prepare.isPending}
      aria-label={t('list.export')}
      title={disabled_reason ? undefined : t('list.export')}
    />
  )
  if (disabled_reason) return <DisabledReason disabled_reason={disabled_reason}>{button}</DisabledReason>
  return (
    <DropMenu
      placement="bottomRight"
      menu={{ items: [...formats], onClick: ({ key }) => void save(key as ExportFormat) }}
    >
      {button}
    </DropMenu>
  )
}

/** `download` keeps the page where it is, also when the server refuses the file. */
function fetchFile(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}

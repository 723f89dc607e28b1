import { PrinterOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { stagingCodeLimits } from '@mdm/contract'
import type { Out } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { listText } from '../../../i18n/list-text.ts'
import { SheetChoice } from '../../../shared/device-batch/SheetChoice.tsx'
import '../../../shared/device-batch/bulk.css'
import { DateTime } from '../../../ui/value/values.tsx'
import { CodePicture } from './CodePicture.tsx'
import { Printed } from './Printed.tsx'
import type { PrintLayout } from './Printed.tsx'
import type { MakingOptions } from './StagingCodes.tsx'

type Made = Out<typeof api.istageCode.rows>
const layouts = ['6', '12', '24'] as const satisfies PrintLayout[]
/** On the screen, to look at before anything is printed. */
const sampled = 4
const sample_size = 200
const printed_size = 260

type Props = { making: MakingOptions; name: string; variables: readonly string[] }

/** A label for each row of a spreadsheet, whose columns are the variables of the configuration. */
export function CodeLabels({ making, name, variables }: Props) {
  const { t } = useTranslation('istage/codes')
  const [layout, setLayout] = useState<PrintLayout>('12')
  const [made, setMade] = useState<Made | null>(null)
  const rows = useWrite(api.istageCode.rows)
  const { kid, hours, enrol } = making
  const read = (upload_kid: string): Promise<Made> =>
    rows.mutateAsync({
      kid,
      hours,
      upload_kid,
      ...(enrol?.qrcode_kid !== undefined && { enrol: { qrcode_kid: enrol.qrcode_kid } }),
    })
  if (!made)
    return (
      <>
        <p className="dim">{t('sheet_intro')}</p>
        {variables.length > 0 && <p>{t('columns', { columns: listText(variables) })}</p>}
        <SheetChoice
          rows_max={stagingCodeLimits.rows}
          bytes_max={stagingCodeLimits.sheet_bytes}
          preview={read}
          onChecked={setMade}
        />
      </>
    )
  const { expires_at, columns } = made
  return (
    <section className="staging-labels" aria-label={t('labels_of', { name })}>
      <p role="status">{t('labels_made', { count: made.rows.length, columns: listText(columns) })}</p>
      <p className="dim">
        {t('good_until')} <DateTime at={expires_at} />
      </p>
      <div className="staging-samples">
        {made.rows.slice(0, sampled).map(({ row, label, secret_code }) => (
          <figure key={row}>
            <CodePicture value={secret_code} label={t('label', { name: label })} size={sample_size} />
            <figcaption>{label}</figcaption>
          </figure>
        ))}
      </div>
      <div className="staging-tools">
        <Select
          aria-label={t('layout')}
          value={layout}
          onChange={setLayout}
          options={layouts.map((value) => ({ value, label: t(`layouts.a${value}`) }))}
        />
        <Button type="primary" icon={<PrinterOutlined aria-hidden />} onClick={() => print()}>
          {t('print_labels')}
        </Button>
        <Button onClick={() => setMade(null)}>{t('other_sheet')}</Button>
      </div>
      <Printed layout={layout}>
        {made.rows.map(({ row, label, secret_code }) => (
          <figure key={row}>
            <CodePicture value={secret_code} label={t('label', { name: label })} size={printed_size} />
            <figcaption>
              <strong>{label}</strong>
              <span>{name}</span>
              <span>
                {t('good_until')} <DateTime at={expires_at} />
              </span>
            </figcaption>
          </figure>
        ))}
      </Printed>
    </section>
  )
}

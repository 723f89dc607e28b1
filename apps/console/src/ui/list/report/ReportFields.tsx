import { Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { exportFormatNames, exportFormats, reportRhythms } from '@mdm/contract'
import type { ListReport } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { Field } from '../../form/form.tsx'
import { ZoneSelect } from '../../form/ZoneSelect.tsx'
import { hourText, useWeekdays } from './rhythm.ts'

/** What a report is called, what file it is, and when it comes. */
export type ReportSettings = Pick<ListReport, 'name' | 'format' | 'every' | 'hour' | 'weekday' | 'day' | 'zone_id'>

const schema = api.listReport.insert.input
const days = Array.from({ length: 28 }, (_, at) => at + 1)
const hours = Array.from({ length: 24 }, (_, at) => at)

/** The fields of `ReportSettings`; `zone_id` is offered whether it is a common zone or not. */
export function ReportFields({ zone_id }: { zone_id: string }) {
  const { t } = useTranslation('ui/list/report')
  return (
    <>
      <Field name="name" label={t('name')} schema={schema}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <Field name="every" label={t('every')} schema={schema}>
        <Select options={reportRhythms.map((value) => ({ value, label: t(`kind.${value}`) }))} />
      </Field>
      <OnDay />
      <Field name="hour" label={t('hour')} schema={schema}>
        <Select options={hours.map((value) => ({ value, label: hourText(value) }))} />
      </Field>
      <Field name="zone_id" label={t('zone')} schema={schema}>
        <ZoneSelect kept={zone_id} />
      </Field>
      <Field name="format" label={t('format')} schema={schema}>
        <Select options={exportFormats.map((value) => ({ value, label: exportFormatNames[value] }))} />
      </Field>
    </>
  )
}

/** Of a report that does not come every day. */
function OnDay() {
  const { t } = useTranslation('ui/list/report')
  const weekdays = useWeekdays()
  const every = Form.useWatch<ReportSettings['every'] | undefined>('every')
  if (every === 'week')
    return (
      <Field name="weekday" label={t('weekday')}>
        <Select options={weekdays.map(({ day, name }) => ({ value: day, label: name }))} />
      </Field>
    )
  if (every !== 'month') return null
  return (
    <Field name="day" label={t('day')}>
      <Select options={days.map((value) => ({ value, label: t('day_of', { day: String(value) }) }))} />
    </Field>
  )
}

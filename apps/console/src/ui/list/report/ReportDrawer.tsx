import { Alert, Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { pageList, reportRhythms } from '@mdm/contract'
import type { Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import type { AnyCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useZone } from '../../../core/session.tsx'
import { Field, FormDrawer } from '../../form/form.tsx'
import { SwitchField } from '../../form/SwitchField.tsx'
import { ZoneSelect } from '../../form/ZoneSelect.tsx'
import type { TimeFilter } from '../filters.tsx'
import type { FileColumn } from '../list-export.ts'
import { hourText, useWeekdays } from './rhythm.ts'

type Draft = Sent<typeof api.listReport.insert>
type Values = Pick<Draft, 'name' | 'format' | 'every' | 'hour' | 'weekday' | 'day' | 'zone_id'> & { new_only: boolean }
const schema = api.listReport.insert.input
const most_letters = 64
const days = Array.from({ length: 28 }, (_, at) => at + 1)
const hours = Array.from({ length: 24 }, (_, at) => at)

type Props = {
  list: { call: AnyCall; input: Record<string, unknown> }
  columns: readonly FileColumn[]
  title: string
  /** How the list is filtered, in words. */
  filter: string
  /** When something in it happened. */
  time: TimeFilter | undefined
  onClose: () => void
}

/** The list as it is filtered, mailed to the person as a file again and again. */
export default function ReportDrawer({ list, columns, title, filter, time, onClose }: Props) {
  const { t } = useTranslation('ui/list/report')
  const { pathname, search } = useLocation()
  const zone_id = useZone()
  const info = useCall(api.account.info, {}).data
  const insert = useWrite(api.listReport.insert, { done: t('done') })
  const name = [title, filter].filter(Boolean).join(': ').slice(0, most_letters).trim()
  const save = ({ new_only, ...values }: Values) =>
    insert.mutateAsync({
      ...values,
      path: list.call.path,
      input: list.input,
      columns: [...columns],
      ...(time && new_only && { new_by: { key: time.key, ...(time.until && { until: time.until }) } }),
      page: pageList.find(({ path }) => path === pathname)?.name ?? null,
      search: search.slice(1),
    })
  return (
    <FormDrawer<Values>
      width={520}
      title={t('title', { list: title })}
      submit={t('submit')}
      initial={{
        name,
        format: 'csv',
        every: 'day',
        hour: 7,
        weekday: 1,
        day: 1,
        zone_id,
        new_only: time !== undefined,
      }}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={save}
      onDone={onClose}
      onClose={onClose}
    >
      {info && !info.email ? (
        <Form.Item>
          <Alert
            type="warning"
            showIcon
            title={t('no_address')}
            action={<Link to={link.accountIndex.to()}>{t('add_address')}</Link>}
          />
        </Form.Item>
      ) : (
        <p className="form-note">{t('to', { address: info?.email ?? '…' })}</p>
      )}
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
        <Select
          options={[
            { value: 'csv', label: 'CSV' },
            { value: 'xlsx', label: 'Excel (XLSX)' },
          ]}
        />
      </Field>
      {time && <SwitchField name="new_only" label={t('new_only')} extra={t('new_only_hint', { filter: time.label })} />}
    </FormDrawer>
  )
}

/** Of a report that does not come every day. */
function OnDay() {
  const { t } = useTranslation('ui/list/report')
  const weekdays = useWeekdays()
  const every = Form.useWatch<Values['every'] | undefined>('every')
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

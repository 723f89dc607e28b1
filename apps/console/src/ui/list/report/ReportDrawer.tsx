import { Alert, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { pageList } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import type { AnyCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useZone } from '../../../core/session.tsx'
import { FormDrawer } from '../../form/form.tsx'
import { SwitchField } from '../../form/SwitchField.tsx'
import type { TimeFilter } from '../filters.tsx'
import type { FileColumn } from '../list-export.ts'
import { ReportFields } from './ReportFields.tsx'
import type { ReportSettings } from './ReportFields.tsx'

type Values = ReportSettings & { new_only: boolean }
const most_letters = 64

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
      <ReportFields zone_id={zone_id} />
      {time && <SwitchField name="new_only" label={t('new_only')} extra={t('new_only_hint', { filter: time.label })} />}
    </FormDrawer>
  )
}

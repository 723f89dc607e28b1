import { Form, Input, Switch } from 'antd'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import type { PushSchedule, Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { useZone } from '../../core/session.tsx'
import { useCronLabels } from './task/cron-labels.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { ZoneSelect } from '../../ui/form/ZoneSelect.tsx'
import { DateTime } from '../../ui/value/values.tsx'

type Values = Omit<Sent<typeof api.pushSchedule.update>, 'kid'>
const schema = api.pushSchedule.update.input
const five_fields = /^\S+(?: +\S+){4}$/

/** When it runs, and whether: what it does is the work of another push. */
export function EditRecurring({ schedule, onClose }: { schedule: PushSchedule; onClose: () => void }) {
  const { t } = useTranslation(['push-task', 'common'])
  const { kid, name, cron, zone, is_on } = schedule
  const [form] = Form.useForm<Values>()
  const update = useWrite(api.pushSchedule.update, { done: t('recurring.saved') })
  return (
    <FormDrawer<Values>
      width={520}
      form={form}
      title={t('recurring.edit_of', { name })}
      submit={t('common:save')}
      initial={{ name, cron, zone, is_on }}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(values) => update.mutateAsync({ kid, ...values, cron: values.cron.trim() })}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="form-note">{t('recurring.work')}</p>
      <Field name="name" label={t('recurring.name')} schema={schema}>
        <Input autoComplete="off" />
      </Field>
      <Field
        name="cron"
        label={t('recurring.cron')}
        extra={t('recurring.cron_hint')}
        rules={[
          { required: true, whitespace: true, message: t('common:invalid.required') },
          { pattern: five_fields, transform: (value: string) => value.trim(), message: t('recurring.cron_shape') },
        ]}
      >
        <Input className="code" autoComplete="off" spellCheck={false} maxLength={100} />
      </Field>
      <Field name="zone" label={t('recurring.zone')} schema={schema}>
        <ZoneSelect kept={zone} />
      </Field>
      <Field name="is_on" label={t('recurring.is_on')} extra={t('recurring.is_on_hint')} valuePropName="checked">
        <Switch />
      </Field>
      <Form.Item noStyle shouldUpdate>
        {({ getFieldsValue }) => <NextRuns {...getFieldsValue(['cron', 'zone'])} />}
      </Form.Item>
    </FormDrawer>
  )
}

/** Worked out by the server, which runs them. */
function NextRuns({ cron = '', zone = '' }: Partial<Pick<Values, 'cron' | 'zone'>>) {
  const { t } = useTranslation('push-task')
  const own_zone = useZone()
  const cronLabel = useCronLabels()
  const asked = useDeferredValue(cron.trim())
  const enabled = five_fields.test(asked) && zone !== ''
  const query = useCall(api.pushSchedule.next_runs, { cron: asked, zone, count: 5 }, { enabled })
  if (!enabled) return null
  return (
    <section className="push-next" aria-label={t('recurring.next_five')} aria-live="polite">
      <h3>{t('recurring.next_five')}</h3>
      {cronLabel(asked) && <p>{cronLabel(asked)}</p>}
      {query.error && <Failure error={query.error} is_line />}
      <ol>
        {query.data?.map((at) => (
          <li key={at}>
            <DateTime at={at} />
          </li>
        ))}
      </ol>
      {zone !== own_zone && <p className="dim">{t('recurring.next_zone', { zone: own_zone })}</p>}
    </section>
  )
}

import { Form, Radio } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { CustomerRow } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { Expiry } from '../../../shared/accounts/cells.tsx'
import { ExpiryInput, LimitInput } from '../../../shared/accounts/limits.tsx'
import { renewed } from '../../../shared/accounts/renewal.ts'
import { Properties } from '../../../ui/DetailPage.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { DateTime } from '../../../ui/value/values.tsx'
import { useZone } from '../../../core/session.tsx'

type Values = { by: 'days' | 'year' | 'date' | 'never'; date: string | null; terminal_max: number }

/** How long, and for how many devices: what is agreed with a customer at the end of a term. */
export function RenewDrawer({ customer, onClose }: { customer: CustomerRow; onClose: () => void }) {
  const { t } = useTranslation(['customer', 'accounts'])
  const count = useCount()
  const zone = useZone()
  const [form] = Form.useForm<Values>()
  const by = Form.useWatch('by', form) ?? 'year'
  const { kid, name, expire_time, terminal_count, terminal_max } = customer
  const renew = useWrite(api.opsAccount.renew, { done: t('renew.done', { name }), also: ['ops/home'] })
  const endOf = (values: Values): string | null => {
    if (values.by === 'never') return null
    return values.by === 'date' ? values.date : renewed(expire_time, values.by, Date.now(), zone)
  }
  const choice = (value: 'days' | 'year') => (
    <Radio value={value}>
      {t(`accounts:renew.${value}`)}
      <span className="renew-until">
        <DateTime at={renewed(expire_time, value, Date.now(), zone)} />
      </span>
    </Radio>
  )
  return (
    <FormDrawer<Values>
      form={form}
      title={t('renew.title', { name })}
      submit={t('renew.submit')}
      initial={{ by: 'year', date: expire_time, terminal_max }}
      loading={renew.isPending}
      submitError={renew.error}
      onSubmit={(values) => renew.mutateAsync({ kid, expire_time: endOf(values), terminal_max: values.terminal_max })}
      onDone={onClose}
      onClose={onClose}
    >
      <Properties of={[{ label: t('renew.now'), value: <Expiry at={expire_time} />, is_wide: true }]} />
      <Field name="by" label={t('renew.until')}>
        <Radio.Group className="renew-choice">
          {choice('days')}
          {choice('year')}
          <Radio value="date">{t('renew.date')}</Radio>
          <Radio value="never">{t('accounts:never_expires')}</Radio>
        </Radio.Group>
      </Field>
      {by === 'date' && (
        <Field
          name="date"
          label={t('accounts:expires_at')}
          rules={[{ required: true, message: t('renew.date_needed') }]}
        >
          <ExpiryInput />
        </Field>
      )}
      <Field
        name="terminal_max"
        label={t('accounts:devices')}
        extra={t('in_use', { count: terminal_count, shown: count(terminal_count) })}
        rules={[{ type: 'number', min: terminal_count, message: t('below_use', { shown: count(terminal_count) }) }]}
      >
        <LimitInput no_limit={constants.unlimited_devices} start={Math.max(terminal_count, 1)} />
      </Field>
    </FormDrawer>
  )
}

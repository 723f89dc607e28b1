import { Input, InputNumber } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { alertKinds } from '@mdm/contract'
import type { AlertKind, AlertParams } from '@mdm/contract'
import { Field } from '../../ui/form/form.tsx'
import { zodRules } from '../../ui/form/zod-rules.ts'

/** What a rule of each kind begins with. */
export const firstParams: { [K in AlertKind]: AlertParams<K> } = {
  battery: { percent: 20 },
  storage: { percent: 90 },
  offline: { minutes: 60 },
  fence: {},
  failed_tasks: { count: 3, hours: 24 },
  config_drift: { minutes: 60 },
  app_behind: { package: '', version: '' },
  os_behind: { version: '' },
  certificate_expiry: { days: 30 },
  account_expiry: { days: 30 },
}

/** The fields of a kind: one for each of its parameters, named `params.<name>` in the form. */
export function KindFields({ kind }: { kind: AlertKind }): ReactNode {
  const { t } = useTranslation('alert')
  const { shape } = alertKinds[kind].params
  const labels: Record<string, string> = {
    percent: t(kind === 'battery' ? 'form.percent_at_most' : 'form.percent_at_least'),
    minutes: t('form.minutes'),
    count: t('form.count'),
    hours: t('form.hours'),
    package: t('form.package'),
    version: t('form.version'),
    days: t('form.days'),
  }
  return Object.entries(shape).map(([name, schema]) => (
    <Field key={`${kind} ${name}`} name={['params', name]} label={labels[name]} rules={zodRules(schema)}>
      {typeof firstParams[kind][name as never] === 'number' ? (
        <InputNumber min={1} precision={0} />
      ) : (
        <Input autoComplete="off" spellCheck={false} maxLength={200} />
      )}
    </Field>
  ))
}

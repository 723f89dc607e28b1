import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { ExpiryInput, LimitInput } from '../../shared/accounts/limits.tsx'
import { Field } from '../../ui/form/form.tsx'

export type Terms = { max_accounts: number; max_devices: number; macs: string[]; ends_at: string }
const schema = api.opsActivation.insert.input

/** What a code allows: for new ones and for renewals. */
export function TermFields() {
  const { t } = useTranslation('private-deployment')
  return (
    <>
      <Field name="max_accounts" label={t('max_accounts')} extra={t('max_accounts_hint')} schema={schema}>
        <LimitInput no_limit={undefined} start={constants.private_accounts} />
      </Field>
      <Field name="max_devices" label={t('max_devices')} schema={schema}>
        <LimitInput no_limit={constants.unlimited_devices} start={100} />
      </Field>
      <Field name="ends_at" label={t('ends')} extra={t('ends_hint')} schema={schema}>
        <ExpiryInput />
      </Field>
      <Field name="macs" label={t('macs')} extra={t('macs_hint')} schema={schema}>
        <Select
          className="code"
          mode="tags"
          open={false}
          suffixIcon={null}
          tokenSeparators={[',', ' ', ';', '\n']}
          placeholder={t('any_machine')}
        />
      </Field>
    </>
  )
}

import { TeamOutlined } from '@ant-design/icons'
import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { accountTypes, constants } from '@mdm/contract'
import type { Customer, Sent } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import type { CallFailed } from '../../../core/call-failed.ts'
import { AccountSections } from '../../../shared/accounts/AccountSections.tsx'
import type { Exists, SignInValues } from '../../../shared/accounts/fields.tsx'
import { ExpiryInput, LimitInput } from '../../../shared/accounts/limits.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { SwitchField } from '../../../ui/form/SwitchField.tsx'
import { useCount } from '../../../ui/value/format.ts'

type Draft = Omit<Sent<typeof api.opsAccount.insert>, 'username' | 'password'>
export type CustomerValues = Draft & SignInValues

type Props = {
  title: string
  submit: string
  initial: Partial<CustomerValues>
  /** Who is edited: its root login does not count as taken, nor can it have less than it uses. */
  edited?: Customer
  loading: boolean
  submitError: CallFailed | null
  onSubmit: (values: CustomerValues) => unknown
  onBack: () => void
}

export function CustomerForm({ edited, onBack, ...form }: Props) {
  const { t } = useTranslation(['customer', 'accounts'])
  const exists: Exists = { call: api.opsAccount.exists, ...(edited && { src_kid: edited.user_kid }) }
  return (
    <FormPage<CustomerValues> icon={<TeamOutlined aria-hidden />} onDone={onBack} onCancel={onBack} {...form}>
      <AccountSections
        title={t('section.customer')}
        name={t('form.name')}
        schema={api.opsAccount.insert.input}
        exists={exists}
        about={
          <Field name="fae_kid" label={t('column.fae')} className="is-wide" extra={t('form.fae_hint')}>
            <Owner />
          </Field>
        }
        limits={{
          hint: t('section.limits_hint'),
          fields: (
            <Limits used={edited?.terminal_count ?? 0} is_sub_account={edited?.type === accountTypes.sub_account} />
          ),
        }}
        permissions={{ hint: t('section.permissions_hint'), call: api.opsAccount.list_grantable }}
        edited={edited}
      />
    </FormPage>
  )
}

/** The provider's person who looks after this customer. */
function Owner(props: { id?: string; value?: string | null; onChange?: (value: string | null) => void }) {
  const { t } = useTranslation('customer')
  const query = useCall(api.opsAccount.list_fae, {})
  return (
    <Select
      id={props.id}
      showSearch={{ optionFilterProp: 'label' }}
      allowClear
      loading={query.isPending}
      placeholder={t('form.fae_none')}
      value={props.value}
      options={query.data?.map(({ kid, name, username }) => ({
        value: kid,
        label: name && name !== username ? `${name} (${username})` : username,
      }))}
      onChange={(value: string | undefined) => props.onChange?.(value ?? null)}
    />
  )
}

function Limits({ used, is_sub_account }: { used: number; is_sub_account: boolean }) {
  const { t } = useTranslation(['customer', 'accounts'])
  const count = useCount()
  const no_less = { type: 'number' as const, min: used, message: t('below_use', { shown: count(used) }) }
  return (
    <>
      <Field
        name="terminal_max"
        label={t('accounts:devices')}
        extra={used > 0 ? t('in_use', { count: used, shown: count(used) }) : undefined}
        rules={[no_less]}
      >
        <LimitInput no_limit={constants.unlimited_devices} start={Math.max(used, 100)} />
      </Field>
      <Field name="user_max" label={t('column.users')} schema={api.opsAccount.insert.input}>
        <LimitInput no_limit={null} start={10} />
      </Field>
      <Field name="expire_time" label={t('accounts:expires_at')} extra={t('form.expires_hint')}>
        <ExpiryInput />
      </Field>
      {/* Only a root account has others below it. */}
      {!is_sub_account && (
        <SwitchField name="sub_accounts_allowed" label={t('form.sub_accounts')} extra={t('form.sub_accounts_hint')} />
      )}
    </>
  )
}

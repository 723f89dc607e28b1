import { TeamOutlined } from '@ant-design/icons'
import { Input, Select, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { accountTypes, constants } from '@mdm/contract'
import type { Customer, Sent } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import type { CallFailed } from '../../../core/call-failed.ts'
import { BelongingSection } from '../../../shared/accounts/BelongingSection.tsx'
import { ContactFields, SignInFields } from '../../../shared/accounts/fields.tsx'
import type { Exists, SignInValues } from '../../../shared/accounts/fields.tsx'
import { FormSection } from '../../../shared/accounts/FormSection.tsx'
import { ExpiryInput, LimitInput } from '../../../shared/accounts/limits.tsx'
import { PermissionsField } from '../../../shared/accounts/PermissionsField.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
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
  const schema = api.opsAccount.insert.input
  return (
    <FormPage<CustomerValues> icon={<TeamOutlined aria-hidden />} onDone={onBack} onCancel={onBack} {...form}>
      <FormSection title={t('section.customer')}>
        <Field name="name" label={t('form.name')} schema={schema}>
          <Input autoFocus autoComplete="off" />
        </Field>
        <Field name="organization_name" label={t('accounts:organization')} schema={schema}>
          <Input autoComplete="off" />
        </Field>
        <Field name="fae_kid" label={t('column.fae')} className="is-wide" extra={t('form.fae_hint')}>
          <Owner />
        </Field>
      </FormSection>
      <FormSection title={t('accounts:section.sign_in')} hint={t('accounts:section.sign_in_hint')}>
        <SignInFields exists={exists} is_new={!edited} />
      </FormSection>
      <FormSection title={t('accounts:section.limits')} hint={t('section.limits_hint')}>
        <Limits used={edited?.terminal_count ?? 0} is_sub_account={edited?.type === accountTypes.sub_account} />
      </FormSection>
      <FormSection title={t('accounts:section.permissions')} hint={t('section.permissions_hint')}>
        <PermissionsField call={api.opsAccount.list_grantable} />
      </FormSection>
      <FormSection title={t('accounts:section.contact')}>
        <ContactFields exists={exists} />
      </FormSection>
      {edited && <BelongingSection of={edited} />}
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
        <Field
          name="sub_accounts_allowed"
          label={t('form.sub_accounts')}
          extra={t('form.sub_accounts_hint')}
          valuePropName="checked"
        >
          <Switch />
        </Field>
      )}
    </>
  )
}

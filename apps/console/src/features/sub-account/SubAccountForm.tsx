import { ApartmentOutlined } from '@ant-design/icons'
import { Form, Input } from 'antd'
import type { FormInstance } from 'antd'
import { useTranslation } from 'react-i18next'
import type { DiskSpace, Sent, SubAccountRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import type { CallFailed } from '../../core/call-failed.ts'
import { BelongingSection } from '../../shared/accounts/BelongingSection.tsx'
import type { Belonging } from '../../shared/accounts/BelongingSection.tsx'
import { ContactFields, SignInFields } from '../../shared/accounts/fields.tsx'
import type { Exists, SignInValues } from '../../shared/accounts/fields.tsx'
import { FormSection } from '../../shared/accounts/FormSection.tsx'
import { ExpiryInput } from '../../shared/accounts/limits.tsx'
import { SpaceField } from '../../shared/accounts/SpaceField.tsx'
import { PermissionsField } from '../../shared/accounts/PermissionsField.tsx'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { Places } from './Places.tsx'

type Draft = Omit<Sent<typeof api.subAccount.insert>, 'username' | 'password'>
export type SubAccountValues = Draft & SignInValues
export type Spaces = { file_disk: DiskSpace; app_center: DiskSpace }
export type Edited = Pick<SubAccountRow, 'kid' | 'user_kid' | 'terminal_count'> & Belonging & Spaces

type Props = {
  title: string
  submit: string
  initial: Partial<SubAccountValues>
  edited?: Edited
  loading: boolean
  submitError: CallFailed | null
  onSubmit: (values: SubAccountValues) => unknown
  onBack: () => void
}

export function SubAccountForm({ edited, onBack, ...page }: Props) {
  const { t } = useTranslation(['sub-account', 'accounts'])
  const [form] = Form.useForm<SubAccountValues>()
  const exists: Exists = { call: api.subAccount.exists, ...(edited && { src_kid: edited.user_kid }) }
  const schema = api.subAccount.insert.input
  return (
    <FormPage<SubAccountValues>
      form={form}
      icon={<ApartmentOutlined aria-hidden />}
      onDone={onBack}
      onCancel={onBack}
      {...page}
    >
      <FormSection title={t('section.account')}>
        <Field name="name" label={t('form.name')} schema={schema}>
          <Input autoFocus autoComplete="off" />
        </Field>
        <Field name="organization_name" label={t('accounts:organization')} schema={schema}>
          <Input autoComplete="off" />
        </Field>
      </FormSection>
      <FormSection title={t('accounts:section.sign_in')} hint={t('accounts:section.sign_in_hint')}>
        <SignInFields exists={exists} is_new={!edited} />
      </FormSection>
      <FormSection title={t('accounts:section.limits')} hint={t('section.limits_hint')}>
        <Places form={form as FormInstance} edited={edited} />
        <SpaceField name="file_disk_share" area="file_disk" of={edited?.file_disk} is_share />
        <SpaceField name="app_center_share" area="app_center" of={edited?.app_center} is_share />
        <Field name="expire_time" label={t('accounts:expires_at')} extra={t('form.expires_hint')}>
          <ExpiryInput />
        </Field>
      </FormSection>
      <FormSection title={t('accounts:section.permissions')} hint={t('section.permissions_hint')}>
        <PermissionsField call={api.subAccount.list_grantable} />
      </FormSection>
      <FormSection title={t('accounts:section.contact')}>
        <ContactFields exists={exists} />
      </FormSection>
      {edited && <BelongingSection of={edited} />}
    </FormPage>
  )
}

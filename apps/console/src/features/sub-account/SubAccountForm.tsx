import { ApartmentOutlined } from '@ant-design/icons'
import { Form } from 'antd'
import type { FormInstance } from 'antd'
import { useTranslation } from 'react-i18next'
import type { DiskSpace, Sent, SubAccountRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import type { CallFailed } from '../../core/call-failed.ts'
import { AccountSections } from '../../shared/accounts/AccountSections.tsx'
import type { Belonging } from '../../shared/accounts/BelongingSection.tsx'
import type { Exists, SignInValues } from '../../shared/accounts/fields.tsx'
import { ExpiryInput } from '../../shared/accounts/limits.tsx'
import { SpaceField } from '../../shared/accounts/SpaceField.tsx'
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
  return (
    <FormPage<SubAccountValues>
      form={form}
      icon={<ApartmentOutlined aria-hidden />}
      onDone={onBack}
      onCancel={onBack}
      {...page}
    >
      <AccountSections
        title={t('section.account')}
        name={t('form.name')}
        schema={api.subAccount.insert.input}
        exists={exists}
        limits={{
          hint: t('section.limits_hint'),
          fields: (
            <>
              <Places form={form as FormInstance} edited={edited} />
              <SpaceField name="file_disk_share" area="file_disk" of={edited?.file_disk} is_share />
              <SpaceField name="app_center_share" area="app_center" of={edited?.app_center} is_share />
              <Field name="expire_time" label={t('accounts:expires_at')} extra={t('form.expires_hint')}>
                <ExpiryInput />
              </Field>
            </>
          ),
        }}
        permissions={{ hint: t('section.permissions_hint'), call: api.subAccount.list_grantable }}
        edited={edited}
      />
    </FormPage>
  )
}

import { Input } from 'antd'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../ui/form/form.tsx'
import { BelongingSection } from './BelongingSection.tsx'
import type { Belonging } from './BelongingSection.tsx'
import { ContactFields, SignInFields } from './fields.tsx'
import type { Exists } from './fields.tsx'
import { FormSection } from './FormSection.tsx'
import { PermissionsField } from './PermissionsField.tsx'

type Props = {
  title: string
  /** Label of the name of the account. */
  name: string
  schema: NonNullable<ComponentProps<typeof Field>['schema']>
  exists: Exists
  /** Fields behind the name and the organisation. */
  about?: ReactNode
  limits: { hint: string; fields: ReactNode }
  permissions: { hint: string; call: ComponentProps<typeof PermissionsField>['call'] }
  edited?: Belonging | undefined
}
/** The sections of a form that creates or edits an account with its root login: a customer, a sub-account. */
export function AccountSections({ title, name, schema, exists, about, limits, permissions, edited }: Props) {
  const { t } = useTranslation('accounts')
  return (
    <>
      <FormSection title={title}>
        <Field name="name" label={name} schema={schema}>
          <Input autoFocus autoComplete="off" />
        </Field>
        <Field name="organization_name" label={t('organization')} schema={schema}>
          <Input autoComplete="off" />
        </Field>
        {about}
      </FormSection>
      <FormSection title={t('section.sign_in')} hint={t('section.sign_in_hint')}>
        <SignInFields exists={exists} is_new={!edited} />
      </FormSection>
      <FormSection title={t('section.limits')} hint={limits.hint}>
        {limits.fields}
      </FormSection>
      <FormSection title={t('section.permissions')} hint={permissions.hint}>
        <PermissionsField call={permissions.call} />
      </FormSection>
      <FormSection title={t('section.contact')}>
        <ContactFields exists={exists} />
      </FormSection>
      {edited && <BelongingSection of={edited} />}
    </>
  )
}

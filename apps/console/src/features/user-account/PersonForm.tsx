import { Input } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { BelongingSection } from '../../shared/accounts/BelongingSection.tsx'
import type { Belonging } from '../../shared/accounts/BelongingSection.tsx'
import { FormSection } from '../../shared/accounts/FormSection.tsx'
import { ContactFields, SignInFields } from '../../shared/accounts/fields.tsx'
import type { ContactValues, SignInValues } from '../../shared/accounts/fields.tsx'
import { RolePicker } from '../user-role/public.ts'
import { Field, FormPage } from '../../ui/form/form.tsx'
import type { FormShellProps } from '../../ui/form/form.tsx'
import { api } from '../../core/api.ts'
import { useSession } from '../../core/session.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { peopleSides } from './sides.ts'
import type { PeopleSide, PersonRow } from './sides.ts'

export type PersonValues = SignInValues & ContactValues & { name: string; role_kids: string[]; group_kids: string[] }

type Shell = Pick<FormShellProps<PersonValues>, 'onSubmit' | 'onDone' | 'loading' | 'submitError'>
type Props = Shell & {
  side: PeopleSide
  /** Who is edited; null for somebody new. */
  row: (PersonRow & Belonging) | null
  group_kids?: readonly string[]
  onCancel: () => void
  /** Beside the title of a new one, and what only one side asks for. */
  note?: ReactNode
  children?: ReactNode
}

export function PersonForm({ side, row, group_kids = [], onCancel, note, children, ...shell }: Props) {
  const { t } = useTranslation(['user-account', 'accounts'])
  const { user_kid } = useSession()
  const { calls, page } = peopleSides[side]
  const exists = { call: calls.exists, ...(row && { src_kid: row.kid }) }
  const is_own = row?.kid === user_kid
  const schema = api.userAccount.insert.input
  return (
    <FormPage<PersonValues>
      {...shell}
      title={t(row ? `edit_title.${side}` : `add.${side}`)}
      icon={pageIcon(page.name)}
      submit={t(row ? `save.${side}` : `add.${side}`)}
      initial={{
        name: row?.name ?? '',
        username: row?.username ?? '',
        role_kids: row?.roles.map(({ kid }) => kid) ?? [],
        group_kids: [...group_kids],
        phone: row?.phone ?? '',
        email: row?.email ?? '',
        wechat: row?.wechat ?? '',
        remark: row?.remark ?? '',
      }}
      onCancel={onCancel}
    >
      {note}
      <FormSection title={t('section.person')}>
        <Field name="name" className="is-wide" label={t('name')} schema={schema}>
          <Input autoFocus autoComplete="off" />
        </Field>
      </FormSection>
      <FormSection title={t('section.sign_in')} hint={t('section.sign_in_hint')}>
        <SignInFields exists={exists} is_new={!row} />
      </FormSection>
      <FormSection title={t('section.rights')} hint={t('section.rights_hint')}>
        <Field
          name="role_kids"
          className="is-wide"
          label={t('roles')}
          extra={is_own ? t('roles_own') : row ? t('roles_change') : undefined}
          schema={schema}
        >
          <RolePicker side={side} known={row?.roles} disabled={is_own} />
        </Field>
      </FormSection>
      {children}
      <FormSection title={t('section.contact')}>
        <ContactFields exists={exists} />
      </FormSection>
      {row && <BelongingSection of={row} />}
    </FormPage>
  )
}

/** What the calls take of the form, the password aside. */
export const draftOf = ({ name, role_kids, phone, email, wechat, remark }: PersonValues) => ({
  name,
  role_kids,
  phone,
  email,
  // An empty line would be kept as one.
  wechat: wechat || null,
  remark,
})

import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { api, useWrite } from '../../../core/api.ts'
import { useAnnounceInvitation } from '../../../shared/accounts/invitation.ts'
import { accountDraft, passwordOf } from '../../../shared/accounts/fields.tsx'
import { CustomerForm } from './CustomerForm.tsx'
import type { CustomerValues } from './CustomerForm.tsx'
import { link } from '../../../core/links.ts'

export default function CustomerAddPage() {
  const { t } = useTranslation('customer')
  const navigate = useNavigate()
  const announce = useAnnounceInvitation()
  const create = useWrite(api.opsAccount.insert, {
    done: t('added'),
    also: ['ops/home'],
    onSuccess: ({ invitation }) => announce(invitation),
  })
  const submit = (values: CustomerValues) =>
    create.mutateAsync({ ...accountDraft(values), username: values.username, password: passwordOf(values) })
  return (
    <CustomerForm
      title={t('add')}
      submit={t('add')}
      initial={{
        terminal_max: 100,
        user_max: null,
        expire_time: null,
        sub_accounts_allowed: false,
        permissions: ['*'],
      }}
      loading={create.isPending}
      submitError={create.error}
      onSubmit={submit}
      onBack={() => void navigate(link.externalUserManageList.to())}
    />
  )
}

import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { api, useWrite } from '../../core/api.ts'
import { useAnnounceInvitation } from '../../shared/accounts/invitation.ts'
import { accountDraft, passwordOf } from '../../shared/accounts/fields.tsx'
import { SubAccountForm } from './SubAccountForm.tsx'
import type { SubAccountValues } from './SubAccountForm.tsx'
import { link } from '../../core/links.ts'

export default function SubAccountAddPage() {
  const { t } = useTranslation('sub-account')
  const navigate = useNavigate()
  const announce = useAnnounceInvitation()
  const create = useWrite(api.subAccount.insert, {
    done: t('added'),
    also: ['account'],
    onSuccess: ({ invitation }) => announce(invitation),
  })
  const submit = (values: SubAccountValues) =>
    create.mutateAsync({ ...accountDraft(values), username: values.username, password: passwordOf(values) })
  return (
    <SubAccountForm
      title={t('add')}
      submit={t('add')}
      initial={{ terminal_max: 10, expire_time: null, permissions: ['*'] }}
      loading={create.isPending}
      submitError={create.error}
      onSubmit={submit}
      onBack={() => void navigate(link.subAccountManageList.to())}
    />
  )
}

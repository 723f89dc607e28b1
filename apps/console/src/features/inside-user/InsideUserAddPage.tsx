import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { api, useWrite } from '../../core/api.ts'
import { passwordOf } from '../../shared/accounts/fields.tsx'
import { useAnnounceInvitation } from '../../shared/accounts/invitation.ts'
import { draftOf, PersonForm } from '../user-account/public.ts'
import { link } from '../../core/links.ts'

export default function InsideUserAddPage() {
  const { t } = useTranslation('user-account')
  const navigate = useNavigate()
  const back = () => void navigate(link.insideUserManageList.to())
  const announce = useAnnounceInvitation()
  const insert = useWrite(api.opsInsideUser.insert, {
    done: t('added.inside'),
    also: ['ops/role'],
    onSuccess: ({ invitation }) => announce(invitation),
  })
  return (
    <PersonForm
      side="inside"
      row={null}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={(values) =>
        insert.mutateAsync({ ...draftOf(values), username: values.username, password: passwordOf(values) })
      }
      onDone={back}
      onCancel={back}
    />
  )
}

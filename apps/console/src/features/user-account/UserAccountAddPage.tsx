import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { api, useWrite } from '../../core/api.ts'
import { passwordOf } from '../../shared/accounts/fields.tsx'
import { useAnnounceInvitation } from '../../shared/accounts/invitation.ts'
import { draftOf, PersonForm } from './PersonForm.tsx'
import { DevicesSection } from './DevicesSection.tsx'
import { usePlaces } from './places.tsx'
import { link } from '../../core/links.ts'

export default function UserAccountAddPage() {
  const { t } = useTranslation('user-account')
  const navigate = useNavigate()
  const back = () => void navigate(link.userAccountManageList.to())
  const { badge, full } = usePlaces()
  const announce = useAnnounceInvitation()
  const insert = useWrite(api.userAccount.insert, {
    done: t('added.account'),
    also: ['role'],
    onSuccess: ({ invitation }) => announce(invitation),
  })
  return (
    <PersonForm
      side="account"
      row={null}
      note={badge && <p>{full ?? badge}</p>}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={(values) =>
        insert.mutateAsync({
          ...draftOf(values),
          group_kids: values.group_kids,
          username: values.username,
          password: passwordOf(values),
        })
      }
      onDone={back}
      onCancel={back}
    >
      <DevicesSection />
    </PersonForm>
  )
}

import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { api, useCall, useWrite } from '../../core/api.ts'
import { passwordOf } from '../../shared/accounts/fields.tsx'
import { draftOf, PersonForm } from './PersonForm.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { DevicesSection } from './DevicesSection.tsx'
import { link } from '../../core/links.ts'

export default function UserAccountEditPage() {
  const { t } = useTranslation('user-account')
  const navigate = useNavigate()
  const kid = useSearchParams()[0].get('kid') ?? ''
  const back = () => void navigate(link.userAccountManageList.to())
  const query = useCall(api.userAccount.get, { kid })
  const update = useWrite(api.userAccount.update, { done: t('saved.account'), also: ['role'] })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return (
    <PersonForm
      side="account"
      row={query.data}
      group_kids={query.data.group_kids}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(values) =>
        update.mutateAsync({ ...draftOf(values), group_kids: values.group_kids, kid, password: passwordOf(values) })
      }
      onDone={back}
      onCancel={back}
    >
      <DevicesSection />
    </PersonForm>
  )
}

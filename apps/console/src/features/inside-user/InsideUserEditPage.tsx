import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { api, useCall, useWrite } from '../../core/api.ts'
import { passwordOf } from '../../shared/accounts/fields.tsx'
import { draftOf, PersonForm } from '../user-account/public.ts'
import { Failure } from '../../ui/Failure.tsx'
import { link } from '../../core/links.ts'

export default function InsideUserEditPage() {
  const { t } = useTranslation('user-account')
  const navigate = useNavigate()
  const kid = useSearchParams()[0].get('kid') ?? ''
  const back = () => void navigate(link.insideUserManageList.to())
  const query = useCall(api.opsInsideUser.get, { kid })
  const update = useWrite(api.opsInsideUser.update, { done: t('saved.inside'), also: ['ops/role'] })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return (
    <PersonForm
      side="inside"
      row={query.data}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(values) => update.mutateAsync({ ...draftOf(values), kid, password: passwordOf(values) })}
      onDone={back}
      onCancel={back}
    />
  )
}

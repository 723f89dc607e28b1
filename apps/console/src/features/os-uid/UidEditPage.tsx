import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { Failure } from '../../ui/Failure.tsx'
import { informationGroups } from './groups.ts'
import { UidForm } from './UidForm.tsx'

export default function UidEditPage() {
  const { t } = useTranslation('os-uid')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const kid = useSearchParams()[0].get('kid') ?? ''
  const query = useCall(api.opsUid.get, { kid })
  const update = useWrite(api.opsUid.update, { done: t('saved'), also: informationGroups })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return (
    <UidForm
      key={kid}
      of={query.data}
      title={textOf(pages.uidListUidListEdit.title)}
      submit={t('save')}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(draft) => update.mutateAsync({ ...draft, kid })}
      onBack={() => void navigate(link.uidList.to())}
    />
  )
}

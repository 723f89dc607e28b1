import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { pages } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { informationGroups } from './groups.ts'
import { UidForm } from './UidForm.tsx'

export default function UidAddPage() {
  const { t } = useTranslation('os-uid')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const insert = useWrite(api.opsUid.insert, { done: t('added'), also: informationGroups })
  const title = textOf(pages.uidListUidListAdd.title)
  return (
    <UidForm
      title={title}
      submit={title}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={(draft) => insert.mutateAsync(draft)}
      onBack={() => void navigate(link.uidList.to())}
    />
  )
}

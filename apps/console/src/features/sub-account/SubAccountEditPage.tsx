import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { SubAccountRow } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import type { Belonging } from '../../shared/accounts/BelongingSection.tsx'
import { accountDraft, passwordOf } from '../../shared/accounts/fields.tsx'
import { spaceOf } from '../../shared/accounts/SpaceField.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useRecordName } from '../../ui/record.ts'
import { SubAccountForm } from './SubAccountForm.tsx'
import type { Spaces, SubAccountValues } from './SubAccountForm.tsx'
import { link } from '../../core/links.ts'

export default function SubAccountEditPage() {
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(api.subAccount.get, { kid })
  useRecordName(query.data?.name)
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  return query.data ? <Edit key={kid} account={query.data} /> : <Skeleton active />
}

function Edit({ account }: { account: SubAccountRow & Belonging & Spaces }) {
  const { t } = useTranslation('sub-account')
  const navigate = useNavigate()
  const { kid, name } = account
  const update = useWrite(api.subAccount.update, { done: t('saved'), also: ['account'] })
  const submit = (values: SubAccountValues) =>
    update.mutateAsync({ ...accountDraft(values), kid, password: passwordOf(values) })
  return (
    <SubAccountForm
      title={t('edit_title', { name })}
      submit={t('save')}
      initial={valuesOf(account)}
      edited={account}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={submit}
      onBack={() => void navigate(link.subAccountManageList.to())}
    />
  )
}

const valuesOf = (of: SubAccountRow & Spaces): Partial<SubAccountValues> => ({
  name: of.name,
  organization_name: of.organization_name,
  username: of.username,
  terminal_max: of.terminal_max,
  file_disk_share: spaceOf(of.file_disk),
  app_center_share: spaceOf(of.app_center),
  expire_time: of.expire_time,
  permissions: of.permissions,
  phone: of.phone,
  email: of.email,
  wechat: of.wechat,
  remark: of.remark,
})

import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { Customer } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { accountDraft, passwordOf } from '../../../shared/accounts/fields.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { useRecordName } from '../../../ui/record.ts'
import { CustomerForm } from './CustomerForm.tsx'
import type { CustomerValues } from './CustomerForm.tsx'
import { link } from '../../../core/links.ts'

export default function CustomerEditPage() {
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(api.opsAccount.get, { kid })
  useRecordName(query.data?.name)
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  return query.data ? <Edit key={kid} customer={query.data} /> : <Skeleton active />
}

function Edit({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customer')
  const navigate = useNavigate()
  const { kid, name } = customer
  const update = useWrite(api.opsAccount.update, { done: t('saved'), also: ['ops/home'] })
  const submit = (values: CustomerValues) =>
    update.mutateAsync({ ...accountDraft(values), kid, password: passwordOf(values) })
  return (
    <CustomerForm
      title={t('edit_title', { name })}
      submit={t('save')}
      initial={valuesOf(customer)}
      edited={customer}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={submit}
      onBack={() => void navigate(link.externalUserManageList.to())}
    />
  )
}

const valuesOf = (of: Customer): Partial<CustomerValues> => ({
  name: of.name,
  organization_name: of.organization_name,
  fae_kid: of.fae_kid,
  username: of.username,
  terminal_max: of.terminal_max,
  user_max: of.user_max,
  expire_time: of.expire_time,
  sub_accounts_allowed: of.sub_accounts_allowed,
  permissions: of.permissions,
  phone: of.phone,
  email: of.email,
  wechat: of.wechat,
  remark: of.remark,
})

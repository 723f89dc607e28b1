import { PlusOutlined, TeamOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { api, useCall } from '../../core/api.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { useAccountStateFilter } from '../../shared/accounts/columns.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { May } from '../../core/session.tsx'
import { DisableDialog, ResetTotpDialog, useEnable } from './acts.tsx'
import { CustomerActions } from './CustomerActions.tsx'
import type { Wanted } from './CustomerActions.tsx'
import { useCustomerColumns } from './columns.tsx'
import { EnterDialog } from './EnterDialog.tsx'
import './customer.css'
import { link } from '../../core/links.ts'

// The calendar is large, and a list is opened far more often than anything is renewed.
const RenewDrawer = lazy(() => import('./RenewDrawer.tsx').then((m) => ({ default: m.RenewDrawer })))
const RegisterDrawer = lazy(() => import('./RegisterDrawer.tsx').then((m) => ({ default: m.RegisterDrawer })))
const SpaceDrawer = lazy(() => import('./SpaceDrawer.tsx').then((m) => ({ default: m.SpaceDrawer })))

export default function CustomersPage() {
  const { t } = useTranslation(['customer', 'accounts', 'common'])
  const navigate = useNavigate()
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const enable = useEnable()
  const list = useListTable(api.opsAccount.paging, {
    id: 'external-user-manage-list',
    filters: { text: 'text', state: 'text', type: 'number', fae_kid: 'text', expires_within_days: 'number' },
  })
  const want = (next: Wanted) => (next.what === 'enable' ? void enable(next.row) : setWanted(next))
  const columns = useCustomerColumns((row) => <CustomerActions row={row} onWant={want} />)
  const add = (
    <May needs="mdmManageExternalUserManageAdd">
      <Button
        type="primary"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => void navigate(link.mdmManageExternalUserManageAdd.to())}
      >
        {t('add')}
      </Button>
    </May>
  )
  return (
    <>
      <ListPage
        list={list}
        title={t('title')}
        icon={<TeamOutlined aria-hidden />}
        columns={columns}
        search={t('search')}
        filters={useCustomerFilters()}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {wanted && <Act {...wanted} onClose={() => setWanted(null)} />}
    </>
  )
}

function Act({ row, what, onClose }: Wanted & { onClose: () => void }) {
  if (what === 'enter') return <EnterDialog customer={row} onClose={onClose} />
  if (what === 'disable') return <DisableDialog customer={row} onClose={onClose} />
  if (what === 'reset_totp') return <ResetTotpDialog customer={row} onClose={onClose} />
  return (
    <Suspense>
      {what === 'register' && <RegisterDrawer customer={row} onClose={onClose} />}
      {what === 'renew' && <RenewDrawer customer={row} onClose={onClose} />}
      {what === 'space' && <SpaceDrawer customer={row} onClose={onClose} />}
    </Suspense>
  )
}

function useCustomerFilters(): Filter[] {
  const { t } = useTranslation(['customer', 'accounts', 'common'])
  const owners = useCall(api.opsAccount.list_fae, {})
  const state = useAccountStateFilter()
  return [
    state,
    {
      key: 'type',
      kind: 'one',
      label: t('accounts:column.type'),
      options: [
        { value: '1', label: t('accounts:type.account') },
        { value: '2', label: t('accounts:type.sub_account') },
      ],
    },
    {
      key: 'expires_within_days',
      kind: 'one',
      label: t('filter.expires'),
      options: ['7', '30', '90'].map((value) => ({ value, label: value })),
    },
    {
      key: 'fae_kid',
      kind: 'one',
      label: t('column.fae'),
      options: (owners.data ?? []).map(({ kid, name, username }) => ({ value: kid, label: name || username })),
    },
  ]
}

import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { useAccountStateFilter } from '../../shared/accounts/columns.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { DisableDialog, ResetTotpDialog } from './actions/dialogs.tsx'
import { customerDialogs, useCustomerActions } from './actions/row-actions.tsx'
import type { CustomerDialogs } from './actions/row-actions.tsx'
import { useCustomerColumns } from './columns.tsx'
import { EnterDialog } from './actions/EnterDialog.tsx'
import './customer.css'
import { link } from '../../core/links.ts'

// The calendar is large, and a list is opened far more often than anything is renewed.
const RenewDrawer = lazy(() => import('./actions/RenewDrawer.tsx').then((m) => ({ default: m.RenewDrawer })))
const RegisterDrawer = lazy(() => import('./actions/RegisterDrawer.tsx').then((m) => ({ default: m.RegisterDrawer })))
const SpaceDrawer = lazy(() => import('./space/SpaceDrawer.tsx').then((m) => ({ default: m.SpaceDrawer })))

export default function CustomersPage() {
  const { t } = useTranslation(['customer', 'accounts', 'common'])
  const list = useListTable(api.opsAccount.paging, {
    id: 'external-user-manage-list',
    filters: { text: 'text', state: 'text', type: 'number', fae_kid: 'text', expires_within_days: 'number' },
  })
  const dialog = useDialog(customerDialogs, list.rows)
  const add = (
    <AddButton needs="mdmManageExternalUserManageAdd" to={link.mdmManageExternalUserManageAdd.to()}>
      {t('add')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.externalUserManageList}
        columns={useCustomerColumns()}
        rowActions={useCustomerActions(dialog)}
        nameOf={({ name }) => name}
        search={t('search')}
        filters={useCustomerFilters()}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      <Dialog dialog={dialog} />
    </>
  )
}

function Dialog({ dialog: { of, close } }: { dialog: CustomerDialogs }) {
  const [entered, disabled, reset] = [of('enter'), of('disable'), of('reset_totp')]
  const [registering, renewed, space] = [of('register'), of('renew'), of('space')]
  return (
    <Suspense>
      {entered && <EnterDialog customer={entered} onClose={close} />}
      {disabled && <DisableDialog customer={disabled} onClose={close} />}
      {reset && <ResetTotpDialog customer={reset} onClose={close} />}
      {registering && <RegisterDrawer customer={registering} onClose={close} />}
      {renewed && <RenewDrawer customer={renewed} onClose={close} />}
      {space && <SpaceDrawer customer={space} onClose={close} />}
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

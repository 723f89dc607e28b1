import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import type { SubAccountRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { useAccountColumns, useAccountStateFilter } from '../../shared/accounts/columns.tsx'
import { shownState } from '../../shared/accounts/quota.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useMay } from '../../core/session.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { DeleteDialog, DisableDialog, subAccountDialogs, useSubAccountActions } from './actions.tsx'
import { link } from '../../core/links.ts'

export default function SubAccountsPage() {
  const { t } = useTranslation(['sub-account', 'accounts', 'common'])
  const list = useListTable(api.subAccount.paging, {
    id: 'sub-account-manage-list',
    filters: { text: 'text', state: 'text' },
  })
  const { of, open, close } = useDialog(subAccountDialogs, list.rows)
  const [disabled, deleting] = [of('disable'), of('delete')]
  const filters = [useAccountStateFilter()]
  const add = (
    <AddButton needs="userManageSubAccountManageAdd" to={link.userManageSubAccountManageAdd.to()}>
      {t('add')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.subAccountManageList}
        columns={useColumns()}
        rowActions={useSubAccountActions(open)}
        nameOf={({ name }) => name}
        search={t('search')}
        filters={filters}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {disabled && <DisableDialog account={disabled} onClose={close} />}
      {deleting && <DeleteDialog account={deleting} onClose={close} />}
    </>
  )
}

function useColumns(): Column<SubAccountRow>[] {
  const { t } = useTranslation(['sub-account', 'accounts', 'common'])
  const may_edit = useMay('userManageSubAccountManageEdit')
  const shared = useAccountColumns<SubAccountRow>({
    title: t('column.name'),
    to: may_edit ? ({ kid }) => link.userManageSubAccountManageEdit.to({ kid }) : null,
    state: (row) => shownState(row, Date.now()),
  })
  return [
    shared.name,
    shared.state,
    shared.terminal_count,
    shared.expire_time,
    shared.last_use_at,
    shared.username,
    shared.organization_name,
    { key: 'phone', title: t('accounts:phone'), render: (_, row) => row.phone },
    { key: 'email', title: t('accounts:email'), is_hidden: true, render: (_, row) => row.email },
    {
      key: 'remark',
      title: t('accounts:remark'),
      is_hidden: true,
      render: (_, row) => row.remark,
    },
    shared.created_at,
  ]
}

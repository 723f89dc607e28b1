import { ApartmentOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { SubAccountRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { useAccountColumns, useAccountStateFilter } from '../../shared/accounts/columns.tsx'
import { shownState } from '../../shared/accounts/quota.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { OrDash } from '../../ui/value/values.tsx'
import { May, useMay } from '../../core/session.tsx'
import { DeleteDialog, DisableDialog, SubAccountActions, useEnable } from './actions.tsx'
import type { Wanted } from './actions.tsx'
import { link } from '../../core/links.ts'

export default function SubAccountsPage() {
  const { t } = useTranslation(['sub-account', 'accounts', 'common'])
  const navigate = useNavigate()
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const close = () => setWanted(null)
  const enable = useEnable()
  const list = useListTable(api.subAccount.paging, {
    id: 'sub-account-manage-list',
    filters: { text: 'text', state: 'text' },
  })
  const columns = useColumns((next) => (next.what === 'enable' ? void enable(next.row) : setWanted(next)))
  const filters = [useAccountStateFilter()]
  const add = (
    <May needs="userManageSubAccountManageAdd">
      <Button
        type="primary"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => void navigate(link.userManageSubAccountManageAdd.to())}
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
        icon={<ApartmentOutlined aria-hidden />}
        columns={columns}
        search={t('search')}
        filters={filters}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {wanted?.what === 'disable' && <DisableDialog account={wanted.row} onClose={close} />}
      {wanted?.what === 'delete' && <DeleteDialog account={wanted.row} onClose={close} />}
    </>
  )
}

function useColumns(onWant: (wanted: Wanted) => void): Column<SubAccountRow>[] {
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
    { key: 'phone', title: t('accounts:phone'), render: (_, row) => <OrDash>{row.phone}</OrDash> },
    { key: 'email', title: t('accounts:email'), is_hidden: true, render: (_, row) => <OrDash>{row.email}</OrDash> },
    {
      key: 'remark',
      title: t('accounts:remark'),
      is_hidden: true,
      render: (_, row) => (
        <OrDash>
          {row.remark && (
            <span className="clipped" title={row.remark}>
              {row.remark}
            </span>
          )}
        </OrDash>
      ),
    },
    shared.created_at,
    {
      key: 'actions',
      title: t('common:actions'),
      align: 'right',
      fixed: 'right',
      className: 'column-actions',
      render: (_, row) => <SubAccountActions row={row} onWant={onWant} />,
    },
  ]
}

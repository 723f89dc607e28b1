import { ApartmentOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { constants } from '@mdm/contract'
import type { SubAccountRow } from '@mdm/contract'
import { api } from '../../api.ts'
import { AccountStateBadge, Expiry, LastUse, Quota } from '../../pickers/accounts/cells.tsx'
import { shownState } from '../../pickers/accounts/quota.ts'
import type { Filter } from '../../screen/filters.tsx'
import { ListPage } from '../../screen/ListPage.tsx'
import type { Column } from '../../screen/ListPage.tsx'
import { useListTable } from '../../screen/use-list-table.ts'
import { DateTime, OrDash } from '../../screen/values.tsx'
import { May, useMay } from '../../session.tsx'
import { DeleteDialog, DisableDialog, SubAccountActions, useEnable } from './actions.tsx'
import type { Wanted } from './actions.tsx'
import { subAccountManageAdd, subAccountManageEdit } from './screens.ts'

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
  const filters: Filter[] = [
    {
      key: 'state',
      kind: 'one',
      label: t('common:state'),
      options: [
        { value: 'normal', label: t('accounts:state.normal') },
        { value: 'init', label: t('accounts:state.init') },
        { value: 'invalid', label: t('filter_invalid') },
      ],
    },
  ]
  const add = (
    <May needs="userManageSubAccountManageAdd">
      <Button type="primary" icon={<PlusOutlined />} onClick={() => void navigate(subAccountManageAdd.to())}>
        {t('add')}
      </Button>
    </May>
  )
  return (
    <>
      <ListPage
        list={list}
        title={t('title')}
        icon={<ApartmentOutlined />}
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
  return [
    {
      key: 'name',
      title: t('column.name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <span className="clipped" title={row.organization_name ?? row.name}>
          {may_edit ? <Link to={subAccountManageEdit.to({ kid: row.kid })}>{row.name}</Link> : row.name}
        </span>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      // In the rows what has ended is invalid too.
      export: { words: { ...t('accounts:state', { returnObjects: true }), invalid: t('filter_invalid') } },
      render: (_, row) => <AccountStateBadge state={shownState(row, Date.now())} />,
    },
    {
      key: 'terminal_count',
      title: t('accounts:column.devices'),
      sorter: true,
      export: [
        { key: 'terminal_count' },
        {
          key: 'terminal_max',
          title: t('common:list.export_limit', { name: t('accounts:column.devices') }),
          words: { [constants.unlimited_devices]: t('accounts:unlimited') },
        },
      ],
      render: (_, row) => (
        <Quota label={t('devices_of', { name: row.name })} used={row.terminal_count} max={row.terminal_max} />
      ),
    },
    {
      key: 'expire_time',
      title: t('accounts:column.expires'),
      sorter: true,
      render: (_, row) => <Expiry at={row.expire_time} />,
    },
    {
      key: 'last_use_at',
      title: t('accounts:column.last_use'),
      sorter: true,
      render: (_, row) => <LastUse at={row.last_use_at} />,
    },
    {
      key: 'username',
      title: t('accounts:column.username'),
      sorter: true,
      render: (_, row) => <OrDash>{row.username}</OrDash>,
    },
    {
      key: 'organization_name',
      title: t('accounts:organization'),
      is_hidden: true,
      render: (_, row) => <OrDash>{row.organization_name}</OrDash>,
    },
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
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      is_hidden: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
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

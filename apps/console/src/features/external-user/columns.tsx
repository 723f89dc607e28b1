import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { accountTypes, constants } from '@mdm/contract'
import type { CustomerRow } from '@mdm/contract'
import { AccountStateBadge, Expiry, LastUse, Quota } from '../../pickers/accounts/cells.tsx'
import { useCount } from '../../screen/format.ts'
import type { Column } from '../../screen/ListPage.tsx'
import { DateTime, OrDash } from '../../screen/values.tsx'
import { useMay } from '../../session.tsx'
import { externalUserManageEdit } from './screens.ts'
import { stateOf } from './why-not.ts'

export function useCustomerColumns(actions: (row: CustomerRow) => ReactNode): Column<CustomerRow>[] {
  const { t } = useTranslation(['external-user', 'accounts', 'common'])
  const count = useCount()
  const may_edit = useMay('mdmManageExternalUserManageEdit')
  return [
    {
      key: 'name',
      title: t('column.name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <span className="clipped" title={row.organization_name ?? row.name}>
          {may_edit ? <Link to={externalUserManageEdit.to({ kid: row.kid })}>{row.name}</Link> : row.name}
        </span>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      // In the rows what has ended is invalid too.
      export: { words: { ...t('accounts:state', { returnObjects: true }), invalid: t('filter.invalid') } },
      render: (_, row) => <AccountStateBadge state={stateOf(row)} />,
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
      key: 'user_count',
      title: t('column.users'),
      export: [
        { key: 'user_count' },
        { key: 'user_max', title: t('common:list.export_limit', { name: t('column.users') }) },
      ],
      render: (_, row) =>
        row.user_max === null ? (
          <span title={t('accounts:unlimited')}>{count(row.user_count)}</span>
        ) : (
          <Quota label={t('users_of', { name: row.name })} used={row.user_count} max={row.user_max} />
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
    { key: 'fae_name', title: t('column.fae'), render: (_, row) => <OrDash>{row.fae_name}</OrDash> },
    {
      key: 'type',
      title: t('accounts:column.type'),
      export: {
        words: {
          [accountTypes.account]: t('accounts:type.account'),
          [accountTypes.sub_account]: t('accounts:type.sub_account'),
        },
      },
      render: (_, { type }) => t(`accounts:type.${type === accountTypes.account ? 'account' : 'sub_account'}`),
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
      render: (_, row) => actions(row),
    },
  ]
}

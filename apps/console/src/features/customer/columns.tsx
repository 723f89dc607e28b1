import { useTranslation } from 'react-i18next'
import { accountTypes } from '@mdm/contract'
import type { CustomerRow } from '@mdm/contract'
import { Quota } from '../../shared/accounts/cells.tsx'
import { useAccountColumns } from '../../shared/accounts/columns.tsx'
import { useCount } from '../../ui/value/format.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useMay } from '../../core/session.tsx'
import { stateOf } from './actions/why-not.ts'
import { link } from '../../core/links.ts'

export function useCustomerColumns(): Column<CustomerRow>[] {
  const { t } = useTranslation(['customer', 'accounts', 'common'])
  const count = useCount()
  const may_edit = useMay('mdmManageExternalUserManageEdit')
  const shared = useAccountColumns<CustomerRow>({
    title: t('column.name'),
    to: may_edit ? ({ kid }) => link.mdmManageExternalUserManageEdit.to({ kid }) : null,
    state: stateOf,
  })
  return [
    shared.name,
    shared.state,
    shared.terminal_count,
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
    shared.expire_time,
    shared.last_use_at,
    { key: 'fae_name', title: t('column.fae'), render: (_, row) => row.fae_name },
    {
      key: 'type',
      title: t('accounts:column.type'),
      export: {
        labels: {
          [accountTypes.account]: t('accounts:type.account'),
          [accountTypes.sub_account]: t('accounts:type.sub_account'),
        },
      },
      render: (_, { type }) => t(`accounts:type.${type === accountTypes.account ? 'account' : 'sub_account'}`),
    },
    shared.username,
    shared.organization_name,
    shared.created_at,
  ]
}

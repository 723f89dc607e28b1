import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { constants } from '@mdm/contract'
import type { SubAccountRow } from '@mdm/contract'
import type { Filter } from '../../ui/list/filters.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { Clipped, DateTime } from '../../ui/value/values.tsx'
import { AccountStateBadge, Expiry, LastUse, Quota } from './cells.tsx'
import type { ShownState } from './quota.ts'

/** What customers and sub-accounts have in common. */
type AccountRow = Pick<
  SubAccountRow,
  | 'kid'
  | 'name'
  | 'organization_name'
  | 'terminal_count'
  | 'terminal_max'
  | 'expire_time'
  | 'last_use_at'
  | 'username'
  | 'created_at'
>
type Options<R> = {
  /** What an account is called here. */
  title: string
  /** Where its name leads; nowhere for those who may not edit. */
  to: ((row: R) => string) | null
  state: (row: R) => ShownState
}

/** Columns of any list of accounts, by their key: the page puts them in its order, among its own. */
export function useAccountColumns<R extends AccountRow>({ title, to, state }: Options<R>) {
  const { t } = useTranslation(['accounts', 'common'])
  return {
    name: {
      key: 'name',
      title,
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <Clipped text={row.organization_name ?? row.name}>
          {to ? <Link to={to(row)}>{row.name}</Link> : row.name}
        </Clipped>
      ),
    },
    state: {
      key: 'state',
      title: t('common:state'),
      // In the rows what has ended is invalid too.
      export: { labels: { ...t('state', { returnObjects: true }), invalid: t('invalid_or_expired') } },
      render: (_, row) => <AccountStateBadge state={state(row)} />,
    },
    terminal_count: {
      key: 'terminal_count',
      title: t('column.devices'),
      sorter: true,
      export: [
        { key: 'terminal_count' },
        {
          key: 'terminal_max',
          title: t('common:list.export_limit', { name: t('column.devices') }),
          labels: { [constants.unlimited_devices]: t('unlimited') },
        },
      ],
      render: (_, row) => (
        <Quota label={t('devices_of', { name: row.name })} used={row.terminal_count} max={row.terminal_max} />
      ),
    },
    expire_time: {
      key: 'expire_time',
      title: t('column.expires'),
      sorter: true,
      render: (_, row) => <Expiry at={row.expire_time} />,
    },
    last_use_at: {
      key: 'last_use_at',
      title: t('column.last_use'),
      sorter: true,
      render: (_, row) => <LastUse at={row.last_use_at} />,
    },
    username: {
      key: 'username',
      title: t('column.username'),
      sorter: true,
      render: (_, row) => row.username,
    },
    organization_name: {
      key: 'organization_name',
      title: t('organization'),
      is_hidden: true,
      render: (_, row) => row.organization_name,
    },
    created_at: {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      is_hidden: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  } satisfies Record<string, Column<R>>
}

export function useAccountStateFilter(): Filter {
  const { t } = useTranslation(['accounts', 'common'])
  return {
    key: 'state',
    kind: 'one',
    label: t('common:state'),
    options: [
      { value: 'normal', label: t('state.normal') },
      { value: 'init', label: t('state.init') },
      { value: 'invalid', label: t('invalid_or_expired') },
    ],
  }
}

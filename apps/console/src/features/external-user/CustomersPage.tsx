import { LoginOutlined, TeamOutlined, WarningOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { accountTypes } from '@mdm/contract'
import type { CustomerRow } from '@mdm/contract'
import { api } from '../../api.ts'
import { UsageBar } from '../../pickers/DeviceParts.tsx'
import { Because } from '../../screen/Because.tsx'
import type { Filter } from '../../screen/filters.tsx'
import { useCount } from '../../screen/format.ts'
import { ListPage } from '../../screen/ListPage.tsx'
import type { Column } from '../../screen/ListPage.tsx'
import { StateBadge } from '../../screen/StateBadge.tsx'
import { useListTable } from '../../screen/use-list-table.ts'
import { Ago, DateTime, OrDash } from '../../screen/values.tsx'
import { useMay } from '../../session.tsx'
import { EnterDialog } from './EnterDialog.tsx'
import { daysLeft, expiryTone, isUnlimited, whyNot } from './quota.ts'
import './external-user.css'

const states = ['normal', 'init', 'invalid'] as const
const tones = { normal: 'good', init: 'warn', invalid: 'bad' } as const

export default function CustomersPage() {
  const { t } = useTranslation(['external-user', 'common'])
  const [wanted, setWanted] = useState<CustomerRow | null>(null)
  const list = useListTable(api.opsAccount.paging, {
    id: 'external-user-manage-list',
    filters: { text: 'text', state: 'text' },
  })
  const columns = useCustomerColumns(setWanted)
  const filters: Filter[] = [
    {
      key: 'state',
      kind: 'one',
      label: t('common:state'),
      options: states.map((value) => ({ value, label: t(`state.${value}`) })),
    },
  ]
  return (
    <>
      <ListPage
        list={list}
        title={t('title')}
        icon={<TeamOutlined />}
        columns={columns}
        search={t('search')}
        filters={filters}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {wanted && <EnterDialog customer={wanted} onClose={() => setWanted(null)} />}
    </>
  )
}

function useCustomerColumns(onEnter: (row: CustomerRow) => void): Column<CustomerRow>[] {
  const { t } = useTranslation(['external-user', 'common'])
  const may_enter = useMay('externalUserManageList:enter')
  const typeOf = ({ type }: CustomerRow) =>
    type === accountTypes.account ? t('type.account') : type === accountTypes.sub_account ? t('type.sub_account') : type
  const columns: Column<CustomerRow>[] = [
    {
      key: 'name',
      title: t('column.name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <span className="customer-name" title={row.organization_name ?? undefined}>
          {row.name}
          {row.organization_name && row.organization_name !== row.name && (
            <span className="dim"> {row.organization_name}</span>
          )}
        </span>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      render: (_, row) => <StateBadge tone={tones[row.state]}>{t(`state.${row.state}`)}</StateBadge>,
    },
    { key: 'terminal_count', title: t('column.devices'), sorter: true, render: (_, row) => <Quota row={row} /> },
    {
      key: 'expire_time',
      title: t('column.expires'),
      sorter: true,
      render: (_, row) => <Expiry at={row.expire_time} />,
    },
    {
      key: 'username',
      title: t('column.username'),
      sorter: true,
      render: (_, row) => <OrDash>{row.username}</OrDash>,
    },
    { key: 'type', title: t('column.type'), render: (_, row) => typeOf(row) },
    {
      key: 'last_use_at',
      title: t('column.last_use'),
      sorter: true,
      render: (_, row) => (row.last_use_at ? <Ago at={row.last_use_at} /> : <span className="dim">{t('never')}</span>),
    },
    { key: 'fae_name', title: t('column.fae'), render: (_, row) => <OrDash>{row.fae_name}</OrDash> },
  ]
  const enter: Column<CustomerRow> = {
    key: 'actions',
    title: t('common:actions'),
    align: 'right',
    fixed: 'right',
    className: 'column-actions',
    render: (_, row) => {
      const reason = whyNot(row, Date.now())
      const because = reason && t(`why_not.${reason}`)
      return (
        <Because because={because}>
          <Button
            size="small"
            icon={<LoginOutlined />}
            disabled={because !== undefined}
            aria-label={t('enter.button_of', { name: row.name })}
            onClick={() => onEnter(row)}
          >
            {t('enter.button')}
          </Button>
        </Because>
      )
    },
  }
  return may_enter ? [...columns, enter] : columns
}

/** Devices of the account as a part of those it may have. */
function Quota({ row: { terminal_count, terminal_max, name } }: { row: CustomerRow }) {
  const { t } = useTranslation('external-user')
  const count = useCount()
  if (isUnlimited(terminal_max)) {
    return (
      <span className="quota">
        <span className="quota-none dim">{t('unlimited')}</span>
        <span className="number">{count(terminal_count)}</span>
      </span>
    )
  }
  const part = terminal_max > 0 ? terminal_count / terminal_max : terminal_count > 0 ? 1 : 0
  return (
    <span className="quota">
      <UsageBar part={part} label={t('quota', { name, count: count(terminal_count), max: count(terminal_max) })} />
      <span className="number">
        {count(terminal_count)} <span className="dim">/ {count(terminal_max)}</span>
      </span>
    </span>
  )
}

function Expiry({ at }: { at: string | null }) {
  const { t } = useTranslation('external-user')
  const count = useCount()
  if (!at) return <span className="dim">{t('no_expiry')}</span>
  const now = Date.now()
  const tone = expiryTone(at, now)
  if (!tone) return <DateTime at={at} />
  const days = daysLeft(at, now)
  const is_past = Date.parse(at) <= now
  return (
    <span className="customer-expiry">
      <DateTime at={at} />
      <StateBadge tone={tone} icon={<WarningOutlined />}>
        {is_past
          ? t('expired', { count: -days, shown: count(-days) })
          : t('expires', { count: days, shown: count(days) })}
      </StateBadge>
    </span>
  )
}

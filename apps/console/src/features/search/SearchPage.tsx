import { LoginOutlined } from '@ant-design/icons'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import type { OpsTerminalRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { AccountStateBadge } from '../../shared/accounts/cells.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { OnlineBadge } from '../../ui/value/StateBadge.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Ago, Clipped, Code, DateTime } from '../../ui/value/values.tsx'
import { enterCustomer, useMay } from '../../core/session.tsx'
import { useView, ViewChoice } from '../../ui/list/ViewChoice.tsx'
import { AccountSearch } from './AccountSearch.tsx'
import { Highlight } from './Highlight.tsx'
import { Scrapped } from './Scrapped.tsx'
import './search.css'
import { link } from '../../core/links.ts'

type Opening = {
  of: string | null
  why: (row: OpsTerminalRow) => string | undefined
  open: (row: OpsTerminalRow) => void
}

/** Devices of everybody: those that are there, and those that are gone for good. */
export default function SearchPage() {
  const { t } = useTranslation('search')
  const choice = (
    <ViewChoice
      label={t('view.label')}
      views={[
        { value: 'devices', label: t('view.devices') },
        { value: 'scrapped', label: t('view.scrapped') },
      ]}
    />
  )
  const view = useView(['devices', 'scrapped'])
  return view === 'devices' ? <Devices choice={choice} /> : <Scrapped choice={choice} />
}

/** Where a device is, when nobody knows whose it is. */
function Devices({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation(['search', 'common'])
  const list = useListTable(api.opsTerminal.paging, {
    id: 'search-list',
    filters: { text: 'text', account_text: 'text', is_online: 'boolean' },
  })
  const { text, account_text } = list.values
  const opening = useOpening()
  return (
    <ListPage
      list={list}
      page={pages.searchList}
      actions={choice}
      columns={useColumns({ text, account_text })}
      nameOf={({ sn }) => sn}
      rowActions={(row) => [
        {
          icon: <LoginOutlined aria-hidden />,
          text: t('open'),
          label: t('open_of', { sn: row.sn, name: row.account_name }),
          disabled_reason: opening.why(row),
          loading: opening.of === row.kid,
          onSelect: () => opening.open(row),
        },
      ]}
      search={t('search')}
      filters={[
        {
          key: 'is_online',
          kind: 'yes_no',
          label: t('common:state'),
          yes: t('common:online'),
          no: t('common:offline'),
        },
      ]}
      primary={<AccountSearch value={account_text} onSearch={(value) => list.set({ account_text: value })} />}
      empty={{ title: t('empty'), hint: t('empty_hint') }}
      onRow={(row) => !opening.why(row) && opening.open(row)}
    />
  )
}

/** Into the customer and on to the device; from then on everything is done, and recorded, in that account. */
function useOpening(): Opening {
  const { t } = useTranslation('search')
  const may_enter = useMay('externalUserManageList:enter')
  const may_see = useMay('deviceDetailInfo')
  const [of, setOf] = useState<string | null>(null)
  const open = async ({ kid, account_kid, account_name }: OpsTerminalRow) => {
    setOf(kid)
    try {
      await enterCustomer(account_kid, link.deviceDetailInfo.to({ kid }))
      notify.info(t('entered', { name: account_name }))
    } catch (error) {
      notify.fail(error)
      setOf(null)
    }
  }
  return {
    of,
    why: (row) => {
      if (!may_enter || !may_see) return t('why_not.permission')
      return row.can.includes('enter') ? undefined : t('why_not.account')
    },
    open: (row) => void open(row),
  }
}

type Shown = { text: string | undefined; account_text: string | undefined }
function useColumns({ text, account_text }: Shown): Column<OpsTerminalRow>[] {
  const { t } = useTranslation(['search', 'common'])
  return [
    {
      key: 'sn',
      title: t('column.sn'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <strong className="search-sn">
          <Code value={row.sn}>
            <Highlight text={row.sn} wanted={text} />
          </Code>
        </strong>
      ),
    },
    {
      key: 'account_name',
      title: t('column.account'),
      render: (_, row) => (
        <span className="search-customer">
          <Clipped text={row.account_name}>
            <Highlight text={row.account_name} wanted={account_text} />
          </Clipped>
          {row.account_state !== 'normal' && <AccountStateBadge state={row.account_state} />}
        </span>
      ),
    },
    {
      key: 'is_online',
      title: t('common:state'),
      export: { labels: { true: t('common:online'), false: t('common:offline') } },
      render: (_, row) => (
        <OnlineBadge is_online={row.is_online} label={t(row.is_online ? 'common:online' : 'common:offline')} />
      ),
    },
    {
      key: 'name',
      title: t('column.name'),
      render: (_, row) => (
        <Clipped text={row.name}>
          <Highlight text={row.name} wanted={text} />
        </Clipped>
      ),
    },
    {
      key: 'imei',
      title: t('column.imei'),
      render: (_, row) => (
        <Code value={row.imei}>
          <Highlight text={row.imei ?? ''} wanted={text} />
        </Code>
      ),
    },
    { key: 'model', title: t('column.model'), render: (_, row) => row.model },
    { key: 'os_version', title: t('column.os'), render: (_, row) => row.os_version },
    {
      key: 'last_online_at',
      title: t('column.last_contact'),
      render: (_, row) =>
        !row.is_online && row.last_online_at ? (
          <Ago at={row.last_online_at} />
        ) : (
          <span className="ago">{t(row.is_online ? 'now' : 'never')}</span>
        ),
    },
    {
      key: 'registered_at',
      title: t('column.registered_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.registered_at} />,
    },
  ]
}

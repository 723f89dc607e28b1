import { Button } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pages, policySources, terminalPolicyStates } from '@mdm/contract'
import type { TerminalPolicyRow, TerminalPolicyState } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Code, DateTime } from '../../ui/value/values.tsx'
import { May, useMay } from '../../core/session.tsx'

const tones: Record<TerminalPolicyState, Tone> = { pending: 'quiet', active: 'good', ended: 'warn' }
/** More are found by typing into the search of the policies. */
const offered = 200

/** Which SNs have what, until when. */
export function PolicyDevices({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation('policy')
  const may_remove = useMay('policyList:import')
  const [removing, setRemoving] = useState<readonly TerminalPolicyRow[] | null>(null)
  const list = useListTable(api.opsPolicy.paging_terminal, {
    id: 'policy-devices',
    filters: { text: 'text', policy_kid: 'text', state: 'text', source: 'text' },
  })
  return (
    <>
      <ListPage
        list={list}
        page={pages.policyList}
        actions={choice}
        columns={useColumns()}
        search={t('devices.search')}
        filters={useFilters()}
        nameOf={({ sn }) => sn}
        {...(may_remove && {
          bulk: () => (
            <May needs="policyList:import">
              <Button danger size="small" onClick={() => setRemoving(list.selection.rows)}>
                {t('remove.action')}
              </Button>
            </May>
          ),
        })}
        empty={{ title: t('devices.empty'), hint: t('devices.empty_hint') }}
      />
      {removing && <RemoveDialog rows={removing} onClose={() => setRemoving(null)} onDone={list.selection.clear} />}
    </>
  )
}

type DialogProps = { rows: readonly TerminalPolicyRow[]; onClose: () => void; onDone: () => void }
function RemoveDialog({ rows, onClose, onDone }: DialogProps) {
  const { t } = useTranslation('policy')
  const count = rows.length
  return (
    <ConfirmWrite
      call={api.opsPolicy.delete_terminal}
      input={{ kids: rows.map(({ kid }) => kid) }}
      done={t('remove.done', { count })}
      onDone={onDone}
      title={t('remove.title', { count })}
      submit={t('remove.submit', { count })}
      onClose={onClose}
    >
      <p>{t('remove.text')}</p>
    </ConfirmWrite>
  )
}

function useFilters(): Filter[] {
  const { t } = useTranslation('policy')
  const policies = useCall(api.opsPolicy.paging, { page_size: offered, sort: 'name' })
  return [
    {
      key: 'policy_kid',
      kind: 'one',
      label: t('devices.policy'),
      options: (policies.data?.items ?? []).map(({ kid, name }) => ({ value: kid, label: name })),
    },
    {
      key: 'state',
      kind: 'one',
      label: t('devices.state'),
      options: terminalPolicyStates.map((value) => ({ value, label: t(`devices.${value}`) })),
    },
    {
      key: 'source',
      kind: 'one',
      label: t('devices.source'),
      options: policySources.map((value) => ({ value, label: t(`devices.${value}`) })),
    },
  ]
}

function useColumns(): Column<TerminalPolicyRow>[] {
  const { t } = useTranslation('policy')
  return [
    { key: 'sn', title: t('devices.sn'), sorter: true, is_fixed: true, render: (_, { sn }) => <Code value={sn} /> },
    {
      key: 'state',
      title: t('devices.state'),
      export: { labels: Object.fromEntries(terminalPolicyStates.map((value) => [value, t(`devices.${value}`)])) },
      render: (_, { state }) => <StateBadge tone={tones[state]}>{t(`devices.${state}`)}</StateBadge>,
    },
    { key: 'policy_name', title: t('devices.policy'), dataIndex: 'policy_name' },
    { key: 'starts_at', title: t('devices.starts_at'), render: (_, { starts_at }) => <DateTime at={starts_at} /> },
    {
      key: 'ends_at',
      title: t('devices.ends_at'),
      sorter: true,
      render: (_, { ends_at }) => <DateTime at={ends_at} />,
    },
    {
      key: 'account_name',
      title: t('devices.account'),
      render: (_, { account_name }) => account_name ?? <span className="dim">{t('devices.unregistered')}</span>,
    },
    { key: 'work_order', title: t('devices.work_order'), dataIndex: 'work_order' },
    {
      key: 'source',
      title: t('devices.source'),
      export: { labels: Object.fromEntries(policySources.map((value) => [value, t(`devices.${value}`)])) },
      render: (_, { source }) => t(`devices.${source}`),
    },
    {
      key: 'created_at',
      title: t('devices.created_at'),
      sorter: true,
      render: (_, { created_at, created_by }) => (
        <span>
          <DateTime at={created_at} /> <span className="dim">{t('devices.by', { name: created_by })}</span>
        </span>
      ),
    },
  ]
}

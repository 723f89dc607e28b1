import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { OperationLogRow, Page } from '@mdm/contract'
import { useSearch, withParams } from '../../core/address.ts'
import type { api } from '../../core/api.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useCount } from '../../ui/value/format.ts'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { DateTime, OrDash, Unit } from '../../ui/value/values.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { modulesOf } from './actions.ts'
import { OperationDrawer } from './OperationDrawer.tsx'
import { ResultBadge, Who } from './parts.tsx'
import { Objects, useObjectFilter } from './objects.tsx'
import { useOperatorFilter } from './operator-filter.tsx'
import './operation-log.css'

export type LogCalls = typeof api.operationLog | typeof api.opsOperationLog
type Props = { id: string; page: Page; calls: LogCalls; is_ops?: boolean }

/** What was done, by whom, with what result. The customer's and the provider's screen are this one. */
export function OperationLog({ id, page, calls, is_ops }: Props) {
  const { t } = useTranslation(['operation-log', 'common'])
  const [search, setSearch] = useSearch()
  const list = useListTable(calls.paging, {
    id,
    filters: {
      text: 'text',
      operator_kid: 'text',
      object_kid: 'text',
      module_code: 'text',
      action_code: 'text',
      result: 'text',
      from: 'text',
      to: 'text',
    },
  })
  const operator = useOperatorFilter(calls, list)
  const object = useObjectFilter(list)
  const filters = useFilters(list.values.module_code, operator, object)
  const show = (log: string | null) => setSearch((before) => withParams(before, { log }))
  const columns = useColumns(is_ops ?? false, (kid) => `?${withParams(search, { log: kid })}`)
  const open = search.get('log')
  // An action belongs to its module: another module knows nothing of it.
  const set: typeof list.set = (patch, options) =>
    list.set('module_code' in patch ? { action_code: null, ...patch } : patch, options)
  const shown = { ...list, set, params: { ...list.params, set: set as never } }
  return (
    <>
      <ListPage<OperationLogRow>
        list={shown as never}
        page={page}
        columns={columns}
        search={t('search')}
        filters={filters}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        onRow={(row) => show(row.kid)}
      />
      {open && <OperationDrawer key={open} kid={open} calls={calls} onClose={() => show(null)} />}
    </>
  )
}

function useFilters(module_code: string | undefined, operator: Filter, object: Filter): Filter[] {
  const { t } = useTranslation('operation-log')
  const language = useSessionStore((s) => s.language)
  const modules = useMemo(() => modulesOf(language), [language])
  const chosen = modules.find(({ value }) => value === module_code)
  return [
    operator,
    object,
    { key: 'module_code', kind: 'one', label: t('module'), options: modules },
    ...(chosen ? [{ key: 'action_code', kind: 'one', label: t('action'), options: chosen.actions } as const] : []),
    {
      key: 'result',
      kind: 'one',
      label: t('result'),
      options: [
        { value: 'success', label: t('success') },
        { value: 'failure', label: t('failure') },
      ],
    },
    { key: 'from', until: 'to', kind: 'time', label: t('time') },
  ]
}

function useColumns(is_ops: boolean, addressOf: (kid: string) => string): Column<OperationLogRow>[] {
  const { t } = useTranslation(['operation-log', 'common'])
  const count = useCount()
  const columns: Column<OperationLogRow>[] = [
    {
      key: 'created_at',
      title: t('time'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <Link className="log-time" to={{ search: addressOf(row.kid) }}>
          <DateTime at={row.created_at} />
        </Link>
      ),
    },
    {
      key: 'operator',
      title: t('operator'),
      export: [{ key: 'operator_name' }, { key: 'operator_username', title: t('operator_login') }],
      render: (_, row) => <Who name={row.operator_name} username={row.operator_username} />,
    },
    { key: 'module', title: t('module'), dataIndex: 'module_name', export: { key: 'module_name' } },
    { key: 'action', title: t('action'), dataIndex: 'action_name', export: { key: 'action_name' } },
    {
      key: 'result',
      title: t('result'),
      // A failure keeps its code: the word alone would say less than the list does.
      export: { labels: { 1: t('success') } },
      render: (_, row) => <ResultBadge result={row.result} />,
    },
    {
      key: 'object',
      title: t('object'),
      // The names of what is listed; a file has no links.
      export: { key: 'objects' },
      render: (_, row) => <Objects row={row} />,
    },
    {
      key: 'change',
      title: t('change'),
      export: [{ key: 'change' }, { key: 'message', title: t('message') }],
      render: (_, row) => {
        const text = row.result === 1 ? row.change : row.message
        return (
          <OrDash>
            {text && (
              <span className="log-change" title={text}>
                {text}
              </span>
            )}
          </OrDash>
        )
      },
    },
    {
      key: 'account',
      title: t('account'),
      export: { key: 'account_name' },
      render: (_, row) => row.account_name,
    },
    { key: 'ip', title: t('ip'), render: (_, row) => <span className="number">{row.ip}</span> },
    {
      key: 'duration_ms',
      title: t('duration'),
      export: { title: t('common:list.export_unit', { name: t('duration'), unit: 'ms' }) },
      align: 'right',
      render: (_, row) => <Unit value={count(row.duration_ms)} unit="ms" />,
    },
  ]
  return is_ops ? columns : columns.filter(({ key }) => key !== 'account')
}

import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { PushTaskDetail, PushTaskTerminal } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { useOpened } from '../../../ui/dialog/use-opened.ts'
import type { Filter } from '../../../ui/list/filters.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { OnlineBadge } from '../../../ui/value/StateBadge.tsx'
import { Code, Count, DateTime, OrDash, Since } from '../../../ui/value/values.tsx'
import { usePushRowActions } from '../PushActions.tsx'
import { usePushStateFilter } from '../push-filter.ts'
import { usePushLabels } from '../../../shared/push/push-labels.ts'
import { PushProgress, PushStateBadge } from '../PushStateBadge.tsx'
import { DeviceDrawer } from './DeviceDrawer.tsx'
import { useDeviceLabels } from './device-labels.ts'

type Row = PushTaskTerminal & { kid: string }

/** The devices of a push: where each one is, what it waits for and why it failed; live. */
export function TaskDevices({ task }: { task: PushTaskDetail }) {
  const { t, stateLabels, reason, failure } = usePushLabels()
  const { t: tt } = useTranslation('push-task/task')
  const { waits, hint } = useDeviceLabels(task.phase)
  const list = useListTable(api.pushTask.paging_terminal, {
    id: 'push-task-devices',
    filters: { states: 'texts', code: 'text', step: 'number', text: 'text' },
    fixed: { push_task_kid: task.kid },
  })
  const rows: Row[] = list.rows.map((row) => ({ ...row, kid: row.terminal_kid }))
  const { opened, open, linkTo } = useOpened('device')
  const open_row = rows.find((row) => row.kid === opened)
  const columns: Column<Row>[] = [
    {
      key: 'sn',
      title: tt('column.sn'),
      is_fixed: true,
      render: (_, row) => (
        <Link to={linkTo(row.kid)} preventScrollReset>
          <Code value={row.sn} />
        </Link>
      ),
    },
    { key: 'name', title: tt('column.alias'), render: (_, row) => row.name },
    {
      key: 'is_online',
      title: tt('column.device'),
      export: { labels: { true: t('common:online'), false: t('common:offline') } },
      render: (_, row) => (
        <OnlineBadge is_online={row.is_online} label={t(row.is_online ? 'common:online' : 'common:offline')} />
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      sorter: true,
      export: { labels: stateLabels(task.type) },
      render: (_, row) => (
        <span className="push-device-state">
          <PushStateBadge type={row.type} state={row.state} cancel_asked={row.cancel_asked} />
          <PushProgress state={row.state} progress={row.progress} />
          {waits(row) && <span className="push-waits">{waits(row)}</span>}
        </span>
      ),
    },
    {
      key: 'state_at',
      title: tt('column.since'),
      sorter: true,
      export: { title: t('common:updated_at') },
      render: (_, row) => <Since at={row.state_at} />,
    },
    ...(task.rollout
      ? [
          {
            key: 'step',
            title: tt('column.step'),
            align: 'right',
            render: (_, row) => <Count value={row.step} />,
          } satisfies Column<Row>,
        ]
      : []),
    {
      key: 'detail',
      title: tt('column.detail'),
      width: '100%',
      export: [
        { key: 'code', labels: t('push:code', { returnObjects: true }) },
        { key: 'message', title: t('common:list.export_detail', { name: tt('column.detail') }) },
      ],
      render: (_, row) => {
        const text = reason(row)
        return (
          <OrDash>
            {text && (
              <span
                className="push-why"
                data-bad={row.state === 'failed' || undefined}
                title={[text, hint(row)].filter(Boolean).join('\n')}
              >
                {text}
              </span>
            )}
          </OrDash>
        )
      },
    },
    {
      key: 'result_url',
      title: tt('column.result'),
      is_hidden: true,
      export: false,
      render: (_, row) => (
        <OrDash>
          {row.result_url && (
            <a href={row.result_url} target="_blank" rel="noreferrer">
              {tt('open_result')}
            </a>
          )}
        </OrDash>
      ),
    },
    {
      key: 'attempt',
      title: tt('column.attempt'),
      align: 'right',
      is_hidden: true,
      render: (_, row) => <span className="number">{row.attempt}</span>,
    },
    {
      key: 'deadline_at',
      title: tt('column.deadline'),
      is_hidden: true,
      render: (_, row) => <DateTime at={row.deadline_at} />,
    },
  ]
  const filters: Filter[] = [usePushStateFilter(task.type)]
  if (task.failures.length > 0)
    filters.push({
      key: 'code',
      kind: 'one',
      label: tt('failures.title'),
      options: task.failures.map(({ code }) => ({ value: code, label: failure(code) })),
    })
  if (task.rollout)
    filters.push({
      key: 'step',
      kind: 'one',
      label: tt('column.step'),
      options: task.plan.map(({ step }) => ({ value: String(step), label: String(step) })),
    })
  return (
    <>
      <ListPage<Row>
        list={{ ...list, rows } as never}
        is_part
        title={tt('tab.devices')}
        columns={columns}
        rowActions={usePushRowActions()}
        search={tt('search_sn')}
        filters={filters}
        empty={{ title: tt('no_devices'), hint: tt('no_devices_hint') }}
        onRow={(row) => open(row.kid)}
      />
      {open_row && <DeviceDrawer row={open_row} phase={task.phase} onClose={() => open(null)} />}
    </>
  )
}

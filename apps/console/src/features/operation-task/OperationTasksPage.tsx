import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { operationTaskKinds, operationTaskStates, pages } from '@mdm/contract'
import type { OperationTaskRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { DateTime } from '../../ui/value/values.tsx'
import { TaskProgress, TaskState, textFilter, useTaskName } from './parts.tsx'
import { useTaskActs } from './use-task-acts.tsx'
import './operation-task.css'

/** Background jobs of all customers and of the provider, with how far each is. */
export default function OperationTasksPage() {
  const { t } = useTranslation('operation-task')
  const list = useListTable(api.opsOperationTask.paging, {
    id: 'operation-task-list',
    filters: {
      text: 'text',
      kinds: 'texts',
      states: 'texts',
      account_text: 'text',
      person: 'text',
      from: 'text',
      to: 'text',
    },
  })
  const nameOf = useTaskName()
  const { acts, dialog } = useTaskActs()
  const { account_text, person } = list.values
  return (
    <>
      <ListPage<OperationTaskRow>
        list={list as never}
        page={pages.operationTaskList}
        columns={useColumns()}
        search={t('search')}
        nameOf={nameOf}
        rowActions={acts}
        filters={[
          {
            key: 'kinds',
            kind: 'many',
            label: t('column.kind'),
            options: operationTaskKinds.map((value) => ({ value, label: t(`kind.${value}`) })),
          },
          {
            key: 'states',
            kind: 'many',
            label: t('column.state'),
            options: operationTaskStates.map((value) => ({ value, label: t(`state.${value}`) })),
          },
          textFilter('account_text', t('column.account'), t('account_hint'), account_text),
          textFilter('person', t('column.created_by'), t('person_hint'), person),
          { key: 'from', until: 'to', kind: 'time', label: t('column.created_at') },
        ]}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {dialog}
    </>
  )
}

function useColumns(): Column<OperationTaskRow>[] {
  const { t } = useTranslation('operation-task')
  const nameOf = useTaskName()
  return [
    {
      key: 'name',
      title: t('column.name'),
      is_fixed: true,
      render: (_, task) => (
        <Link className="operation-name" to={link.operationTaskDetail.to({ kid: task.kid })} title={nameOf(task)}>
          {nameOf(task)}
        </Link>
      ),
    },
    {
      key: 'kind',
      title: t('column.kind'),
      export: { labels: Object.fromEntries(operationTaskKinds.map((kind) => [kind, t(`kind.${kind}`)])) },
      render: (_, { kind }) => t(`kind.${kind}`),
    },
    {
      key: 'state',
      title: t('column.state'),
      export: { labels: Object.fromEntries(operationTaskStates.map((state) => [state, t(`state.${state}`)])) },
      render: (_, task) => <TaskState task={task} />,
    },
    {
      key: 'progress',
      title: t('column.progress'),
      export: [
        { key: 'done', title: t('column.done') },
        { key: 'total', title: t('column.total') },
        { key: 'failed', title: t('column.failed') },
      ],
      render: (_, task) => <TaskProgress task={task} />,
    },
    {
      key: 'account_name',
      title: t('column.account'),
      render: (_, { account_name }) => account_name ?? <span className="dim">{t('provider')}</span>,
    },
    { key: 'created_by', title: t('column.created_by'), render: (_, { created_by }) => created_by },
    {
      key: 'created_at',
      title: t('column.created_at'),
      sorter: true,
      render: (_, { created_at }) => <DateTime at={created_at} />,
    },
    {
      key: 'finished_at',
      title: t('column.finished_at'),
      render: (_, { finished_at }) => finished_at && <DateTime at={finished_at} />,
    },
  ]
}

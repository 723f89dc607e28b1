import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import type { OperationTaskDetail } from '@mdm/contract'
import { useSearch } from '../../core/address.ts'
import { api, useCall } from '../../core/api.ts'
import { navigateTo } from '../../core/navigation.ts'
import { may } from '../../core/session.tsx'
import { DetailPage } from '../../ui/DetailPage.tsx'
import type { Property } from '../../ui/DetailPage.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { durationText } from '../../ui/value/format.ts'
import { Bytes, CopyId, DateTime } from '../../ui/value/values.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { TaskProgress, TaskState, useTaskName } from './parts.tsx'
import { useTaskActs } from './use-task-acts.tsx'
import './operation-task.css'

/** One job: how far it is, why it failed, and what can be done with it. */
export default function OperationTaskPage() {
  const { t } = useTranslation('operation-task')
  const [search] = useSearch()
  const query = useCall(api.opsOperationTask.get, { kid: search.get('kid') ?? '' })
  const { acts, dialog } = useTaskActs(() => navigateTo(pages.operationTaskList.path, { replace: true }))
  const nameOf = useTaskName()
  const task = query.data
  return (
    <>
      <DetailPage
        title={task ? nameOf(task) : t('task')}
        icon={pageIcon('operationTaskList')}
        state={task && <TaskState task={task} />}
        actions={task && <Actions of={acts(task)} />}
        properties={useProperties(task)}
        loading={query.isPending}
        error={query.error}
        retry={query.refetch}
      >
        {task?.fault && (
          <section className="operation-fault" aria-label={t('fault')}>
            <h2>{t('fault')}</h2>
            <p>{task.fault}</p>
          </section>
        )}
      </DetailPage>
      {dialog}
    </>
  )
}

/** The same as in a row of the list, each with its word. */
function Actions({ of }: { of: readonly RowAction[] }) {
  return of
    .filter(({ needs }) => !needs || [needs].flat().every(may))
    .map((action) => (
      <DisabledReason key={action.label} disabled_reason={action.disabled_reason}>
        <Button
          icon={action.icon}
          danger={action.danger ?? false}
          disabled={action.disabled_reason !== undefined}
          loading={action.loading ?? false}
          onClick={action.onSelect}
        >
          {action.hint ?? action.label}
        </Button>
      </DisabledReason>
    ))
}

function useProperties(task: OperationTaskDetail | undefined): Property[] {
  const { t } = useTranslation('operation-task')
  const language = useSessionStore((s) => s.language)
  const seconds = task?.finished_at
    ? Math.max(0, (Date.parse(task.finished_at) - Date.parse(task.created_at)) / 1000)
    : null
  return [
    { label: t('column.kind'), value: task && t(`kind.${task.kind}`) },
    { label: t('column.progress'), value: task && <TaskProgress task={task} /> },
    { label: t('column.account'), value: task && (task.account_name ?? t('provider')) },
    { label: t('column.created_by'), value: task?.created_by },
    { label: t('column.created_at'), value: task && <DateTime at={task.created_at} /> },
    { label: t('column.finished_at'), value: task?.finished_at && <DateTime at={task.finished_at} /> },
    { label: t('took'), value: seconds === null ? null : durationText(seconds, language, 2) },
    { label: t('size'), value: task && task.size !== null && <Bytes value={task.size} /> },
    { label: t('result_until'), value: task?.result_until && <DateTime at={task.result_until} /> },
    { label: t('id'), value: task && <CopyId value={task.kid} /> },
  ]
}

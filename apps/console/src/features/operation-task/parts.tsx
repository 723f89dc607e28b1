import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { operationTaskUnits } from '@mdm/contract'
import type { OperationTaskRow, OperationTaskState } from '@mdm/contract'
import type { Filter } from '../../ui/list/filters.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ProgressBar } from '../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { Bytes, OrDash } from '../../ui/value/values.tsx'

const tones: Record<OperationTaskState, Tone> = {
  waiting: 'waiting',
  running: 'moving',
  completed: 'good',
  failed: 'bad',
  canceled: 'quiet',
}
export function TaskState({ task: { state } }: { task: Pick<OperationTaskRow, 'state'> }) {
  const { t } = useTranslation('operation-task')
  return <StateBadge tone={tones[state]}>{t(`state.${state}`)}</StateBadge>
}

/** What people call it: the name of what it works on, else its kind. */
export function useTaskName(): (task: Pick<OperationTaskRow, 'kind' | 'name'>) => string {
  const { t } = useTranslation('operation-task')
  return ({ kind, name }) => name || t(`kind.${kind}`)
}

const percentOf = ({ done, total }: OperationTaskRow): number | undefined =>
  total ? Math.min(100, Math.floor((done / total) * 100)) : undefined

/** How far it is: a bar while it goes on, and what it counts. */
export function TaskProgress({ task }: { task: OperationTaskRow }) {
  const { t } = useTranslation('operation-task')
  const nameOf = useTaskName()
  const percent = percentOf(task)
  const is_open = task.state === 'running' || task.state === 'waiting'
  return (
    <span className="operation-progress">
      {is_open && percent !== undefined && (
        <ProgressBar percent={percent} label={t('progress_of', { name: nameOf(task), percent })} />
      )}
      <Counted task={task} />
    </span>
  )
}

function Counted({ task: { kind, done, total, failed, state } }: { task: OperationTaskRow }) {
  const { t } = useTranslation('operation-task')
  const count = useCount()
  const unit = operationTaskUnits[kind]
  if (unit === null || (unit === 'percent' && state !== 'failed')) return unit === null ? <OrDash>{null}</OrDash> : null
  if (unit === 'percent') return <span className="dim number">{t('at_percent', { percent: done })}</span>
  if (unit === 'bytes') {
    if (state === 'completed' || total === null) return <Bytes value={done} />
    return (
      <span className="number">
        <Bytes value={done} /> / <Bytes value={total} />
      </span>
    )
  }
  return (
    <span className="number">
      {total === null || total === done
        ? t(`unit.${unit}`, { count: done, shown: count(done) })
        : t(`unit_of.${unit}`, { count: total, shown: count(done), total: count(total) })}
      {failed > 0 && <span className="operation-failed">{t('failed_of', { shown: count(failed) })}</span>}
    </span>
  )
}

/** A filter by part of a name. */
export const textFilter = (key: string, label: string, hint: string, shown: string | undefined): Filter => ({
  key,
  kind: 'own',
  label,
  shown,
  editor: (choose) => (
    <Input.Search
      autoFocus
      size="small"
      maxLength={100}
      defaultValue={shown}
      placeholder={hint}
      aria-label={hint}
      onSearch={(text) => text.trim() && choose(text.trim())}
    />
  ),
})

import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pushTitles } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import { useMay } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { api, useCall } from '../../core/api.ts'
import { Arriving, arriving } from '../../ui/Arriving.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago } from '../../ui/value/values.tsx'
import { link } from '../../core/links.ts'
import { usePushSentence } from '../../shared/push/use-push-sentence.ts'

const newest = { sort: 'created_at', order: 'desc' } as const
const most = 5

export function RunningTasks() {
  const { t } = useTranslation('home')
  const query = useCall(api.pushTask.paging, { is_running: true, page_size: most, ...newest })
  const filter = { phases: ['creating', 'running', 'paused'] }
  const rows = query.data?.items
  return <Tasks id="running" title={t('running')} none={t('running_none')} {...{ filter, query, rows }} />
}

/** Pushes of others that begin as soon as this person approves them: nothing is said where there is none. */
export function AwaitingApproval() {
  const { t } = useTranslation('home')
  const query = useCall(api.pushTask.paging, { phases: ['awaiting_approval'], page_size: 50, ...newest })
  const rows = query.data?.items.filter(({ is_own }) => !is_own).slice(0, most)
  if (query.isPending) return <Arriving />
  if (!query.error && !rows?.length) return null
  return (
    <Tasks
      id="approval"
      title={t('approval')}
      none=""
      {...{ filter: { phases: ['awaiting_approval'] }, query, rows }}
    />
  )
}

/** Of those that ended last, where a device failed. */
export function FailedTasks() {
  const { t } = useTranslation('home')
  const query = useCall(api.pushTask.paging, { is_running: false, page_size: 50, ...newest })
  const rows = query.data?.items.filter(({ counts }) => counts.failed > 0).slice(0, most)
  const shows = { states: ['failed'] }
  return <Tasks id="failed" title={t('failed_rows')} none={t('failed_none')} {...{ shows, query, rows }} />
}

type Props = {
  id: string
  title: string
  none: string
  /** What shows all of them in the list of pushes, where its filters can. */
  filter?: Record<string, string | string[]>
  /** Which of its devices a push is opened at. */
  shows?: { states: string[] }
  query: Pick<ReturnType<typeof useCall<typeof api.pushTask.paging>>, 'isPending' | 'error' | 'refetch'>
  rows: readonly PushTaskRow[] | undefined
}
function Tasks({ id, title, none, filter, shows, query, rows }: Props) {
  const { t } = useTranslation('home')
  const may_list = useMay('pushTaskList')
  return (
    <section className={arriving(query)} aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {may_list && filter && <Link to={link.pushTaskList.to(filter)}>{t('see_all')}</Link>}
      </h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {rows?.length === 0 && <p className="dim">{none}</p>}
      <ul className="rows">
        {rows?.map((task) => (
          <TaskRow key={task.kid} task={task} shows={shows} />
        ))}
      </ul>
    </section>
  )
}

function TaskRow({ task, shows }: { task: PushTaskRow; shows: Props['shows'] }) {
  const { t } = useTranslation('home')
  const textOf = useTextOf()
  const count = useCount()
  const { completed, failed, canceled } = task.counts
  const total = Math.max(task.counts.total, task.target_count)
  const ended = completed + failed + canceled
  const type = textOf(pushTitles[task.type])
  const sentence = usePushSentence()(task)
  return (
    <li>
      <span className="rows-main">
        <strong>
          <Link to={link.pushTaskDetail.to({ kid: task.kid, ...shows })}>{type}</Link>
        </strong>
        <span title={sentence}>{sentence}</span>
      </span>
      {failed > 0 && <StateBadge tone="bad">{t('failed', { count: failed })}</StateBadge>}
      <span className="number dim" title={t('ended', { done: count(ended), total: count(total) })}>
        {count(ended)} / {count(total)}
      </span>
      <Ago at={task.created_at} />
      {total > 0 && ended < total && (
        <i className="rows-bar" style={{ width: `${(ended / total) * 100}%` }} aria-hidden />
      )}
    </li>
  )
}

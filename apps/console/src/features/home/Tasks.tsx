import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pushTitles } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { api, useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago } from '../../ui/value/values.tsx'
import { useMay } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

const newest = { sort: 'created_at', order: 'desc' } as const
const most = 5

export function RunningTasks() {
  const { t } = useTranslation('home')
  const query = useCall(api.pushTask.paging, { is_running: true, page_size: most, ...newest })
  return <Tasks id="running" title={t('running')} none={t('running_none')} query={query} rows={query.data?.items} />
}

/** Of those that ended last, where a device failed. */
export function FailedTasks() {
  const { t } = useTranslation('home')
  const query = useCall(api.pushTask.paging, { is_running: false, page_size: 50, ...newest })
  const rows = query.data?.items.filter(({ counts }) => counts.failed > 0).slice(0, most)
  return <Tasks id="failed" title={t('failed_rows')} none={t('failed_none')} query={query} rows={rows} />
}

type Props = {
  id: string
  title: string
  none: string
  query: Pick<ReturnType<typeof useCall<typeof api.pushTask.paging>>, 'error' | 'refetch'>
  rows: readonly PushTaskRow[] | undefined
}
function Tasks({ id, title, none, query, rows }: Props) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {rows?.length === 0 && <p className="dim">{none}</p>}
      <ul className="rows">
        {rows?.map((task) => (
          <TaskRow key={task.kid} task={task} />
        ))}
      </ul>
    </section>
  )
}

function TaskRow({ task }: { task: PushTaskRow }) {
  const { t } = useTranslation('home')
  const textOf = useTextOf()
  const count = useCount()
  const may_open = useMay('fileCloudPush')
  const { total, completed, failed, canceled } = task.counts
  const ended = completed + failed + canceled
  const type = textOf(pushTitles[task.type])
  return (
    <li>
      <span className="rows-main">
        <strong>{may_open ? <Link to={link.fileCloudPush.to({ task: task.kid })}>{type}</Link> : type}</strong>
        <span title={task.summary || task.description}>{task.summary || task.description}</span>
      </span>
      {failed > 0 && <StateBadge tone="bad">{t('failed', { count: failed })}</StateBadge>}
      <span className="number dim" title={t('ended', { done: count(ended), total: count(total) })}>
        {count(ended)} / {count(total)}
      </span>
      <Ago at={task.created_at} />
      {task.result === null && (
        <i className="rows-bar" style={{ width: `${total > 0 ? (ended / total) * 100 : 0}%` }} aria-hidden />
      )}
    </li>
  )
}

import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../api.ts'
import { Failure } from '../../screen/Failure.tsx'
import { useCount } from '../../screen/format.ts'
import { StateBadge } from '../../screen/StateBadge.tsx'
import { Ago } from '../../screen/values.tsx'

export function RunningTasks() {
  const { t } = useTranslation('home')
  const count = useCount()
  const query = useCall(api.pushTask.paging, { is_running: true, page_size: 6, sort: 'created_at', order: 'desc' })
  const tasks = query.data?.items ?? []
  return (
    <section aria-labelledby="running">
      <h2 id="running">{t('running')}</h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.data && tasks.length === 0 && <p className="dim">{t('running_none')}</p>}
      <ul className="rows">
        {tasks.map((task) => {
          const { total, completed, failed, canceled } = task.counts
          const ended = completed + failed + canceled
          return (
            <li key={task.kid}>
              <span className="rows-main">
                <strong>{t(`type.${task.type}`)}</strong>
                <span>{task.summary || task.description}</span>
              </span>
              {failed > 0 && <StateBadge tone="bad">{t('failed', { count: failed })}</StateBadge>}
              <span className="number dim" title={t('ended', { done: count(ended), total: count(total) })}>
                {count(ended)} / {count(total)}
              </span>
              <Ago at={task.created_at} />
              <i className="rows-bar" style={{ width: `${total > 0 ? (ended / total) * 100 : 0}%` }} aria-hidden />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

import { Skeleton } from 'antd'
import type { PushTaskType } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { usePushLabels } from '../../shared/push/push-labels.ts'
import '../../shared/device/device.css'

type Props = { type: PushTaskType; push_task_kid: string; terminal_kid: string }

/** What happened to a push on one device, oldest first; live. */
export function PushProcess({ type, push_task_kid, terminal_kid }: Props) {
  const { t, eventWord, reason } = usePushLabels()
  const query = useCall(api.pushTask.list_activity, { push_task_kid, terminal_kid })
  if (query.isPending) return <Skeleton active title={false} paragraph={{ rows: 3 }} />
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  if (query.data.length === 0) return <p className="dim">{t('process_none')}</p>
  const attempts = Math.max(...query.data.map(({ attempt }) => attempt))
  return (
    <ol className="push-process" aria-label={t('process')}>
      {query.data.map((row, at) => (
        <li key={at} data-tone={toneOf(row.event)}>
          <span className="push-process-what">
            <strong>{eventWord(type, row.event)}</strong>
            {attempts > 1 && <span className="dim">{t('attempt', { count: row.attempt })}</span>}
          </span>
          <DateTime at={row.at} />
          {(row.by || reason(row)) && (
            <span className="push-process-who dim">
              {row.by}
              {reason(row) && <span className="push-process-why">{reason(row)}</span>}
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

const toneOf = (event: string) => (event === 'finished' ? 'good' : event === 'failed' ? 'bad' : 'quiet')

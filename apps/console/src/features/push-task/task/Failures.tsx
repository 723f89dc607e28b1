import { Button } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { To } from 'react-router'
import type { PushTaskDetail } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { May } from '../../../core/session.tsx'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { retryNeeds, usePushLabels } from '../../../shared/push/push-labels.ts'
import { whyNoRetry } from './use-push-acts.tsx'
import { useRetried } from './use-retried.ts'

type Props = { task: PushTaskDetail; linkTo: (code: string) => To }

/** One line for each reason for which devices failed: how many, which, and these once more. */
export function Failures({ task, linkTo }: Props) {
  const { t } = useTranslation('push-task/task')
  const { failure } = usePushLabels()
  const count = useCount()
  const id = useId()
  const retry = useWrite(api.pushTask.retry, { onSuccess: useRetried() })
  const disabled_reason = task.can.includes('retry') ? undefined : t(`disabled_reason.${whyNoRetry(task)}`)
  if (task.failures.length === 0) return null
  return (
    <ul className="push-failures" aria-label={t('failures.title')}>
      {task.failures.map(({ code, count: devices }) => (
        <li key={code}>
          <span className="number">{count(devices)}</span>
          <span id={`${id}${code}`}>{failure(code)}</span>
          <Link to={linkTo(code)} aria-describedby={`${id}${code}`} preventScrollReset>
            {t('failures.show')}
          </Link>
          <May needs={retryNeeds(task.type)}>
            <DisabledReason disabled_reason={disabled_reason}>
              <Button
                size="small"
                disabled={disabled_reason !== undefined}
                loading={retry.isPending && retry.variables.code === code}
                aria-describedby={`${id}${code}`}
                onClick={() => void retry.run({ push_task_kid: task.kid, code })}
              >
                {t('failures.retry', { count: devices, shown: count(devices) })}
              </Button>
            </DisabledReason>
          </May>
        </li>
      ))}
    </ul>
  )
}

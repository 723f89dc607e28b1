import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { ConfigChange, PushTaskDetail } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { May, useSession } from '../../../core/session.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { isPermitted } from '../../../ui/list/RowActions.tsx'
import { PushPhaseBadge, StepsPicture, usePushActs, usePushDialogs, usePushNow } from '../../push-task/public.ts'
import '../config.css'

type Props = { change: ConfigChange; push_task_kid: string; onAborted: () => void }
/** The steps that a change goes out in: who waits for what, and what can be done about it. */
export default function Steps({ change, push_task_kid, onAborted }: Props) {
  const { t } = useTranslation(['configure/edit', 'push-task/task'])
  const query = useCall(api.pushTask.get, { kid: push_task_kid })
  const now = usePushNow()
  const [is_aborting, setAborting] = useState(false)
  const { data: task } = query
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!task) return null
  return (
    <section className="config-section" aria-label={t('steps.badge')}>
      <p className="config-source">
        <PushPhaseBadge task={task} /> {now(task)}
      </p>
      {task.rollout && task.plan.length > 0 && (
        <StepsPicture
          task={task}
          rollout={task.rollout}
          linkTo={(step) => link.pushTaskDetail.to({ kid: push_task_kid, step })}
        />
      )}
      <p className="config-steps-acts">
        <Acts task={task} />
        {change.is_in_steps && (
          <May needs="deviceDetailConfig:edit">
            <Button danger onClick={() => setAborting(true)}>
              {t('steps.abort')}
            </Button>
          </May>
        )}
        <Link to={link.pushTaskDetail.to({ kid: push_task_kid })}>{t('steps.devices')}</Link>
      </p>
      {is_aborting && (
        <ConfirmWrite
          call={api.terminalConfig.abort}
          input={{ kid: change.kid }}
          also={['push_task', 'terminal', 'get']}
          title={t('steps.abort_title', { version: change.version })}
          submit={t('steps.abort')}
          done={t('steps.aborted')}
          onClose={() => {
            setAborting(false)
            onAborted()
          }}
        >
          <p>{t('steps.abort_text')}</p>
        </ConfirmWrite>
      )}
    </section>
  )
}

function Acts({ task }: { task: PushTaskDetail }) {
  const { permissions } = useSession()
  const dialog = usePushDialogs([task])
  return usePushActs(dialog)(task)
    .filter((act) => act.id !== undefined && !act.disabled_reason && isPermitted(permissions, act))
    .map((act) => (
      <DisabledReason key={act.id} disabled_reason={act.disabled_reason}>
        <Button loading={act.loading ?? false} onClick={act.onSelect}>
          {act.label}
        </Button>
      </DisabledReason>
    ))
}

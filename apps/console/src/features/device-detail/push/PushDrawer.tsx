import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pushTitles } from '@mdm/contract'
import type { PushTaskTerminal } from '@mdm/contract'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { PushActions, PushProcess, PushProgress, PushStateBadge, useDeviceLabels } from '../../push-task/public.ts'
import { usePushLabels } from '../../../shared/push/push-labels.ts'
import { link } from '../../../core/links.ts'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { CopyId, DateTime } from '../../../ui/value/values.tsx'

/** One push to this device, step by step; live while it is open. */
export function PushDrawer({ row, onClose }: { row: PushTaskTerminal; onClose: () => void }) {
  const { t } = useTranslation(['device-detail', 'push', 'push-task/task', 'common'])
  const { reason } = usePushLabels()
  const { waits, hint } = useDeviceLabels()
  const textOf = useTextOf()
  const lines = [
    [t('task.summary'), row.summary],
    [
      t('common:state'),
      <PushStateBadge
        key="state"
        type={row.type}
        state={row.state}
        since={row.state_at}
        cancel_asked={row.cancel_asked}
      />,
    ],
    [t('push-task/task:waits.label'), waits(row)],
    [t('task.reason'), row.state === 'failed' ? reason(row) : undefined],
    [t('push-task/task:what_to_do'), hint(row)],
    [t('push-task/task:outcome'), row.state === 'completed' ? reason(row) : undefined],
    [t('task.attempt'), row.attempt],
    [t('task.created_at'), <DateTime key="created" at={row.created_at} />],
    [t('task.deadline_at'), row.deadline_at && <DateTime key="deadline" at={row.deadline_at} />],
    [
      t('task.result'),
      row.result_url && (
        <a key="result" href={row.result_url} target="_blank" rel="noreferrer">
          {t('task.open_result')}
        </a>
      ),
    ],
    [
      t('push-task/task:task_of'),
      <Link key="task" to={link.pushTaskDetail.to({ kid: row.push_task_kid })}>
        {t('push-task/task:open_task')}
      </Link>,
    ],
    [t('task.kid'), <CopyId key="kid" value={row.push_task_kid} />],
  ] as const
  const shown = lines.filter(([, value]) => value)
  return (
    <Drawer
      size={520}
      title={textOf(pushTitles[row.type])}
      onClose={onClose}
      extra={<PushActions row={row} size="middle" />}
    >
      <dl className="push-lines">
        {shown.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <PushProgress state={row.state} progress={row.progress} />
      <h2 className="push-title">{t('push:process')}</h2>
      <PushProcess type={row.type} push_task_kid={row.push_task_kid} terminal_kid={row.terminal_kid} />
    </Drawer>
  )
}

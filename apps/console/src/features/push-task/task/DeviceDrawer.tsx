import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { isFinal } from '@mdm/contract'
import type { PushPhase, PushTaskTerminal } from '@mdm/contract'
import { link } from '../../../core/links.ts'
import { May } from '../../../core/session.tsx'
import { Properties } from '../../../ui/DetailPage.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { DateTime } from '../../../ui/value/values.tsx'
import { PushActions } from '../PushActions.tsx'
import { PushProcess } from '../PushProcess.tsx'
import { PushProgress, PushStateBadge } from '../PushStateBadge.tsx'
import { usePushLabels } from '../../../shared/push/push-labels.ts'
import { useDeviceLabels } from './device-labels.ts'

type Props = { row: PushTaskTerminal; phase: PushPhase; onClose: () => void }

/** One device of a push, step by step. */
export function DeviceDrawer({ row, phase, onClose }: Props) {
  const { t, reason } = usePushLabels()
  const { t: tt } = useTranslation('push-task/task')
  const { waits, hint } = useDeviceLabels(phase)
  const why = reason(row)
  const help = hint(row)
  const waiting = waits(row)
  return (
    <Drawer
      size={500}
      title={row.name ? `${row.sn} (${row.name})` : row.sn}
      onClose={onClose}
      extra={<PushActions row={row} size="middle" />}
    >
      <div className="push-drawer">
        <Properties
          of={[
            {
              label: t('common:state'),
              value: (
                <span className="push-device-state">
                  <PushStateBadge
                    type={row.type}
                    state={row.state}
                    since={row.state_at}
                    cancel_asked={row.cancel_asked}
                  />
                  <PushProgress state={row.state} progress={row.progress} />
                  {waiting && <span className="push-waits">{waiting}</span>}
                </span>
              ),
            },
            ...(why
              ? [
                  {
                    label: tt(row.state === 'completed' ? 'outcome' : 'reason'),
                    value: <span className="push-words">{why}</span>,
                  },
                ]
              : []),
            ...(help ? [{ label: tt('what_to_do'), value: help }] : []),
            ...(row.result_url
              ? [
                  {
                    label: tt('column.result'),
                    value: (
                      <a href={row.result_url} target="_blank" rel="noreferrer">
                        {tt('open_result')}
                      </a>
                    ),
                  },
                ]
              : []),
            ...(row.step !== null ? [{ label: tt('column.step'), value: row.step }] : []),
            ...(isFinal(row.state) || !row.deadline_at
              ? []
              : [{ label: tt('column.deadline'), value: <DateTime at={row.deadline_at} /> }]),
            { label: tt('column.attempt'), value: row.attempt },
            {
              label: tt('column.device'),
              value: (
                <May needs="deviceDetailInfo">
                  <Link to={link.deviceDetailInfo.to({ kid: row.terminal_kid })}>{tt('open_device')}</Link>
                </May>
              ),
            },
          ]}
        />
        <h2>{t('process')}</h2>
        <PushProcess type={row.type} push_task_kid={row.push_task_kid} terminal_kid={row.terminal_kid} />
      </div>
    </Drawer>
  )
}

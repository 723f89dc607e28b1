import { Button } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { errors } from '@mdm/contract'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { isOver } from './status.ts'
import type { Status } from './status.ts'
import { useLostFocus } from './use-lost-focus.ts'

/** What can be done about a refusal, by its code. */
const advice = {
  [errors.remote_asleep.result]: 'asleep',
  [errors.remote_no_consent.result]: 'no_consent',
  [errors.remote_asked_lately.result]: 'asked_lately',
  [errors.remote_permission_missing.result]: 'permission_missing',
  [errors.remote_busy.result]: 'busy',
  [errors.remote_no_entitlement.result]: 'no_entitlement',
  [errors.remote_terminal_off.result]: 'terminal_off',
  [errors.no_remote_connection.result]: 'no_remote_connection',
  [errors.device_not_online.result]: 'not_online',
  [errors.device_no_answer.result]: 'no_answer',
  [errors.device_not_supported.result]: 'not_supported',
  [errors.remote_ended.result]: 'ended',
} as const
const leadsToSessions = new Set<number>([errors.remote_busy.result, errors.remote_terminal_off.result])

type Props = { status: Status; onAgain: () => void; onBack: () => void }

/** Where the screen would be: why there is none, what can be done about it, and the way on. */
export function Refusal({ status, onAgain, onBack }: Props) {
  const { t } = useTranslation('remote')
  const may_list = useMay('remoteSessionList')
  if (!isOver(status)) return null
  if (status.name === 'ended')
    return <Over title={t(`over.${status.disabled_reason}`)} hint={t('over.hint')} onAgain={onAgain} onBack={onBack} />
  if (status.name !== 'refused') return null
  const what = (advice as Record<number, (typeof advice)[keyof typeof advice] | undefined>)[status.result]
  return (
    <Over title={status.message} hint={what && t(`advice.${what}`)} onAgain={onAgain} onBack={onBack}>
      {may_list && leadsToSessions.has(status.result) && (
        <Link to={link.remoteSessionList.to({ is_open: true })}>{t('to_sessions')}</Link>
      )}
    </Over>
  )
}

type OverProps = {
  title: string
  hint: string | undefined
  onAgain: () => void
  onBack: () => void
  children?: React.ReactNode
}
function Over({ title, hint, onAgain, onBack, children }: OverProps) {
  const { t } = useTranslation('remote')
  const own = useRef<HTMLDivElement>(null)
  useLostFocus(own)
  return (
    <div className="remote-over" ref={own} tabIndex={-1}>
      <Empty title={title} {...(hint && { hint })}>
        <div className="remote-over-acts">
          <Button type="primary" onClick={onAgain}>
            {t('again')}
          </Button>
          <Button onClick={onBack}>{t('back')}</Button>
          {children}
        </div>
      </Empty>
    </div>
  )
}

import { Button, Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { canPushPhase, inabilities, isFinal } from '@mdm/contract'
import type { LostPush, LostState, PushTaskType, TerminalDetail } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { May } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago, DateTime } from '../../../ui/value/values.tsx'
import { PushStateBadge } from '../../push-task/public.ts'
import type { DeviceDialog } from '../dialogs.ts'

type Props = { device: TerminalDetail; onOpen: (kind: DeviceDialog) => void }
/** All of a lost device in one place: what was asked of it, what it has confirmed, and what else can be done. */
export function LostPart({ device, onOpen }: Props) {
  const state = useCall(api.terminalLost.get, { terminal_kid: device.kid }).data
  // In the place that it takes then, so that nothing below moves.
  if (!state && device.lost_at)
    return (
      <div className="lost">
        <Skeleton active title={false} paragraph={{ rows: 5 }} />
      </div>
    )
  if (!state?.lost) return null
  if (state.lost.found_at !== null) return <Found state={state} />
  return <Lost device={device} state={state} lost={state.lost} onOpen={onOpen} />
}

type LostProps = Props & { state: LostState; lost: NonNullable<LostState['lost']> }
function Lost({ device, state, lost, onOpen }: LostProps) {
  const { t } = useTranslation('device-detail')
  const textOf = useTextOf()
  const { can, lock, message, ring, wipe } = state
  const again = useWrite(api.terminalLost.start, { done: t('lost.ring_asked'), also: ['push_task'] })
  const stop = useWrite(api.terminalLost.stop_ring, { done: t('lost.ring_stopped'), also: ['push_task'] })
  const is_ringing = isOpen(ring)
  const terminal_kid = device.kid
  const why = (reason: keyof typeof inabilities | null) => (reason ? textOf(inabilities[reason]) : undefined)
  return (
    <section className="lost" aria-label={t('lost.title')}>
      <h2>
        <StateBadge tone="bad">{t('lost.badge')}</StateBadge>
        <span className="dim">
          {t('lost.by', { name: lost.lost_by })} <DateTime at={lost.lost_at} />
        </span>
      </h2>
      <p className="lost-text">
        {lost.message}
        {lost.phone && <strong> {lost.phone}</strong>}
      </p>
      <dl className="lost-states">
        <Line name={t('lost.screen')}>
          {state.screen.how === 'kept' && <Screen state={state} />}
          {state.screen.how === 'once' && (
            <>
              <Push type="lock" push={lock} kid={terminal_kid} />
              <Push type="message" push={message} kid={terminal_kid} />
            </>
          )}
          {can.screen && <span className="dim">{why(can.screen)}</span>}
        </Line>
        <Line name={t('lost.ring')}>
          <Push type="find" push={ring} kid={terminal_kid} none={why(can.ring) ?? t('lost.not_asked')} />
        </Line>
        <Line name={t('lost.where')}>
          <Where device={device} />
        </Line>
        <Line name={t('lost.wipe')}>
          <Push type="factory_reset" push={wipe} kid={terminal_kid} none={why(can.wipe) ?? t('lost.not_asked')} />
        </Line>
      </dl>
      <div className="lost-actions">
        <May needs="deviceDetailInfo:lost">
          {is_ringing ? (
            <Button
              loading={stop.isPending}
              disabled={ring?.cancel_asked ?? false}
              onClick={() => void stop.run({ terminal_kid })}
            >
              {t('lost.stop_ring')}
            </Button>
          ) : (
            <DisabledReason disabled_reason={why(can.ring)}>
              <Button
                loading={again.isPending}
                onClick={() => void again.run({ terminal_kid, message: lost.message, phone: lost.phone, rings: true })}
              >
                {t('lost.ring')}
              </Button>
            </DisabledReason>
          )}
        </May>
        <Locate device={device} />
        <May needs="deviceDetailInfo:lost">
          <Button onClick={() => onOpen('lost')}>{t('lost.edit')}</Button>
        </May>
        <May needs="deviceDetailInfo:factoryReset">
          <DisabledReason disabled_reason={why(can.wipe) ?? (isOpen(wipe) ? t('lost.wipe_waits') : undefined)}>
            <Button danger onClick={() => onOpen('wipe')}>
              {t('lost.wipe')}
            </Button>
          </DisabledReason>
        </May>
        <May needs="deviceDetailInfo:lost">
          <Button type="primary" onClick={() => onOpen('found')}>
            {t('lost.found')}
          </Button>
        </May>
      </div>
    </section>
  )
}

/** Whether the device has something left to do, or will have. */
const isOpen = (push: LostPush): boolean =>
  push !== null && (push.state === null ? canPushPhase(push.phase, 'cancel') : !isFinal(push.state))

/** Until the device has said that it let its screen go. */
function Found({ state }: { state: LostState }) {
  const { t } = useTranslation('device-detail')
  if (state.screen.how !== 'kept' || state.screen.outcome === 'applied' || !state.lost?.found_at) return null
  return (
    <section className="lost" data-found aria-label={t('lost.title')}>
      <p>
        {t('lost.found_by', { name: state.lost.found_by })} <DateTime at={state.lost.found_at} />
      </p>
      <p>
        <Screen state={state} />
      </p>
    </section>
  )
}

const tones = { waiting: 'waiting', applied: 'good', failed: 'bad', not_supported: 'quiet' } as const
/** What the device itself said of its screen. */
function Screen({ state: { screen, lost } }: { state: LostState }) {
  const { t } = useTranslation('device-detail')
  const { outcome, said_at, message } = screen
  if (outcome === null) return null
  const which = lost?.found_at ? 'release' : 'lock'
  return (
    <>
      <StateBadge tone={tones[outcome]}>{t(`lost.outcome.${which}.${outcome}`)}</StateBadge>
      {said_at && <Ago at={said_at} />}
      {message && <span className="dim">{message}</span>}
    </>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

type PushProps = { type: PushTaskType; push: LostPush; kid: string; none?: string }
function Push({ type, push, kid, none }: PushProps) {
  const { t } = useTranslation('device-detail')
  if (!push) return none ? <span className="dim">{none}</span> : null
  return (
    <Link className="lost-push" to={link.deviceDetailTask.to({ kid, open: push.push_task_kid })}>
      {push.state ? (
        <PushStateBadge type={type} state={push.state} since={push.at} cancel_asked={push.cancel_asked} />
      ) : (
        <StateBadge tone="waiting" since={push.at}>
          {t(`lost.phase.${push.phase === 'awaiting_approval' ? push.phase : isOpen(push) ? 'planned' : 'over'}`)}
        </StateBadge>
      )}
    </Link>
  )
}

/** Where it last said that it is, with the way to the map. */
function Where({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-detail')
  const place = useCall(api.terminalLocation.get, { terminal_kid: device.kid })
  const position = place.data?.position
  if (place.error) return <span className="dim">{place.error.message}</span>
  if (!position) return <span className="dim">{t('lost.nowhere')}</span>
  return (
    <>
      <Link to={link.deviceDetailLocation.to({ kid: device.kid })}>{t('lost.on_map')}</Link> <Ago at={position.at} />
    </>
  )
}

function Locate({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-detail')
  const ask = useWrite(api.terminalLocation.refresh, { done: t('lost.located') })
  return (
    <May needs="deviceDetailLocation:refresh">
      <DisabledReason disabled_reason={device.is_online ? undefined : t('lost.offline_now')}>
        <Button loading={ask.isPending} onClick={() => void ask.run({ terminal_kid: device.kid })}>
          {t('lost.locate')}
        </Button>
      </DisabledReason>
    </May>
  )
}

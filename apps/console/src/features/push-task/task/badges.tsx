import type { PushPhase, PushTaskRow } from '@mdm/contract'
import { CheckOutlined, ClockCircleOutlined, PauseOutlined, UserOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import type { Tone } from '../../../ui/value/StateBadge.tsx'
import { effectName } from './use-push-now.ts'
import type { EffectName } from './use-push-now.ts'

const phases: Record<PushPhase, { tone: Tone; icon?: ReactNode }> = {
  awaiting_approval: { tone: 'warn', icon: <UserOutlined aria-hidden /> },
  planned: { tone: 'accent', icon: <ClockCircleOutlined aria-hidden /> },
  creating: { tone: 'moving' },
  running: { tone: 'moving' },
  paused: { tone: 'warn', icon: <PauseOutlined aria-hidden /> },
  ended: { tone: 'quiet', icon: <CheckOutlined aria-hidden /> },
  canceled: { tone: 'quiet' },
  rejected: { tone: 'bad' },
}
type Row = Pick<PushTaskRow, 'phase' | 'paused_because' | 'step' | 'steps' | 'is_stopping' | 'retry'>

/** Where a push as a whole stands; a rollout that runs says its step. */
export function PushPhaseBadge({ task, title }: { task: Row; title?: string }) {
  const { t } = useTranslation('push-task/task')
  const { phase, step, steps, paused_because, is_stopping, retry } = task
  const { tone, icon } = is_stopping || retry ? phases.creating : phases[phase]
  const is_stepping = (phase === 'running' || phase === 'paused') && step !== null && steps !== null && steps > 1
  const name = t(`phase.${phase}`)
  return (
    <StateBadge tone={phase === 'paused' && paused_because ? 'bad' : tone} icon={icon} title={title}>
      {is_stepping ? t('phase_step', { phase: name, step: Math.max(1, step), steps }) : name}
    </StateBadge>
  )
}

const tones: Record<EffectName, Tone> = {
  success: 'good',
  partly_effective: 'warn',
  failure: 'bad',
  invalid: 'quiet',
}
/** What an ended push brought. */
export function PushEffectBadge({ effect }: { effect: NonNullable<PushTaskRow['effect']> }) {
  const { t } = useTranslation('push-task/task')
  const name = effectName(effect)
  return (
    <StateBadge tone={tones[name]} title={t(`effect_hint.${name}`)}>
      {t(`effect.${name}`)}
    </StateBadge>
  )
}

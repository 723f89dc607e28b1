import { useTranslation } from 'react-i18next'
import type { ActivationRow, ActivationState, OwnActivationState } from '@mdm/contract'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'

const tones: Record<ActivationState, Tone> = {
  activating: 'waiting',
  activated: 'good',
  expired: 'quiet',
  eliminated: 'quiet',
  error: 'bad',
}
export function ActivationBadge({ state, fault }: Pick<ActivationRow, 'state' | 'fault'>) {
  const { t } = useTranslation('private-deployment')
  return (
    <StateBadge tone={tones[state]} {...(fault && { title: t(`fault.${fault}`) })}>
      {t(`state.${state}`)}
    </StateBadge>
  )
}

const own_tones: Record<OwnActivationState, Tone> = {
  not_needed: 'quiet',
  missing: 'bad',
  active: 'good',
  expired: 'bad',
  eliminated: 'bad',
  foreign_machine: 'bad',
}
export function OwnBadge({ state }: { state: OwnActivationState }) {
  const { t } = useTranslation('private-deployment')
  return <StateBadge tone={own_tones[state]}>{t(`own.${state}`)}</StateBadge>
}

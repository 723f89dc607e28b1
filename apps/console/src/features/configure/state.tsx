import { useTranslation } from 'react-i18next'
import { configStates } from '@mdm/contract'
import { StateBadge } from '../../ui/value/StateBadge.tsx'

export const states = {
  [configStates.not_configured]: { tone: 'quiet', name: 'not_configured' },
  [configStates.modify]: { tone: 'waiting', name: 'modify' },
  [configStates.modified]: { tone: 'good', name: 'modified' },
} as const

export function ConfigStateBadge({ state }: { state: number }) {
  const { t } = useTranslation('configure/edit')
  const { tone, name } = states[state as keyof typeof states]
  return <StateBadge tone={tone}>{t(`state.${name}`)}</StateBadge>
}

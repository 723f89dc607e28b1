import { useTranslation } from 'react-i18next'
import type { TerminalPosition } from '@mdm/contract'

export type Position = TerminalPosition

/** How a position was found, in words. */
export function useProviderLabel(): (provider: string | null) => string | null {
  const { t } = useTranslation('map')
  const labels = t('provider', { returnObjects: true })
  return (provider) => (provider === null ? null : (labels[provider as keyof typeof labels] ?? provider))
}

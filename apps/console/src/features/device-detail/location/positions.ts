import { useTranslation } from 'react-i18next'
import type { TerminalPosition } from '@mdm/contract'

export type Position = TerminalPosition

/** How a position was found, in words. */
export function useProviderWord(): (provider: string | null) => string | null {
  const { t } = useTranslation('map')
  const words = t('provider', { returnObjects: true })
  return (provider) => (provider === null ? null : (words[provider as keyof typeof words] ?? provider))
}

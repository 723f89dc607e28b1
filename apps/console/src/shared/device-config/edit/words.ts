import { useTranslation } from 'react-i18next'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import type { Words } from './values.ts'

/** What values are said with. */
export function useWords(): Words {
  const { t } = useTranslation(['device-config/edit', 'common'])
  const textOf = useTextOf()
  return { textOf, yes: t('common:yes'), no: t('common:no'), secret: t('secret_set') }
}

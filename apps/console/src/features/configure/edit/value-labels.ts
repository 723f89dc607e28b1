import type { ValueLabels } from '@mdm/contract/config/lines.ts'
import { useTranslation } from 'react-i18next'
import { listText } from '../../../i18n/list-text.ts'
import { useMoment } from '../../push-task/public.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { useColumnNames } from '../../../shared/device-filters/column-titles.ts'

/** What values are said with. */
export function useValueLabels(): ValueLabels {
  const { t } = useTranslation(['configure/edit', 'common'])
  const textOf = useTextOf()
  const moment = useMoment()
  const columns = useColumnNames()
  const endOf = (at: string) => (Date.parse(at) < Date.now() ? t('ended', { at: moment(at) }) : moment(at))
  return { endOf, columns, textOf, listOf: listText, yes: t('common:yes'), no: t('common:no'), secret: t('secret_set') }
}

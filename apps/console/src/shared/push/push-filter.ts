import { pushTaskStates } from '@mdm/contract'
import type { Filter } from '../../ui/list/filters.tsx'
import { usePushLabels } from './push-labels.ts'

/** The filter by state of every list of pushes to devices. */
export function usePushStateFilter(): Filter {
  const { t } = usePushLabels()
  return {
    key: 'states',
    kind: 'many',
    label: t('common:state'),
    options: pushTaskStates.map((value) => ({ value, label: t(`state.${value}`) })),
  }
}

import { pushTaskStates } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import type { Filter } from '../../ui/list/filters.tsx'
import { usePushLabels } from '../../shared/push/push-labels.ts'

/** The filter by state of every list of pushes to devices; of one kind, with its words. */
export function usePushStateFilter(type?: PushTaskType): Filter {
  const { t, stateWord } = usePushLabels()
  return {
    key: 'states',
    kind: 'many',
    label: t('common:state'),
    options: pushTaskStates.map((value) => ({ value, label: stateWord(type, value) })),
  }
}

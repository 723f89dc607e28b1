import { useTranslation } from 'react-i18next'
import type { Sent } from '@mdm/contract'
import type { api } from '../../core/api.ts'
import { Targets } from './targets.tsx'
import type { Target } from './targets.tsx'
import { useCount } from '../../ui/value/format.ts'

export type Match = Sent<typeof api.terminal.count>['match']
/** Every device that a filter finds, and how many that was when it was asked. */
export type Matching = { match: Match; count: number }

/** Which devices are hit: the first of those that were named, or how many match. */
export function WhichDevices({ targets, matching }: { targets: readonly Target[]; matching: Matching | undefined }) {
  const { t } = useTranslation('device-filters')
  const count = useCount()
  if (!matching) return <Targets of={targets} />
  return <p className="targets">{t('match.what', { count: matching.count, shown: count(matching.count) })}</p>
}

import { useTranslation } from 'react-i18next'
import type { AppRequirement } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useMay } from '../../core/session.tsx'

/** How many devices of a rule have it or could have it. */
const ableOf = ({ has_it, below, missing }: NonNullable<AppRequirement['counts']>): number => has_it + below + missing

/** Rules that require an app and are on, in words; nothing for who may not read them. */
export function useRequiredOn(app_kid: string | undefined) {
  const { t } = useTranslation('app-requirement')
  const may_list = useMay('appRequiredList')
  const query = useCall(api.appRequirement.list, { app_kid: app_kid ?? '' }, { enabled: may_list && Boolean(app_kid) })
  const rules = (query.data ?? []).filter(({ is_on }) => is_on)
  const groupOf = ({ group_name }: AppRequirement) => group_name ?? t('all_devices')
  const words = (rule: AppRequirement): string => {
    const group = groupOf(rule)
    if (!rule.counts) return t('required_on.of_new', { group })
    return t('required_on.of', { group, has_it: rule.counts.has_it, able: ableOf(rule.counts) })
  }
  const of_newest = rules.filter(({ version_kid }) => version_kid === null)
  return {
    rules: rules.map((rule) => ({ kid: rule.kid, words: words(rule) })),
    /** Those that a new version comes to by itself. */
    newest: {
      count: of_newest.length,
      groups: of_newest.map(groupOf),
      devices: of_newest.reduce((sum, { counts }) => sum + (counts ? ableOf(counts) : 0), 0),
    },
  }
}

import { useTranslation } from 'react-i18next'
import {
  agentKinds,
  agentOf,
  fenceStatuses,
  foregroundStates,
  named_sns_max,
  pushKinds,
  yesNoStates,
  whereFieldNames,
} from '@mdm/contract'
import type { Where } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { pushMenu } from '../../shared/device/commands/names.ts'
import { useGroupFilter } from '../../shared/groups/use-group-filter.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { dateParts, useCount } from '../../ui/value/format.ts'
import { useMay, useZone } from '../../core/session.tsx'
import { useConditionLabels } from '../../shared/device-filters/conditions/condition-labels.tsx'

/** Which inputs of the list live in its address. */
export const deviceFilters = {
  text: 'text',
  is_online: 'boolean',
  sns: 'texts',
  model: 'texts',
  os_version: 'texts',
  uid: 'texts',
  terminal_group_kid: 'text',
  terminal_dynamic_group_kid: 'text',
  terminal_batch_kid: 'text',
  tag: 'texts',
  battery: 'json',
  signal: 'json',
  foreground_state: 'number',
  metered: 'number',
  roaming: 'number',
  location_fence_status: 'number',
  is_compliant: 'boolean',
  is_lost: 'boolean',
  agent_kind: 'texts',
  can: 'text',
  where: 'json',
} as const

const sns_none: readonly string[] = []
/** Of SNs that were pasted: those that no device of the account has. */
function useMissing(sns: readonly string[]): readonly string[] {
  const input = { sns: [...sns], page_size: named_sns_max }
  const { data } = useCall(api.terminal.paging, input, { enabled: sns.length > 0 })
  if (!data || sns.length === 0) return sns_none
  const found = new Set(data.items.map(({ sn }) => sn.toLowerCase()))
  return sns.filter((sn) => !found.has(sn.toLowerCase()))
}

/** The one sheet that is asked for, by when and by whom; others are chosen where sheets are. */
function useSheetFilter(kid: string | undefined): Filter[] {
  const { t } = useTranslation('device-filters')
  const zone = useZone()
  const enabled = useMay('deviceList:register') && kid !== undefined
  const job = useCall(api.terminalBatch.list_batch_registered, {}, { enabled }).data?.find((each) => each.kid === kid)
  if (kid === undefined) return []
  const label = job
    ? t('sheet.shown', { time: dateParts(job.created_at, zone).join(' '), name: job.created_by })
    : t('sheet.other')
  return [{ key: 'terminal_batch_kid', kind: 'one', label: t('sheet.label'), options: [{ value: kid, label }] }]
}

type Asked = {
  group: string | undefined
  batch: string | undefined
  where: Where | undefined
  sns: readonly string[] | undefined
}
/** What is asked of the list so far; `build` opens the conditions. */
export function useDeviceFilters({ group, batch, where, sns = sns_none }: Asked, build: () => void): Filter[] {
  const { t } = useTranslation(['devices', 'device-filters', 'common', 'device'])
  const facets = useCall(api.terminal.facets, {}).data
  const tags = useCall(api.terminal.list_tag, {}).data
  const dynamic = useCall(api.terminalDynamicGroup.list, { with_counts: true }).data ?? []
  const of_group = useGroupFilter({ label: t('filter.group'), value: group, special: ['NO_GROUP'] })
  const of_sheet = useSheetFilter(batch)
  const { sentence } = useConditionLabels()
  const missing = useMissing(sns)
  const count = useCount()
  const textOf = useTextOf()
  const options = (values: readonly string[] = []) => values.map((value) => ({ value, label: value }))
  const yes_no = [
    { value: String(yesNoStates.yes), label: t('common:yes') },
    { value: String(yesNoStates.no), label: t('common:no') },
  ]
  const foreground = [
    { value: String(foregroundStates.foreground), label: t('device-filters:foreground.foreground') },
    { value: String(foregroundStates.default), label: t('device-filters:foreground.default') },
  ]
  const fence = (['closed', 'enter', 'out'] as const).map((status) => ({
    value: String(fenceStatuses[status]),
    label: t(`device-filters:fence.${status}`),
  }))
  return [
    {
      key: 'is_online',
      kind: 'yes_no',
      label: t('common:state'),
      yes: t('common:online'),
      no: t('common:offline'),
      is_quick: true,
    },
    { key: 'model', kind: 'many', label: t('filter.model'), options: options(facets?.models) },
    { key: 'os_version', kind: 'many', label: t('filter.os_version'), options: options(facets?.os_versions) },
    { key: 'uid', kind: 'many', label: textOf(whereFieldNames.uid), options: options(facets?.uids) },
    ...(of_group ? [of_group] : []),
    ...of_sheet,
    {
      key: 'sns',
      kind: 'pasted',
      label: t('device-filters:sns.label'),
      max: named_sns_max,
      shown: t(missing.length > 0 ? 'device-filters:sns.some_missing' : 'device-filters:sns.shown', {
        shown: count(sns.length),
        missing: count(missing.length),
      }),
      missing,
    },
    {
      key: 'terminal_dynamic_group_kid',
      kind: 'one',
      label: t('device-filters:dynamic'),
      options: dynamic.map(({ kid, name }) => ({ value: kid, label: name })),
    },
    {
      key: 'agent_kind',
      kind: 'many',
      label: t('device-filters:agent'),
      options: agentKinds.map((value) => ({ value, label: agentOf(value)?.name ?? t('device-filters:agent_own') })),
    },
    {
      key: 'can',
      kind: 'one',
      label: t('device-filters:can'),
      options: pushMenu.map((value) => ({ value, label: textOf(pushKinds[value].action) })),
    },
    { key: 'tag', kind: 'many', label: t('device-filters:tag'), options: options(tags) },
    { key: 'battery', kind: 'range', label: t('device-filters:battery'), min: 0, max: 100, unit: '%' },
    { key: 'signal', kind: 'range', label: t('device-filters:signal'), min: -150, max: 0, unit: 'dBm' },
    { key: 'foreground_state', kind: 'one', label: t('device-filters:foreground.title'), options: foreground },
    { key: 'metered', kind: 'one', label: t('device-filters:metered'), options: yes_no },
    { key: 'location_fence_status', kind: 'one', label: t('device-filters:fence.title'), options: fence },
    {
      key: 'is_compliant',
      kind: 'yes_no',
      label: t('device-filters:compliance.title'),
      yes: t('device-filters:compliance.yes'),
      no: t('device-filters:compliance.no'),
    },
    {
      key: 'is_lost',
      kind: 'yes_no',
      label: t('device-filters:loss.title'),
      yes: t('device-filters:loss.yes'),
      no: t('device-filters:loss.no'),
    },
    { key: 'roaming', kind: 'one', label: t('device-filters:roaming'), options: yes_no },
    {
      key: 'where',
      kind: 'elsewhere',
      label: t('device-filters:conditions'),
      shown: where && sentence(where),
      open: build,
    },
  ]
}

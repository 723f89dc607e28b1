import { useTranslation } from 'react-i18next'
import { fenceStatuses, foregroundStates, yesNoStates } from '@mdm/contract'
import type { Where } from '@mdm/contract'
import { api, useCall } from '../../api.ts'
import { GroupPicker, useGroups } from '../../pickers/GroupPicker.tsx'
import { find } from '../../pickers/group-tree.ts'
import type { GroupNode } from '../../pickers/group-tree.ts'
import type { Filter } from '../../screen/filters.tsx'
import { useWhereWords } from './where-words.tsx'

/** Which inputs of the list live in its address. */
export const deviceFilters = {
  text: 'text',
  is_online: 'boolean',
  model: 'text',
  os_version: 'text',
  terminal_group_kid: 'text',
  terminal_dynamic_group_kid: 'text',
  tag: 'text',
  battery: 'json',
  signal: 'json',
  foreground_state: 'number',
  metered: 'number',
  roaming: 'number',
  location_fence_status: 'number',
  where: 'json',
} as const

const pathOf = (tree: readonly GroupNode[], kid: string | undefined): string | undefined =>
  kid === undefined ? undefined : find(tree, kid)?.path.join(' / ')

/** `group` and `where` are those of the list; `build` opens the conditions. */
export function useDeviceFilters(group: string | undefined, where: Where | undefined, build: () => void): Filter[] {
  const { t } = useTranslation(['devices', 'device-filters', 'common', 'pickers'])
  const facets = useCall(api.terminal.facets, {}).data
  const tags = useCall(api.terminal.list_tag, {}).data
  const dynamic = useCall(api.terminalDynamicGroup.list, { with_counts: true }).data ?? []
  const { tree } = useGroups()
  const { sentence } = useWhereWords()
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
    { key: 'is_online', kind: 'yes_no', label: t('common:state'), yes: t('common:online'), no: t('common:offline') },
    { key: 'model', kind: 'one', label: t('filter.model'), options: options(facets?.models) },
    { key: 'os_version', kind: 'one', label: t('filter.os_version'), options: options(facets?.os_versions) },
    {
      key: 'terminal_group_kid',
      kind: 'own',
      label: t('filter.group'),
      shown: group === 'NO_GROUP' ? t('pickers:group.none') : (pathOf(tree, group) ?? group),
      editor: (choose) => <GroupPicker special={['NO_GROUP']} value={group ?? null} onChange={choose} autoFocus />,
    },
    {
      key: 'terminal_dynamic_group_kid',
      kind: 'one',
      label: t('device-filters:dynamic'),
      options: dynamic.map(({ kid, name }) => ({ value: kid, label: name })),
    },
    { key: 'tag', kind: 'one', label: t('device-filters:tag'), options: options(tags) },
    { key: 'battery', kind: 'range', label: t('device-filters:battery'), min: 0, max: 100, unit: '%' },
    { key: 'signal', kind: 'range', label: t('device-filters:signal'), min: -150, max: 0, unit: 'dBm' },
    { key: 'foreground_state', kind: 'one', label: t('device-filters:foreground.title'), options: foreground },
    { key: 'metered', kind: 'one', label: t('device-filters:metered'), options: yes_no },
    { key: 'location_fence_status', kind: 'one', label: t('device-filters:fence.title'), options: fence },
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

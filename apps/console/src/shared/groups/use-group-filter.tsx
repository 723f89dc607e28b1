import { useTranslation } from 'react-i18next'
import { useMay } from '../../core/session.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { GroupPicker, ownGroups, useGroups } from './GroupPicker.tsx'
import { find } from './group-tree.ts'

type Options = { label: string; value: string | undefined; special?: readonly 'NO_GROUP'[] }

/** A filter of a list by a group and all below it; undefined for whoever may not list groups. */
export function useGroupFilter({ label, value, special = [] }: Options): Filter | undefined {
  const { t } = useTranslation('device')
  const may_list = useMay('deviceList')
  const { tree } = useGroups(ownGroups, may_list)
  if (!may_list) return undefined
  const path = value === undefined ? undefined : find(tree, value)?.path.join(' / ')
  return {
    key: 'terminal_group_kid',
    kind: 'own',
    label,
    shown: value === 'NO_GROUP' ? t('group.none') : (path ?? value),
    editor: (choose) => <GroupPicker special={special} value={value ?? null} onChange={choose} autoFocus />,
  }
}

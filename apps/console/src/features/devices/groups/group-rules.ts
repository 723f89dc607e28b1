import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { Permission } from '@mdm/contract'
import { heightOf, isWithin } from '../../../shared/groups/group-tree.ts'
import type { GroupNode } from '../../../shared/groups/group-tree.ts'

/** What is done to groups in a drawer or dialog, as the address calls it, and the permission that it needs. */
export const groupDialogs = {
  group_add: 'deviceList:group',
  group_rename: 'deviceList:group',
  group_move: 'deviceList:group',
  group_delete: 'deviceList:group',
} as const satisfies Record<string, Permission>
export type GroupDialogKind = keyof typeof groupDialogs

/** Why a group cannot go below another, or undefined. */
export function useMoveDisabledReason(): (node: GroupNode, to: GroupNode | 'ROOT') => string | undefined {
  const { t } = useTranslation('devices')
  return (node, to) => {
    if (to === 'ROOT') return node.parent_kid === null ? t('tree.is_there') : undefined
    if (isWithin(node, to.kid)) return t('tree.into_itself')
    if (node.parent_kid === to.kid) return t('tree.is_there')
    return to.depth + heightOf(node) > constants.group_depth
      ? t('tree.too_deep', { max: constants.group_depth })
      : undefined
  }
}

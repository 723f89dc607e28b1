import type { AppRequirement, DeviceApp } from '@mdm/contract'
import { find } from '../../../shared/groups/group-tree.ts'
import type { GroupNode } from '../../../shared/groups/group-tree.ts'

/** Whether a rule is for devices of a group: it is for all, or for this group or one above it. */
export function isForGroup(
  { terminal_group_kid, is_on }: Pick<AppRequirement, 'terminal_group_kid' | 'is_on'>,
  group_kid: string | null,
  tree: readonly GroupNode[],
): boolean {
  if (!is_on) return false
  if (terminal_group_kid === null) return true
  const at = find(tree, terminal_group_kid)
  return group_kid !== null && at !== undefined && find([at], group_kid) !== undefined
}

type Standing = 'has_it' | 'below' | 'missing'
/** How a device stands to an app that it has to have: versions are compared by their codes where both have one. */
export function standingOf(
  { version_name, version_code }: Pick<AppRequirement, 'version_name' | 'version_code'>,
  installed: Pick<DeviceApp, 'version' | 'version_code'> | undefined,
): Standing {
  if (!installed) return 'missing'
  if (version_code !== null && installed.version_code !== undefined)
    return installed.version_code < version_code ? 'below' : 'has_it'
  return version_name === null || installed.version === version_name ? 'has_it' : 'below'
}

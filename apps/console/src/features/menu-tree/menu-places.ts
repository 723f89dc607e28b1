import type { MenuEntry } from '@mdm/contract'
import { branchOf, flattened } from '../../ui/list/tree.ts'
import type { TreeNode } from '../../ui/list/tree.ts'

export type Entry = TreeNode<MenuEntry>
export type EntryType = MenuEntry['type']
/** `parent` is a kid or ROOT; `before` null is last. */
export type Place = { parent: string; before: string | null }
type Reason = 'below_operation' | 'into_itself' | 'does_not_fit'

/** What may stand below what, as the server has it. */
const holdable: Record<EntryType | 'root', readonly EntryType[]> = {
  root: ['module', 'group', 'page'],
  module: ['group', 'page'],
  group: ['page'],
  page: ['operation'],
  operation: [],
}
export const typesBelow = (parent: EntryType | 'root'): readonly EntryType[] => holdable[parent]

/** Why an entry cannot stand below another (or at the top), or undefined. */
export function whyNotBelow(tree: readonly Entry[], entry: MenuEntry, parent: MenuEntry | null): Reason | undefined {
  if (parent && branchOf(tree, entry.kid).has(parent.kid)) return 'into_itself'
  if (parent?.type === 'operation') return 'below_operation'
  return typesBelow(parent?.type ?? 'root').includes(entry.type) ? undefined : 'does_not_fit'
}

const siblingsOf = (tree: readonly Entry[], entry: MenuEntry): readonly Entry[] =>
  flattened(tree).find(({ kid }) => kid === entry.p_id)?.children ?? tree

/** One place up or down among its siblings; undefined at the end. */
export function stepOf(tree: readonly Entry[], entry: MenuEntry, by: -1 | 1): Place | undefined {
  const siblings = siblingsOf(tree, entry)
  const at = siblings.findIndex(({ kid }) => kid === entry.kid)
  if (!siblings[at + by]) return undefined
  return { parent: entry.p_id ?? 'ROOT', before: siblings[by < 0 ? at - 1 : at + 2]?.kid ?? null }
}

export type Zone = 'before' | 'into' | 'after'
/** Where a dragged entry would go when it is let go over another. */
export function dropOf(tree: readonly Entry[], over: MenuEntry, zone: Zone): Place {
  if (zone === 'into') return { parent: over.kid, before: null }
  const siblings = siblingsOf(tree, over)
  const next = siblings[siblings.findIndex(({ kid }) => kid === over.kid) + 1]
  return { parent: over.p_id ?? 'ROOT', before: zone === 'before' ? over.kid : (next?.kid ?? null) }
}

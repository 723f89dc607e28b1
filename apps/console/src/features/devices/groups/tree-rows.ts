import type { GroupNode } from '../../../shared/groups/group-tree.ts'

/** One visible line of the tree. `node` is absent for ALL and NO_GROUP. */
export type TreeRow = { kid: string; name: string; level: number; count: number | undefined; node?: GroupNode }

type Options = {
  tree: readonly GroupNode[]
  is_search: boolean
  total: number | undefined
  no_group_count: number
  isOpen: (node: GroupNode) => boolean
  labels: { all: string; none: string }
}

/** What is visible, from top to bottom: all devices, the open part of the tree, and those in no group. */
export function rowsOf({ tree, is_search, total, no_group_count, isOpen, labels }: Options): TreeRow[] {
  const walk = (nodes: readonly GroupNode[], level: number): TreeRow[] =>
    nodes.flatMap((node) => [
      { kid: node.kid, name: node.name, level, count: node.total_count, node },
      ...(isOpen(node) ? walk(node.children, level + 1) : []),
    ])
  const groups = walk(tree, 1)
  if (is_search) return groups
  return [
    { kid: 'ALL', name: labels.all, level: 1, count: total },
    ...groups,
    { kid: 'NO_GROUP', name: labels.none, level: 1, count: no_group_count },
  ]
}

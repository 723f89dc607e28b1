export type TreeNode<R> = R & { children?: TreeNode<R>[] }

/** Rows in their order as a tree. A row whose parent is not among them starts a tree of its own. */
export function nested<R extends { kid: string }>(
  rows: readonly R[],
  parentOf: (row: R) => string | null,
): TreeNode<R>[] {
  const known = new Set(rows.map(({ kid }) => kid))
  const below = new Map<string | null, R[]>()
  for (const row of rows) {
    const parent = parentOf(row)
    const at = parent !== null && known.has(parent) ? parent : null
    below.set(at, [...(below.get(at) ?? []), row])
  }
  const build = (row: R): TreeNode<R> => {
    const children = below.get(row.kid)?.map(build)
    return children ? { ...row, children } : { ...row }
  }
  return (below.get(null) ?? []).map(build)
}

/** Parents before their children. */
export const flattened = <R>(nodes: readonly TreeNode<R>[]): TreeNode<R>[] =>
  nodes.flatMap((node) => [node, ...flattened(node.children ?? [])])

/** Only what matches, with everything above it. */
export const matching = <R>(nodes: readonly TreeNode<R>[], isWanted: (row: R) => boolean): TreeNode<R>[] =>
  nodes.flatMap((node) => {
    const { children: all, ...row } = node
    const children = matching(all ?? [], isWanted)
    if (children.length > 0) return [{ ...node, children }]
    return isWanted(node) ? [row as TreeNode<R>] : []
  })

/** The kids of a branch, its top included. */
export const branchOf = <R extends { kid: string }>(nodes: readonly TreeNode<R>[], kid: string): Set<string> => {
  const top = flattened(nodes).find((node) => node.kid === kid)
  return new Set(top ? flattened([top]).map((node) => node.kid) : [])
}

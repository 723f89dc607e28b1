import type { TerminalGroup } from '@mdm/contract'

export type GroupNode = {
  kid: string
  name: string
  parent_kid: string | null
  /** 1 for a group without a parent. */
  depth: number
  /** Names from the top, its own last. */
  path: readonly string[]
  own_count: number
  total_count: number
  children: GroupNode[]
}

const trees = new WeakMap<readonly TerminalGroup[], GroupNode[]>()
/** The groups that are groups: the NO_GROUP entry of the list is not one. Made once of each answer of the server. */
export function treeOf(groups: readonly TerminalGroup[]): GroupNode[] {
  const tree = trees.get(groups) ?? growTree(groups)
  trees.set(groups, tree)
  return tree
}

function growTree(groups: readonly TerminalGroup[]): GroupNode[] {
  const nodes = new Map<string, GroupNode>()
  for (const group of groups) {
    if (group.is_no_group) continue
    const { kid, name, parent_kid, terminal_count: own_count, total_count } = group
    nodes.set(kid, { kid, name, parent_kid, depth: 1, path: [name], own_count, total_count, children: [] })
  }
  const tops: GroupNode[] = []
  // A person limited to some groups is not given what is above them: those start a tree of their own.
  for (const node of nodes.values()) {
    const parent = node.parent_kid === null ? undefined : nodes.get(node.parent_kid)
    ;(parent?.children ?? tops).push(node)
  }
  const place = (node: GroupNode, parent?: GroupNode): void => {
    if (parent) Object.assign(node, { depth: parent.depth + 1, path: [...parent.path, node.name] })
    for (const child of node.children) place(child, node)
  }
  for (const top of tops) place(top)
  return tops
}

/** Parents before their children, as they stand in the tree. */
export const flat = (nodes: readonly GroupNode[]): GroupNode[] =>
  nodes.flatMap((node) => [node, ...flat(node.children)])

export function find(nodes: readonly GroupNode[], kid: string): GroupNode | undefined {
  for (const node of nodes) {
    const found = node.kid === kid ? node : find(node.children, kid)
    if (found) return found
  }
  return undefined
}

/** How many levels hang from a node, itself included. */
export const heightOf = (node: GroupNode): number => 1 + Math.max(0, ...node.children.map(heightOf))

export const isWithin = (node: GroupNode, kid: string): boolean =>
  node.kid === kid || node.children.some((child) => isWithin(child, kid))

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll(/[đĐ]/g, 'd').toLowerCase()
/** Whether a name contains what was typed, accents and case aside. */
export const matches = (name: string, wanted: string): boolean => plain(name).includes(plain(wanted.trim()))

/** Only what matches, with everything above it; undefined wanted keeps all. */
export function search(nodes: readonly GroupNode[], wanted: string): GroupNode[] {
  if (!wanted.trim()) return [...nodes]
  return nodes.flatMap((node) => {
    const children = search(node.children, wanted)
    if (children.length > 0) return [{ ...node, children }]
    return matches(node.name, wanted) ? [{ ...node, children: [] }] : []
  })
}

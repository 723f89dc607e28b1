import { holds, pageList } from '@mdm/contract'
import type { Language, MenuNode, PageName, Session } from '@mdm/contract'
import { redirectFor } from '../core/access.ts'

export type MenuItem = {
  key: string
  title: string
  path: string
  is_external: boolean
  page: PageName | null
  /** Name of the icon that the entry was given; without one it has its page's. */
  icon: string | null
  /** A hint beside the entry; empty is none. */
  remind: string
}
type MenuGroup = { key: string; title: string; items: MenuItem[] }
export type MenuModule = { key: string; title: string; groups: MenuGroup[] }
type MenuSession = Pick<Session, 'account_type' | 'enter_kid' | 'permissions'>

const byPath = new Map(pageList.map((page) => [page.path, page]))

/**
 * The entries a person sees (section 6): an operator outside every customer those of end type 2, everyone else those
 * of end type 1, in the order of the tree. An entry whose page would turn the person away is left out.
 */
export function menuOf(nodes: readonly MenuNode[], session: MenuSession, language: Language): MenuModule[] {
  const is_outside = session.account_type === 101 && !session.enter_kid
  const end_type = is_outside ? 2 : 1
  const children = new Map<string | null, MenuNode[]>()
  for (const node of [...nodes].sort((a, b) => a.sort - b.sort)) {
    if (node.visible === 1) children.set(node.p_id, [...(children.get(node.p_id) ?? []), node])
  }
  const known = new Set(nodes.map((node) => node.kid))
  // The tree may have been cut above what the person sees; what lost its parent is a root.
  const roots = [...children].filter(([p_id]) => p_id === null || !known.has(p_id)).flatMap(([, all]) => all)

  const item = (node: MenuNode): MenuItem[] => {
    if (node.type !== 'page' || !node.path || node.end_type !== end_type) return []
    if (node.access_code && !holds(session.permissions, node.access_code)) return []
    const is_external = /^https?:\/\//.test(node.path)
    const page = byPath.get(node.path)
    if (!is_external && (!page || redirectFor(session, page))) return []
    const title = node.name[language]
    const { kid: key, path, icon, remind } = node
    return [{ key, title, path, is_external, page: page?.name ?? null, icon, remind }]
  }
  const pages = (node: MenuNode): MenuItem[] => [...item(node), ...(children.get(node.kid) ?? []).flatMap(pages)]
  const groupOf = (node: MenuNode): MenuGroup => ({ key: node.kid, title: node.name[language], items: pages(node) })

  return roots.flatMap((root): MenuModule[] => {
    const below = children.get(root.kid) ?? []
    const loose = [...item(root), ...below.filter((node) => node.type === 'page').flatMap(item)]
    const groups = [
      ...(loose.length > 0 ? [{ key: root.kid, title: root.name[language], items: loose }] : []),
      ...below.filter((node) => node.type !== 'page').map(groupOf),
    ].filter((group) => group.items.length > 0)
    return groups.length > 0 ? [{ key: root.kid, title: root.name[language], groups }] : []
  })
}

/** Lists that all hold parts of UIDs, whose pages lead from one to the other. */
const isInformation = ({ path }: MenuItem): boolean => path.startsWith('/information-list/')

/** The entries of a group as they stand in the menu: those of the OS information that follow each other are one that unfolds. */
export function folded(items: readonly MenuItem[]): readonly (MenuItem | readonly MenuItem[])[] {
  const shown: (MenuItem | MenuItem[])[] = []
  for (const item of items) {
    const last = shown.at(-1)
    if (!isInformation(item)) shown.push(item)
    else if (Array.isArray(last)) last.push(item)
    else shown.push([item])
  }
  return shown
}

import type { Text } from '../wire.ts'

/** Side of the menu (specification, section 6): 1 needs an account to act for, 2 is the provider's own. */
export type EndType = 1 | 2

type Facts = {
  /** Who may open it where a permission of its own does not say so. */
  needs?: 'signed_in' | 'public'
  /** Its group's by default. */
  end_type?: EndType
  /** Of the customer's side, and open as well to the provider's people who have entered none. */
  is_open_outside?: boolean
  /** Name of its icon in the menu, on the page and in 'Jump to'. */
  icon?: string
  /** Reached from other pages only. Pages with a parent are. */
  is_hidden?: boolean
  /** Name of the page that the breadcrumb shows before this one. */
  parent?: string
  /** Parameters that the page cannot do without: links ask for them. */
  query?: readonly string[]
  /** The parameter that names the record a page is of: pages of one record share a tag view, titled like the record. */
  record?: string
  /** Code of a second entry, in the provider's menu, for a page of both sides. */
  provider_entry?: string
  /** Buttons that need a permission of their own, `<page>:<operation>`. */
  operations?: Readonly<Record<string, Text>>
}
export type DeclaredPage = { path: string; title: Text } & Facts
export type PageGroup = {
  code: string
  title: Text
  /** Without one the group is not in the menu. */
  icon: string | null
  end_type: EndType
  pages: Readonly<Record<string, DeclaredPage>>
}

/** One page of the console. Its name in the group is its permission: the camelCase of its path. */
// oxlint-disable-next-line typescript/no-empty-object-type
export const page = <const F extends Facts = {}>(path: string, title: Text, facts?: F) =>
  ({ path, title, ...facts }) as { path: string; title: Text } & F

/** Pages that stand together in the menu, in its order. */
export const pageGroup = <const P extends Readonly<Record<string, DeclaredPage>>>(
  code: string,
  title: Text,
  { icon, end_type }: { icon: string | null; end_type: EndType },
  pages: P,
) => ({ code, title, icon, end_type, pages })

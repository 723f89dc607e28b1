import { pageGroups, pageList } from '@mdm/contract'
import type { EndType, Page, Text } from '@mdm/contract'

type Delivered = {
  code: string
  name: Text
  parent: string | null
  type: 'group' | 'page' | 'operation'
  end_type: EndType
  access_code: string | null
  path: string | null
  icon: string | null
  visible: number
  sort: number
}
type PageEntry = { page: Page; code: string; end_type: EndType }

const isGuarded = ({ name, needs }: Page): boolean => needs === name
/** A page of both sides has an entry on each: the second one has a code of its own and names the permission. */
const entriesOf = (page: Page): PageEntry[] => [
  { page, code: page.name, end_type: page.end_type },
  ...(page.provider_entry ? [{ page, code: page.provider_entry, end_type: 2 as const }] : []),
]

/** The menu as it is delivered (specification, 2): groups in their order, pages in theirs, buttons below their page. */
export function seedLevels(): Delivered[][] {
  const groups = pageGroups.filter(({ icon }) => icon !== null)
  const shown = new Set<string>(groups.map(({ code }) => code))
  const pages = pageList.filter(isGuarded).flatMap(entriesOf)
  return [
    groups.map(({ code, title, icon, end_type }, i) => ({
      code,
      name: title,
      icon,
      end_type,
      parent: null,
      type: 'group',
      access_code: null,
      path: null,
      visible: 1,
      sort: (i + 1) * 100,
    })),
    pages.map(({ page, code, end_type }, i) => ({
      code,
      name: page.title,
      path: page.path,
      parent: shown.has(page.group) ? page.group : null,
      end_type,
      type: 'page',
      access_code: page.name,
      icon: page.icon,
      visible: page.is_hidden ? 0 : 1,
      sort: i * 10,
    })),
    pages.flatMap(({ page, code, end_type }) =>
      (code === page.name ? page.operations : []).map((operation, i) => ({
        code: operation.code,
        name: operation.title,
        parent: page.name,
        end_type,
        type: 'operation' as const,
        access_code: operation.code,
        path: null,
        icon: null,
        visible: 1,
        sort: (i + 1) * 10,
      })),
    ),
  ]
}

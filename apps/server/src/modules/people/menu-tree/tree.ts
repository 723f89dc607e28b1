import type { MenuNode } from '@mdm/contract'
import { refuse } from '../../../refusal.ts'
import type { Menu } from './service.ts'

type MenuType = MenuNode['type']
type Parent = MenuType | 'root'

/** What may stand where: modules hold groups, groups pages, pages operations; upper levels may be left out at the root. */
const holdable: Record<Parent, readonly MenuType[]> = {
  root: ['module', 'group', 'page'],
  module: ['group', 'page'],
  group: ['page'],
  page: ['operation'],
  operation: [],
}
export const fits = (type: MenuType, parent: Parent): boolean => holdable[parent].includes(type)

/** The whole menu, in order. A refusal of a place is its own. */
export class MenuTree {
  readonly #rows = new Map<string, Menu>()
  readonly #children = new Map<string | null, Menu[]>()

  /** `rows` are in their order. */
  constructor(rows: readonly Menu[]) {
    for (const row of rows) {
      this.#rows.set(row.kid, row)
      const siblings = this.#children.get(row.p_id)
      if (siblings) siblings.push(row)
      else this.#children.set(row.p_id, [row])
    }
  }

  row(kid: string): Menu {
    return this.#rows.get(kid) ?? refuse('not_found')
  }
  children(p_id: string | null): readonly Menu[] {
    return this.#children.get(p_id) ?? []
  }
  /** Everything below, parents before children, siblings in their order. */
  below(p_id: string | null): Menu[] {
    return this.children(p_id).flatMap((row) => [row, ...this.below(row.kid)])
  }
  /** The places of an entry and of those above it among their siblings, from the top down: 02.01.03. */
  encoding(row: Menu): string {
    const place = this.children(row.p_id).indexOf(row) + 1
    const own = String(place).padStart(2, '0')
    return row.p_id === null ? own : `${this.encoding(this.row(row.p_id))}.${own}`
  }
  /** Where the last child of a parent is followed by a new one. */
  end(p_id: string | null): number {
    return Math.max(0, ...this.children(p_id).map((row) => row.sort)) + 10
  }

  /** The parent that an entry of this type is to have; `kid` is the entry's own, when it has one already. */
  place(p_id: string, type: MenuType, kid?: string): Menu | undefined {
    const parent = p_id === 'ROOT' ? undefined : (this.#rows.get(p_id) ?? refuse('menu_parent_unknown'))
    if (parent && kid !== undefined && [kid, ...this.below(kid).map((row) => row.kid)].includes(parent.kid))
      refuse('menu_into_itself')
    if (parent?.type === 'operation') refuse('menu_under_operation')
    if (!fits(type, parent?.type ?? 'root')) refuse('menu_does_not_fit')
    return parent
  }
}

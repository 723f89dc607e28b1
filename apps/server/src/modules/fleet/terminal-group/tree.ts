import { groupValues } from '@mdm/contract'
import type { TerminalGroup, TerminalGroupNode } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'

export type GroupRow = { kid: string; parent_kid: string | null; name: string; depth: number; terminal_count: number }

/** An account's groups as a tree. A user limited to groups has a tree of those alone, whose tops are its roots. */
export class GroupTree {
  readonly #rows = new Map<string, GroupRow>()
  readonly #children = new Map<string | null, GroupRow[]>()

  constructor(rows: readonly GroupRow[], visible_groups?: readonly string[]) {
    const within = visible_groups && new Set(visible_groups)
    const seen = within ? rows.filter((row) => within.has(row.kid)) : rows
    for (const row of seen) this.#rows.set(row.kid, row)
    for (const row of seen.toSorted(byName)) {
      const parent = row.parent_kid !== null && this.#rows.has(row.parent_kid) ? row.parent_kid : null
      const siblings = this.#children.get(parent)
      if (siblings) siblings.push({ ...row, parent_kid: parent })
      else this.#children.set(parent, [{ ...row, parent_kid: parent }])
    }
  }

  /** One that was created since. */
  add(row: GroupRow): void {
    this.#rows.set(row.kid, row)
    this.#children.set(row.parent_kid, [...this.children(row.parent_kid), row].toSorted(byName))
  }
  row(kid: string): GroupRow | undefined {
    return this.#rows.get(kid)
  }
  children(parent: string | null): readonly GroupRow[] {
    return this.#children.get(parent) ?? []
  }
  /** Everything below `parent`, parents before children, siblings by name. */
  below(parent: string | null): GroupRow[] {
    return this.children(parent).flatMap((row) => [row, ...this.below(row.kid)])
  }
  /** How many levels there are from this group down, itself included. */
  height(kid: string): number {
    return 1 + Math.max(0, ...this.children(kid).map((row) => this.height(row.kid)))
  }
  count(kid: string): number {
    const own = this.#rows.get(kid)?.terminal_count ?? 0
    return this.children(kid).reduce((sum, row) => sum + this.count(row.kid), own)
  }

  entry(row: GroupRow): TerminalGroup {
    return {
      kid: row.kid,
      name: row.name,
      parent_kid: row.parent_kid !== null && this.#rows.has(row.parent_kid) ? row.parent_kid : null,
      is_no_group: false,
      has_child: this.children(row.kid).length > 0,
      terminal_count: row.terminal_count,
      total_count: this.count(row.kid),
    }
  }
  node(row: GroupRow): TerminalGroupNode {
    return { ...this.entry(row), children: this.children(row.kid).map((child) => this.node(child)) }
  }
}

const byName = (a: GroupRow, b: GroupRow): number =>
  a.name.localeCompare(b.name, 'en', { sensitivity: 'base', numeric: true }) || (a.kid < b.kid ? -1 : 1)

export async function readTree(scope: Kysely<Tables>, visible_groups?: readonly string[]): Promise<GroupTree> {
  const rows = await scope
    .selectFrom('terminal_group')
    .select(['kid', 'parent_kid', 'name', 'depth', 'terminal_count'])
    .execute()
  return new GroupTree(rows, visible_groups)
}

/** The entry that stands for devices without a group. Consoles show their own word for it. */
export const noGroupEntry = (terminal_count: number): TerminalGroup => ({
  kid: groupValues.none,
  name: groupValues.none,
  parent_kid: null,
  is_no_group: true,
  has_child: false,
  terminal_count,
  total_count: terminal_count,
})

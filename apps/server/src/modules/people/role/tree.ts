type Node = { kid: string; parent_kid: string | null; weight: number; name: string }

/** An account's roles as a tree: siblings by weight, the heaviest first. */
export class RoleTree<Role extends Node> {
  readonly #rows: ReadonlyMap<string, Role>
  readonly #children = new Map<string | null, Role[]>()

  constructor(rows: readonly Role[]) {
    this.#rows = new Map(rows.map((row) => [row.kid, row]))
    for (const row of rows.toSorted((a, b) => b.weight - a.weight || a.name.localeCompare(b.name, 'en'))) {
      const siblings = this.#children.get(row.parent_kid)
      if (siblings) siblings.push(row)
      else this.#children.set(row.parent_kid, [row])
    }
  }

  row(kid: string): Role | undefined {
    return this.#rows.get(kid)
  }
  children(kid: string | null): readonly Role[] {
    return this.#children.get(kid) ?? []
  }
  below(kid: string | null): Role[] {
    return this.children(kid).flatMap((role) => [role, ...this.below(role.kid)])
  }
  /** Every role, parents before children. */
  inOrder(): Role[] {
    return this.below(null)
  }
}

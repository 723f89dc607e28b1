import { BinaryOperationNode, ColumnNode, OperatorNode, ReferenceNode, TableNode, ValueNode } from 'kysely'
import type { AliasNode, IdentifierNode, OperationNode, RawNode } from 'kysely'

/** What a tenant scope refuses; a fault of the program, never of the caller's input. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError'
}

export type ScopeRules = {
  account_kid: string
  tables: ReadonlySet<string>
  group_kids: readonly string[] | undefined
}

const grouped_table = 'terminal'
const partition_suffix = /_p?\d[\d_]*$/

/** The tenant table that this name stands for: itself, or the one it is a partition of. */
export function tenantTable(rules: ScopeRules, name: string): string | undefined {
  if (rules.tables.has(name)) return name
  const parent = name.replace(partition_suffix, '')
  return rules.tables.has(parent) ? parent : undefined
}

/** The columns that a row of this table must match, with the values it may have. */
export function limitsOf(rules: ScopeRules, table: string): { column: string; allowed: readonly string[] }[] {
  const limits: { column: string; allowed: readonly string[] }[] = [
    { column: 'account_kid', allowed: [rules.account_kid] },
  ]
  if (table === grouped_table && rules.group_kids)
    limits.push({ column: 'terminal_group_kid', allowed: rules.group_kids })
  return limits
}

const at = (table: TableNode, column: string) => ReferenceNode.create(ColumnNode.create(column), table)

/** `t.account_kid = $1 [and t.terminal_group_kid = any($2)]`, plain enough for any index that begins with them. */
export function conditionsFor(rules: ScopeRules, table: string, range: TableNode): OperationNode[] {
  const own = BinaryOperationNode.create(
    at(range, 'account_kid'),
    OperatorNode.create('='),
    ValueNode.create(rules.account_kid),
  )
  if (table !== grouped_table || !rules.group_kids) return [own]
  const groups: RawNode = {
    kind: 'RawNode',
    sqlFragments: ['any(', ')'],
    parameters: [ValueNode.create([...rules.group_kids])],
  }
  return [own, BinaryOperationNode.create(at(range, 'terminal_group_kid'), OperatorNode.create('='), groups)]
}

/** A tenant table where a statement reads or writes rows: its name, its node and what its columns are called by. */
export type Use = { table: string; node: TableNode; range: TableNode; alias: AliasNode | undefined }

export function tenantUse(rules: ScopeRules, node: OperationNode): Use | undefined {
  if (node.kind === 'TableNode') {
    const found = node as TableNode
    const table = tenantTable(rules, found.table.identifier.name)
    return table === undefined ? undefined : { table, node: found, range: found, alias: undefined }
  }
  if (node.kind !== 'AliasNode') return undefined
  const alias = node as AliasNode
  const inner = alias.node.kind === 'TableNode' ? tenantUse(rules, alias.node) : undefined
  if (!inner) return undefined
  if (alias.alias.kind !== 'IdentifierNode')
    throw new ScopeError(`the alias of ${inner.table} must be a plain name within a tenant scope`)
  return { ...inner, range: TableNode.create((alias.alias as IdentifierNode).name), alias }
}

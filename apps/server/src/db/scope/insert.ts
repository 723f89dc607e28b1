import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  ReferenceNode,
  SelectionNode,
  SelectQueryNode,
  TableNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import type { InsertQueryNode, OperationNode, PrimitiveValueListNode, ValuesItemNode } from 'kysely'
import { limitsOf, ScopeError } from './rules.ts'
import type { ScopeRules } from './rules.ts'

/** The INSERT with account_kid in every row. A foreign value, or one that cannot be known here, throws. */
export function limitInsert(rules: ScopeRules, table: string, node: InsertQueryNode): InsertQueryNode {
  let limited: InsertQueryNode = node
  if (node.defaultValues)
    limited = { ...node, defaultValues: false, columns: [], values: ValuesNode.create([emptyRow()]) }
  for (const { column, allowed } of limitsOf(rules, table)) {
    const own = column === 'account_kid' ? rules.account_kid : undefined
    limited = limitColumn(limited, table, column, allowed, own)
  }
  return limited
}

const emptyRow = () => ValueListNode.create([])

function limitColumn(
  node: InsertQueryNode,
  table: string,
  column: string,
  allowed: readonly string[],
  own: string | undefined,
): InsertQueryNode {
  if (!node.columns || !node.values) throw new ScopeError(`INSERT INTO ${table} must name its columns within a scope`)
  const at = node.columns.findIndex((found) => found.column.name === column)
  const foreign = () => new ScopeError(`${column} of a new row in ${table} is out of the scope`)
  if (node.values.kind === 'ValuesNode') {
    const rows = (node.values as ValuesNode).values
    if (at >= 0) {
      for (const row of rows) if (!allowed.includes(valueAt(row, at) as string)) throw foreign()
      return node
    }
    if (own === undefined) throw foreign()
    return {
      ...node,
      columns: [...node.columns, ColumnNode.create(column)],
      values: ValuesNode.create(rows.map((row) => withValue(row, own))),
    }
  }
  if (node.values.kind !== 'SelectQueryNode')
    throw new ScopeError(`INSERT INTO ${table} takes values or a select within a scope`)
  if (at >= 0) throw new ScopeError(`leave ${column} out of INSERT INTO ${table} ... SELECT: the scope writes it`)
  if (own === undefined) throw foreign()
  return { ...node, columns: [...node.columns, ColumnNode.create(column)], values: withSelected(node.values, own) }
}

const chosen_rows = TableNode.create('rows_to_insert')

/** select rows_to_insert.*, $1 from (the select) as rows_to_insert: right for unions and DISTINCT too. */
function withSelected(select: OperationNode, own: string): SelectQueryNode {
  const from = SelectQueryNode.createFrom([AliasNode.create(select, IdentifierNode.create('rows_to_insert'))])
  return SelectQueryNode.cloneWithSelections(from, [
    SelectionNode.create(ReferenceNode.createSelectAll(chosen_rows)),
    SelectionNode.create(AliasNode.create(ValueNode.create(own), IdentifierNode.create('account_kid'))),
  ])
}

function valueAt(row: ValuesItemNode, at: number): unknown {
  if (row.kind === 'PrimitiveValueListNode') return (row as PrimitiveValueListNode).values[at]
  const value = (row as ValueListNode).values[at]
  return value?.kind === 'ValueNode' ? (value as ValueNode).value : undefined
}

function withValue(row: ValuesItemNode, own: string): ValuesItemNode {
  if (row.kind === 'PrimitiveValueListNode')
    return { ...row, values: [...(row as PrimitiveValueListNode).values, own] } as PrimitiveValueListNode
  return ValueListNode.create([...(row as ValueListNode).values, ValueNode.create(own)])
}

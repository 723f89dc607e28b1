import { AliasNode, AndNode, IdentifierNode, OnNode, OperationNodeTransformer, ParensNode } from 'kysely'
import { SelectAllNode, SelectionNode, SelectQueryNode, WhereNode } from 'kysely'
import type * as k from 'kysely'
import { limitInsert } from './insert.ts'
import { assertHarmless, assertLockClause } from './raw.ts'
import { conditionsFor, limitsOf, ScopeError, tenantTable, tenantUse } from './rules.ts'
import type { ScopeRules, Use } from './rules.ts'

type Q = k.QueryId
type Joined = { joins?: readonly k.JoinNode[] | undefined; where?: k.WhereNode | undefined }

/** Joins that keep rows of the table they join: a condition in ON would not keep those rows out. */
const keeps_joined = new Set(['RightJoin', 'FullJoin'])
const condition_in_on = new Set(['InnerJoin', 'LeftJoin'])

/**
 * Puts the tenant's condition on every use of a tenant table. FROM, UPDATE and DELETE tables get it in WHERE, INNER and
 * LEFT JOINs in ON. In a SELECT with a RIGHT or FULL JOIN neither place means the same, so there each tenant table
 * becomes `(select * from t where ...) as t`, which the planner flattens wherever it may.
 */
export class ScopeTransformer extends OperationNodeTransformer {
  readonly #rules: ScopeRules
  readonly #passed: WeakSet<object>
  readonly #limited = new WeakSet<object>()
  #raw_depth = 0

  constructor(rules: ScopeRules, passed: WeakSet<object>) {
    super()
    this.#rules = rules
    this.#passed = passed
  }

  /** A subquery built from the same scoped database has been limited already. */
  protected override transformNodeImpl<T extends k.OperationNode>(node: T, queryId: Q): T {
    if (this.#passed.has(node)) return node
    return super.transformNodeImpl(node, queryId)
  }

  protected override transformSelectQuery(node: k.SelectQueryNode, queryId: Q): k.SelectQueryNode {
    this.#assertModifiers(node)
    const froms = node.from?.froms ?? []
    if (this.#limited.has(node)) return super.transformSelectQuery(node, queryId)
    if (node.joins?.some((join) => keeps_joined.has(join.joinType))) {
      const narrowed: k.SelectQueryNode = {
        ...node,
        ...(node.from ? { from: { ...node.from, froms: froms.map((from) => this.#narrowed(from)) } } : {}),
        joins: node.joins.map((join) => ({ ...join, table: this.#narrowed(join.table) })),
      }
      return super.transformSelectQuery(narrowed, queryId)
    }
    return super.transformSelectQuery(this.#withConditions(node, froms), queryId)
  }

  protected override transformUpdateQuery(node: k.UpdateQueryNode, queryId: Q): k.UpdateQueryNode {
    this.#assertModifiers(node)
    this.#assertPlainJoins(node)
    // Several tables at once is not PostgreSQL's UPDATE.
    if (!node.table || node.table.kind === 'ListNode') throw new ScopeError('UPDATE names one table')
    const use = tenantUse(this.#rules, node.table)
    if (use) this.assertUpdates(use.table, node.updates ?? [])
    return super.transformUpdateQuery(this.#withConditions(node, [node.table, ...(node.from?.froms ?? [])]), queryId)
  }

  protected override transformDeleteQuery(node: k.DeleteQueryNode, queryId: Q): k.DeleteQueryNode {
    this.#assertModifiers(node)
    this.#assertPlainJoins(node)
    return super.transformDeleteQuery(
      this.#withConditions(node, [...node.from.froms, ...(node.using?.tables ?? [])]),
      queryId,
    )
  }

  protected override transformInsertQuery(node: k.InsertQueryNode, queryId: Q): k.InsertQueryNode {
    this.#assertModifiers(node)
    const use = node.into ? tenantUse(this.#rules, node.into) : undefined
    if (!use) return super.transformInsertQuery(node, queryId)
    this.#limited.add(use.node)
    let limited = limitInsert(this.#rules, use.table, node)
    const conflict = limited.onConflict
    if (conflict?.updates) {
      this.assertUpdates(use.table, conflict.updates)
      // The row in the way may be another tenant's: it stays as it is.
      const updateWhere = this.#where(conflict.updateWhere, this.#conditions(use))
      limited = { ...limited, onConflict: { ...conflict, updateWhere } }
    }
    return super.transformInsertQuery(limited, queryId)
  }

  protected override transformMergeQuery(node: k.MergeQueryNode, queryId: Q): k.MergeQueryNode {
    this.#assertModifiers(node)
    return super.transformMergeQuery(node, queryId)
  }

  protected override transformJoin(node: k.JoinNode, queryId: Q): k.JoinNode {
    const use = this.#limited.has(node) ? undefined : tenantUse(this.#rules, node.table)
    if (!use) return super.transformJoin(node, queryId)
    if (node.joinType !== 'CrossJoin' && !condition_in_on.has(node.joinType))
      throw new ScopeError(`${node.joinType} of the tenant table ${use.table} is not possible within a scope`)
    this.#limited.add(use.node)
    const own = this.#conditions(use)
    const on = node.on ? [...own, ParensNode.create(node.on.on)] : own
    const joinType = node.joinType === 'CrossJoin' ? 'InnerJoin' : node.joinType
    return super.transformJoin({ ...node, joinType, on: OnNode.create(all(on)) }, queryId)
  }

  protected override transformRaw(node: k.RawNode, queryId: Q): k.RawNode {
    if (this.#raw_depth === 0) assertHarmless(node, this.#rules)
    this.#raw_depth += 1
    try {
      return super.transformRaw(node, queryId)
    } finally {
      this.#raw_depth -= 1
    }
  }

  /** What is left here stands for a column's or a row's owner, or it is a use that no rule above knows. */
  protected override transformTable(node: k.TableNode, queryId: Q): k.TableNode {
    const name = node.table.identifier.name
    if (tenantTable(this.#rules, name) && !this.#limited.has(node) && !this.#isMention())
      throw new ScopeError(`the tenant table ${name} stands where a scope cannot limit it`)
    return super.transformTable(node, queryId)
  }

  protected override transformCommonTableExpressionName(
    node: k.CommonTableExpressionNameNode,
    queryId: Q,
  ): k.CommonTableExpressionNameNode {
    const name = node.table.table.identifier.name
    if (tenantTable(this.#rules, name)) throw new ScopeError(`a common table expression may not be called ${name}`)
    return super.transformCommonTableExpressionName(node, queryId)
  }

  protected override transformFunction(node: k.FunctionNode, queryId: Q): k.FunctionNode {
    this.#assertFunction(node.func)
    return super.transformFunction(node, queryId)
  }

  protected override transformAggregateFunction(node: k.AggregateFunctionNode, queryId: Q): k.AggregateFunctionNode {
    this.#assertFunction(node.func)
    return super.transformAggregateFunction(node, queryId)
  }

  /** Kysely writes the name of a function into the statement as it is. */
  #assertFunction(name: string): void {
    assertHarmless({ kind: 'RawNode', sqlFragments: [name], parameters: [] }, this.#rules)
    if (!/^[\w.]+$/.test(name)) throw new ScopeError(`not the name of a function: ${name.slice(0, 100)}`)
  }

  /** Neither another tenant's row nor, for a limited user, a group out of reach can be the result of a change. */
  assertUpdates(table: string, updates: readonly k.ColumnUpdateNode[]): void {
    for (const { column, value } of updates) {
      const name = columnName(column)
      if (name === undefined) throw new ScopeError(`UPDATE ${table}: a column must be named plainly within a scope`)
      if (name === 'account_kid') throw new ScopeError(`account_kid of ${table} cannot be changed`)
      const limit = limitsOf(this.#rules, table).find((found) => found.column === name)
      if (!limit) continue
      const given = value.kind === 'ValueNode' ? (value as k.ValueNode).value : undefined
      if (typeof given !== 'string' || !limit.allowed.includes(given))
        throw new ScopeError(`${name} of ${table} cannot be set to a value out of the scope`)
    }
  }

  #isMention(): boolean {
    const parent = this.nodeStack[this.nodeStack.length - 2]?.kind
    return (
      parent === 'ReferenceNode' ||
      parent === 'FunctionNode' ||
      parent === 'AggregateFunctionNode' ||
      parent === 'SelectModifierNode' ||
      // assertHarmless has seen that a column follows.
      parent === 'RawNode'
    )
  }

  #conditions(use: Use): k.OperationNode[] {
    return conditionsFor(this.#rules, use.table, use.range)
  }

  #withConditions<T extends k.OperationNode & Joined>(node: T, tables: readonly k.OperationNode[]): T {
    const conditions: k.OperationNode[] = []
    for (const table of tables) {
      const use = tenantUse(this.#rules, table)
      if (!use) continue
      this.#limited.add(use.node)
      conditions.push(...this.#conditions(use))
    }
    return conditions.length ? { ...node, where: this.#where(node.where, conditions) } : node
  }

  /** The tenant first, the rest in parentheses: an OR in it must not reach past the tenant. */
  #where(where: k.WhereNode | undefined, conditions: k.OperationNode[]): k.WhereNode {
    return WhereNode.create(all(where ? [...conditions, ParensNode.create(where.where)] : conditions))
  }

  #narrowed(node: k.OperationNode): k.OperationNode {
    const use = tenantUse(this.#rules, node)
    if (!use) return node
    this.#limited.add(use.node)
    const rows = SelectQueryNode.cloneWithSelections(SelectQueryNode.createFrom([use.node]), [
      SelectionNode.create(SelectAllNode.create()),
    ])
    const conditions = conditionsFor(this.#rules, use.table, use.node)
    const narrowed: k.SelectQueryNode = { ...rows, where: WhereNode.create(all(conditions)) }
    this.#limited.add(narrowed)
    return AliasNode.create(narrowed, use.alias?.alias ?? IdentifierNode.create(use.node.table.identifier.name))
  }

  #assertPlainJoins(node: Joined): void {
    if (node.joins?.some((join) => keeps_joined.has(join.joinType)))
      throw new ScopeError('RIGHT and FULL JOIN are not possible in UPDATE and DELETE within a scope')
  }

  #assertModifiers(node: {
    frontModifiers?: readonly k.OperationNode[] | undefined
    endModifiers?: readonly k.OperationNode[] | undefined
  }): void {
    for (const modifier of [...(node.frontModifiers ?? []), ...(node.endModifiers ?? [])]) {
      const raw = modifier.kind === 'RawNode' ? modifier : (modifier as k.SelectModifierNode).rawModifier
      if (!raw) continue
      if (raw.kind !== 'RawNode') throw new ScopeError('a statement modifier must be a lock within a scope')
      assertLockClause(raw as k.RawNode)
    }
  }
}

const all = (conditions: k.OperationNode[]): k.OperationNode =>
  conditions.reduce((left, right) => AndNode.create(left, right))

function columnName(node: k.OperationNode): string | undefined {
  if (node.kind === 'ColumnNode') return (node as k.ColumnNode).column.name
  if (node.kind !== 'ReferenceNode') return undefined
  const { column } = node as k.ReferenceNode
  return column.kind === 'ColumnNode' ? column.column.name : undefined
}

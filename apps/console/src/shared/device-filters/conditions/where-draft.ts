import { customFieldWhereKinds, whereFields, whereNodes, whereOperators, whereValue } from '@mdm/contract'
import type { CustomField, Where, WhereCondition, WhereField, WhereGroup, WhereKind, WhereNode } from '@mdm/contract'

/** A tree of conditions while it is being made: with holes in it, and with ids so that rows keep their place. */
export type DraftCondition = { id: number; field: FieldKey; op: string; value: unknown }
export type DraftGroup = { id: number; joint: 'all' | 'any'; nodes: DraftNode[] }
export type DraftNode = DraftCondition | DraftGroup
/** A field of the account is named by its kid. */
export type FieldKey = WhereField | `custom:${string}`

export const isGroup = (node: DraftNode): node is DraftGroup => 'joint' in node
const prefix = 'custom:'
export const keyOfField = (kid: string): FieldKey => `${prefix}${kid}`
export const kidOfField = (key: FieldKey): string | undefined =>
  key.startsWith(prefix) ? key.slice(prefix.length) : undefined

let last_id = 0
const newId = () => ++last_id

/** Undefined for a field of the account that is gone. */
export function kindOf(key: FieldKey, fields: readonly CustomField[]): WhereKind | undefined {
  const kid = kidOfField(key)
  if (kid === undefined) return whereFields[key as WhereField]
  const field = fields.find((each) => each.kid === kid)
  return field && customFieldWhereKinds[field.kind]
}
export const operatorsOf = (kind: WhereKind): string[] => Object.keys(whereOperators[kind])

const lists = new Set(['is_one_of', 'is_none_of', 'has_any', 'has_all', 'has_none', 'is_within', 'is_not_within'])
/** What the editor of a value begins with. */
function emptyValue(kind: WhereKind, op: string): unknown {
  if (kind === 'yes_no') return true
  if (kind === 'app') return { package: '' }
  if (lists.has(op)) return []
  return kind === 'text' && op !== 'is_empty' && op !== 'is_filled' ? '' : undefined
}

export const newCondition = (field: FieldKey = 'model'): DraftCondition => {
  const kind = kindOf(field, []) ?? 'text'
  const op = operatorsOf(kind)[0]!
  return { id: newId(), field, op, value: emptyValue(kind, op) }
}
export const newGroup = (joint: DraftGroup['joint'] = 'all', nodes: DraftNode[] = [newCondition()]): DraftGroup => ({
  id: newId(),
  joint,
  nodes,
})

/** What can be kept is kept: the operator where the new field has it, the value where it means the same there. */
export function withField(condition: DraftCondition, field: FieldKey, fields: readonly CustomField[]): DraftCondition {
  const kind = kindOf(field, fields) ?? 'text'
  const is_same_kind = kindOf(condition.field, fields) === kind && kind !== 'choice'
  const op = operatorsOf(kind).includes(condition.op) ? condition.op : operatorsOf(kind)[0]!
  return { ...condition, field, op, value: is_same_kind ? condition.value : emptyValue(kind, op) }
}

export function withOperator(condition: DraftCondition, op: string, fields: readonly CustomField[]): DraftCondition {
  const kind = kindOf(condition.field, fields) ?? 'text'
  // The package stays whichever question is asked of it; a version may still have to be typed.
  if (kind === 'app') return { ...condition, op }
  const schema = whereValue(kind, op)
  const is_kept = condition.value !== undefined && schema?.safeParse(condition.value).success
  return { ...condition, op, value: is_kept ? condition.value : emptyValue(kind, op) }
}

/** The tree with one node replaced, or without it; a group that became empty goes too, but for the outermost. */
export function replaced(group: DraftGroup, id: number, by: DraftNode | null): DraftGroup {
  const nodes = group.nodes.flatMap((node): DraftNode[] => {
    if (node.id === id) return by ? [by] : []
    if (!isGroup(node)) return [node]
    const inner = replaced(node, id, by)
    return inner.nodes.length > 0 ? [inner] : []
  })
  return { ...group, nodes }
}

export const conditionsIn = (node: DraftNode): DraftCondition[] =>
  isGroup(node) ? node.nodes.flatMap(conditionsIn) : [node]

export function isComplete({ field, op, value }: DraftCondition, fields: readonly CustomField[]): boolean {
  const kind = kindOf(field, fields)
  return kind !== undefined && whereValue(kind, op)?.safeParse(value).success === true
}

/** As the contract has it; undefined while a condition is incomplete or there is none. */
export function whereOf(draft: DraftGroup, fields: readonly CustomField[]): Where | undefined {
  const conditions = conditionsIn(draft)
  if (conditions.length === 0 || !conditions.every((condition) => isComplete(condition, fields))) return undefined
  return groupOf(draft) as Where
}
const groupOf = ({ joint, nodes }: DraftGroup): WhereGroup => {
  const inner = nodes.map((node): WhereNode => (isGroup(node) ? groupOf(node) : conditionOf(node)))
  return joint === 'all' ? { all: inner } : { any: inner }
}
function conditionOf({ field, op, value }: DraftCondition): WhereCondition {
  const kid = kidOfField(field)
  const about =
    kid === undefined ? { field: field as WhereField } : { field: 'custom_field' as const, custom_field_kid: kid }
  const told = value === undefined ? {} : { value: value as WhereCondition['value'] }
  return { ...about, op: op as WhereCondition['op'], ...told }
}

export const draftOf = (where: WhereGroup): DraftGroup =>
  newGroup(
    'all' in where ? 'all' : 'any',
    whereNodes(where).map((node) => ('field' in node ? draftCondition(node) : draftOf(node))),
  )
const draftCondition = ({ field, custom_field_kid, op, value }: WhereCondition): DraftCondition => ({
  id: newId(),
  field: field === 'custom_field' ? keyOfField(custom_field_kid!) : field,
  op,
  value,
})

import { fenceStatuses, foregroundStates, groupValues, whereConditions, whereNodes, yesNoStates } from '@mdm/contract'
import type { TerminalFilter, WhereCondition, WhereField, WhereGroup, WhereNode } from '@mdm/contract'
import { expressionBuilder, sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { list as listFields } from '../custom-field/index.ts'
import { subtree } from '../terminal-group/index.ts'
import type { Actor, VisibleGroups } from '../../../actor.ts'
import { compile, contains, isAnySn, textArray } from './conditions.ts'
import type { Compiled, Known } from './conditions.ts'

type Db = Kysely<Tables>
/** The groups that are asked for with all below them; undefined for every device, null for those in no group. */
export type Groups = { kid: string; terminal_count: number }[] | null | undefined

/** A filter as SQL: its group apart, because groups have counters and an order of their own. */
export type Matcher = {
  groups: Groups
  conditions: RawBuilder<boolean>[]
  has_terminal: boolean
  has_state: boolean
  /** Nothing but what an index answers by itself, without looking at the row. */
  is_by_index: boolean
}

export async function matcherOf(actor: Actor, filter: TerminalFilter): Promise<Matcher> {
  const { scope } = actor
  const nodes: WhereNode[] = [...plainConditions(filter), ...(await wheres(scope, filter))]
  const known = await knownTo(actor, nodes)
  const compiled = nodes.map((node) => compileNode(node, known))
  const fence = fenceCondition(filter.location_fence_status)
  if (fence) compiled.push({ sql: fence, uses: new Set(['terminal_state']) })
  if (filter.is_compliant !== undefined)
    compiled.push({ sql: compliance(filter.is_compliant), uses: new Set(['terminal']) })
  if (filter.is_lost !== undefined) compiled.push({ sql: loss(filter.is_lost), uses: new Set(['terminal']) })
  if (filter.agent_kind) compiled.push({ sql: isAgent([filter.agent_kind].flat()), uses: new Set(['terminal']) })
  if (filter.can)
    compiled.push({ sql: sql`terminal.task_types @> ${textArray([filter.can])}`, uses: new Set(['terminal']) })
  if (filter.terminal_batch_kid)
    compiled.push({ sql: isOfSheet(filter.terminal_batch_kid), uses: new Set(['terminal']) })
  if (filter.sns) compiled.push({ sql: isAnySn(filter.sns), uses: new Set(['terminal']) })
  if (filter.text) compiled.push({ sql: contains(filter.text), uses: new Set(['terminal']) })
  return {
    groups: await groupsOf(actor, filter.terminal_group_kid),
    conditions: compiled.map((each) => each.sql),
    has_terminal: compiled.some(({ uses }) => uses.has('terminal')),
    has_state: compiled.some(({ uses }) => uses.has('terminal_state')),
    is_by_index:
      !filter.text &&
      !filter.sns &&
      !filter.terminal_batch_kid &&
      nodes.every((node) => 'field' in node && by_index.has(node.field)),
  }
}
const by_index: ReadonlySet<string> = new Set<WhereField>(['is_online', 'model', 'os_version', 'uid'])

/** The single filters, as conditions: both say the same thing in the same SQL. */
function plainConditions(filter: TerminalFilter): WhereCondition[] {
  const { is_online, model, os_version, uid, foreground_state, metered, roaming, battery, signal, tag, custom_field } =
    filter
  const yes = (field: WhereField, value: boolean | undefined): WhereCondition[] =>
    value === undefined ? [] : [{ field, op: 'is', value }]
  const isYes = (state: number | undefined, of: number) =>
    state === undefined || state === yesNoStates.all ? undefined : state === of
  return [
    ...yes('is_online', is_online),
    ...one('model', 'is_one_of', several(model)),
    ...one('os_version', 'is_one_of', several(os_version)),
    ...one('uid', 'is_one_of', several(uid)),
    ...yes('has_foreground_app', isYes(foreground_state, foregroundStates.foreground)),
    ...yes('is_metered', isYes(metered, yesNoStates.yes)),
    ...yes('is_roaming', isYes(roaming, yesNoStates.yes)),
    ...one('battery_level', 'between', battery),
    ...one('signal', 'between', signal),
    ...one('tags', 'has_any', several(tag)),
    ...(custom_field ? [custom_field] : []),
  ]
}
const several = (value: string | string[] | undefined) => (typeof value === 'string' ? [value] : value)
const one = (field: WhereField, op: WhereCondition['op'], value: WhereCondition['value']): WhereCondition[] =>
  value === undefined ? [] : [{ field, op, value }]

function fenceCondition(status: TerminalFilter['location_fence_status']): RawBuilder<boolean> | undefined {
  if (status === undefined || status === fenceStatuses.all) return undefined
  if (status === fenceStatuses.closed) return sql<boolean>`terminal_state.fence_state is null`
  return sql<boolean>`terminal_state.fence_state = ${status === fenceStatuses.enter ? 'inside' : 'outside'}`
}

/** One kind is an equality, which keeps the order of the index. */
const isAgent = (kinds: readonly string[]): RawBuilder<boolean> =>
  kinds.length === 1
    ? sql<boolean>`terminal.agent_kind = ${kinds[0]}`
    : sql<boolean>`terminal.agent_kind = any(${textArray(kinds)})`

/** A device that an alert rule marks is not compliant; the scope of the whole limits this query too. */
function compliance(is_compliant: boolean): RawBuilder<boolean> {
  const marked = expressionBuilder<Tables, 'terminal'>()
    .selectFrom('alert_terminal')
    .select('alert_terminal.terminal_kid')
    .where('alert_terminal.is_marked', '=', true)
  return is_compliant ? sql<boolean>`terminal.kid not in ${marked}` : sql<boolean>`terminal.kid in ${marked}`
}

/** By the serial number, as a lost device stays lost when it is registered anew. */
function loss(is_lost: boolean): RawBuilder<boolean> {
  const lost = expressionBuilder<Tables, 'terminal'>()
    .selectFrom('terminal_lost')
    .select('terminal_lost.sn')
    .where('terminal_lost.found_at', 'is', null)
  return is_lost ? sql<boolean>`terminal.sn in ${lost}` : sql<boolean>`terminal.sn not in ${lost}`
}

/** Devices of the rows of a sheet, as long as its result is kept; the scope of the whole limits this query too. */
const isOfSheet = (batch_kid: string): RawBuilder<boolean> =>
  sql<boolean>`terminal.kid in ${expressionBuilder<Tables, 'terminal'>()
    .selectFrom('batch_row')
    .select('batch_row.terminal_kid')
    .where('batch_row.batch_job_kid', '=', batch_kid)
    .where('batch_row.terminal_kid', 'is not', null)}`

/** What is asked here, and what the dynamic group asks; one that does not exist has no devices. */
async function wheres(scope: Db, { where, terminal_dynamic_group_kid }: TerminalFilter): Promise<WhereGroup[]> {
  const own = where ? [where] : []
  if (terminal_dynamic_group_kid === undefined) return own
  const group = await scope
    .selectFrom('terminal_dynamic_group')
    .select('where')
    .where('kid', '=', terminal_dynamic_group_kid)
    .executeTakeFirst()
  return [...own, group?.where ?? nobody]
}
const nobody: WhereGroup = { any: [] }

type Node = { sql: RawBuilder<boolean>; uses: Set<Compiled['table']> }
function compileNode(node: WhereNode, known: Known): Node {
  if ('field' in node) {
    const { sql: condition, table } = compile(node, known)
    return { sql: condition, uses: new Set([table]) }
  }
  const parts = whereNodes(node).map((each) => compileNode(each, known))
  const uses = new Set(parts.flatMap((part) => [...part.uses]))
  if (parts.length === 0) return { sql: sql<boolean>`false`, uses }
  const joint = 'all' in node ? sql` and ` : sql` or `
  return {
    sql: sql<boolean>`(${sql.join(
      parts.map((part) => part.sql),
      joint,
    )})`,
    uses,
  }
}

async function knownTo({ scope, visible_groups, deps }: Actor, nodes: WhereNode[]): Promise<Known> {
  const conditions = nodes.flatMap(whereConditions)
  const named = conditions.flatMap(({ field, value }) => (field === 'terminal_group_kid' ? (value as string[]) : []))
  const subtrees = new Map<string, string[]>()
  for (const kid of new Set(named))
    if (kid !== groupValues.none) subtrees.set(kid, await kidsWithin(scope, visible_groups, kid))
  const needs_fields = conditions.some(({ field }) => field === 'custom_field')
  return { now: deps.clock.now(), fields: needs_fields ? await listFields(scope) : [], subtrees }
}
const kidsWithin = async (scope: Db, visible_groups: VisibleGroups, kid: string) =>
  ((await within(scope, visible_groups, kid)) ?? []).map((group) => group.kid)

async function groupsOf(
  { scope, visible_groups }: Actor,
  asked: TerminalFilter['terminal_group_kid'],
): Promise<Groups> {
  if (asked === groupValues.all) return undefined
  if (asked === groupValues.none) return null
  return within(scope, visible_groups, asked)
}
async function within(scope: Db, visible_groups: VisibleGroups, kid: string) {
  const groups = await subtree(scope, kid)
  return visible_groups ? groups.filter((group) => visible_groups.includes(group.kid)) : groups
}

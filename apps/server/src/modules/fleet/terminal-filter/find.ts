import type { Contract, In, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { cappedCount, countedBy, counterOf } from '../../../db/paging.ts'
import type { Column, Counter, Total } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { countInGroups, countWithoutGroup } from '../terminal-group/index.ts'
import { matcherOf } from './filter.ts'
import type { Matcher } from './filter.ts'

type Db = Kysely<Tables>
type Input = In<Contract['terminal']['calls']['paging']>
export type Sorted = Pick<Input, 'sort'>
export type Kids = SelectQueryBuilder<Tables, 'terminal' | 'terminal_state', object>

const state_kid = sql<string>`terminal_state.terminal_kid`

export const columns = {
  registered_at: { ref: sql`terminal.registered_at`, order: 'desc' },
  sn: { ref: sql`terminal.sn` },
  name: { ref: sql`terminal.name` },
  model: { ref: sql`terminal.model` },
  os_version: { ref: sql`terminal.os_version` },
  last_online_at: { ref: sql`terminal_state.last_online_at`, key: state_kid, is_nullable: true, order: 'desc' },
  battery_level: { ref: sql`terminal_state.battery_level`, key: state_kid, is_nullable: true },
} satisfies Record<NonNullable<Input['sort']>, Column>

export const sortOf = ({ sort }: Sorted): NonNullable<Input['sort']> => sort ?? 'registered_at'

export const isFiltered = ({ conditions }: Matcher): boolean => conditions.length > 0

export type From = { has_terminal: boolean; has_state: boolean }

/** What the filter and the sort need; without an input, the least that the filter can do with. */
export function tablesOf({ visible_groups }: Actor, matcher: Matcher, input?: Sorted): From {
  const by_state = input !== undefined && 'key' in columns[sortOf(input)]
  const has_state = by_state || matcher.has_state
  const by_terminal = input === undefined ? !has_state : !by_state
  return {
    has_state,
    has_terminal: by_terminal || matcher.has_terminal || matcher.groups !== undefined || visible_groups !== undefined,
  }
}

export function matching(scope: Db, { groups, conditions }: Matcher, tables: From): Kids {
  let query = from(scope, tables)
  if (groups === null) query = query.where('terminal.terminal_group_kid', 'is', null)
  if (groups?.length === 1) query = query.where('terminal.terminal_group_kid', '=', groups[0]!.kid)
  else if (groups)
    query = query.where('terminal.terminal_group_kid', '=', sql<string>`any(${groups.map(({ kid }) => kid)}::uuid[])`)
  for (const condition of conditions) query = query.where(condition)
  return query
}

function from(scope: Db, { has_terminal, has_state }: From): Kids {
  if (!has_state) return scope.selectFrom('terminal') as unknown as Kids
  if (!has_terminal) return scope.selectFrom('terminal_state') as unknown as Kids
  return scope
    .selectFrom('terminal')
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid') as unknown as Kids
}

/** Counters while nothing but the group is filtered, else a count that stops (paging.ts). */
export async function totalOf(actor: Actor, matcher: Matcher): Promise<Total> {
  const { scope } = actor
  if (!isFiltered(matcher)) return countedBy(counterFor(actor, matcher))
  const tables = tablesOf(actor, matcher)
  return cappedCount(scope, inSomeOrder(matching(scope, matcher, tables), matcher, tables))
}

/** In an order that an index of this account has: a scan would pass through the devices of all others. */
export function inSomeOrder(
  matches: Kids,
  { is_by_index }: Matcher,
  tables: From,
  order: 'asc' | 'desc' = 'asc',
): Kids {
  if (is_by_index) return matches
  const { ref, key = sql`terminal.kid` }: Column = columns[anySort(tables)]
  return matches.orderBy(ref, order).orderBy(key, order)
}

export const anySort = ({ has_terminal }: From) => (has_terminal ? 'registered_at' : 'last_online_at')

/** However many there are: for what is about to happen to all of them. */
export async function count(actor: Actor, filter: TerminalFilter): Promise<number> {
  const matcher = await matcherOf(actor, filter)
  if (!isFiltered(matcher)) return (await countedBy(counterFor(actor, matcher))).total
  const { n } = await matching(actor.scope, matcher, tablesOf(actor, matcher))
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow()
  return n
}

/** Every device that matches, in the order of their kids. */
export async function kidsMatching(actor: Actor, filter: TerminalFilter): Promise<string[]> {
  const matcher = await matcherOf(actor, filter)
  const tables = { ...tablesOf(actor, matcher), has_terminal: true }
  const rows = await matching(actor.scope, matcher, tables).select('terminal.kid').orderBy('terminal.kid').execute()
  return rows.map(({ kid }) => kid)
}

/** The next devices that match, in the order of their kids. */
export async function matchingAfter(
  actor: Actor,
  filter: TerminalFilter,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const matcher = await matcherOf(actor, filter)
  const tables = { ...tablesOf(actor, matcher), has_terminal: true }
  const rows = await matching(actor.scope, matcher, tables)
    .select('terminal.kid')
    .$if(after !== undefined, (q) => q.where('terminal.kid', '>', after!))
    .orderBy('terminal.kid')
    .limit(limit)
    .execute()
  return rows.map(({ kid }) => kid)
}

/** What matches as a subquery; undefined when that is every device of the account. */
export async function kidsOf(actor: Actor, filter: TerminalFilter) {
  const matcher = await matcherOf(actor, filter)
  if (matcher.groups === undefined && !actor.visible_groups && !isFiltered(matcher)) return undefined
  const tables = tablesOf(actor, matcher)
  const kid = tables.has_terminal ? sql<string>`terminal.kid` : state_kid
  return matching(actor.scope, matcher, tables).select(kid.as('kid'))
}

export function counterFor({ scope, account_kid, visible_groups }: Actor, { groups }: Matcher): Counter | number {
  if (groups) return groups.reduce((sum, group) => sum + group.terminal_count, 0)
  if (visible_groups) return groups === null ? 0 : countInGroups(scope, visible_groups)
  return groups === null ? countWithoutGroup(scope, account_kid) : countAll(scope, account_kid)
}

export const countAll = (scope: Db, account_kid: string): Counter =>
  counterOf(
    scope.selectFrom('account').select('account.terminal_count as total').where('account.kid', '=', account_kid),
  )

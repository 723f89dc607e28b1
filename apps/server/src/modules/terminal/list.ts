import { groupValues } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, RawBuilder, SelectQueryBuilder } from 'kysely'
import { cappedCount, readPage } from '../../db/paging.ts'
import type { Column, Total } from '../../db/paging.ts'
import type { Tables } from '../../db/tables.ts'
import { countInGroups, countWithoutGroup, subtree } from '../terminal-group/service.ts'
import type { Reach } from '../terminal-group/service.ts'
import { wholeRows } from './rows.ts'

type Db = Kysely<Tables>
type Input = In<Contract['terminal']['calls']['paging']>
export type Viewer = { scope: Db; account_kid: string; reach: Reach }
type Kids = SelectQueryBuilder<Tables, 'terminal' | 'terminal_state', object>

const state_kid = sql<string>`terminal_state.terminal_kid`
const columns = {
  registered_at: { ref: sql`terminal.registered_at`, order: 'desc' },
  sn: { ref: sql`terminal.sn` },
  name: { ref: sql`terminal.name` },
  model: { ref: sql`terminal.model` },
  os_version: { ref: sql`terminal.os_version` },
  last_online_at: { ref: sql`terminal_state.last_online_at`, key: state_kid, is_nullable: true, order: 'desc' },
  battery_level: { ref: sql`terminal_state.battery_level`, key: state_kid, is_nullable: true },
} satisfies Record<NonNullable<Input['sort']>, Column>
/**
 * The same values behind a subquery, which no index is of: the planner, which guesses how many rows match, cannot walk
 * all devices in the order of the sort in search of a few.
 */
const sorted_late: Record<string, Column> = Object.fromEntries(
  Object.entries(columns).map(([name, column]) => [name, { ...column, ref: sql`(select ${column.ref})` }]),
)

/** Up to so many matches are filtered first and sorted then; of more than that, a page is read along the sort's index. */
const few = 2_000

/**
 * One page of devices: their kids, from an index of the sorted table with no more joins than filter and sort need, and
 * around that their rows by primary key. Skipped rows and rows that are only counted cost an index entry each.
 */
export async function paging(viewer: Viewer, input: Input) {
  const { scope, reach } = viewer
  const groups = await groupsOf(viewer, input.terminal_group_kid)
  const has_state_sort = input.sort !== undefined && 'key' in columns[input.sort]
  const kid = needsTerminal(reach, input, has_state_sort) ? sql<string>`terminal.kid` : state_kid
  const is_all = groups === undefined && !reach && !isFiltered(input)
  const total = is_all ? () => countAll(scope, viewer.account_kid) : await totalOf(viewer, input, groups)
  return readPage({
    query: matching(scope, reach, input, groups, has_state_sort).select(kid.as('kid')),
    whole: (page) => wholeRows(scope, page),
    input,
    columns: typeof total !== 'function' && total.total <= few && !isInOrder(input, groups) ? sorted_late : columns,
    key: sql`terminal.kid`,
    total,
  })
}
/** One group's devices lie in an index in the order of registration. */
const isInOrder = (input: Input, groups: Groups): boolean =>
  groups?.length === 1 && (input.sort ?? 'registered_at') === 'registered_at' && !isFiltered(input)

/** The groups that are asked for with all below them; undefined for every device, null for those in no group. */
type Groups = { kid: string; terminal_count: number }[] | null | undefined
async function groupsOf({ scope, reach }: Viewer, asked: Input['terminal_group_kid']): Promise<Groups> {
  if (asked === groupValues.all) return undefined
  if (asked === groupValues.none) return null
  const groups = await subtree(scope, asked)
  return reach ? groups.filter(({ kid }) => reach.includes(kid)) : groups
}

const isFiltered = (input: Input): boolean => Boolean(terminalFilters(input)) || input.is_online !== undefined
const terminalFilters = (input: Input) => input.text || input.model !== undefined || input.os_version !== undefined
const needsTerminal = (reach: Reach, input: Input, has_state_sort: boolean): boolean =>
  !has_state_sort || Boolean(terminalFilters(input)) || input.terminal_group_kid !== groupValues.all || Boolean(reach)

/** Matches of the filters over `terminal`, `terminal_state` or both: what they and the sort need. */
function matching(scope: Db, reach: Reach, input: Input, groups: Groups, has_state_sort: boolean): Kids {
  const { text, model, os_version, is_online } = input
  const has_terminal = needsTerminal(reach, input, has_state_sort)
  const has_state = has_state_sort || is_online !== undefined
  let query = from(scope, has_terminal, has_state)
  // As the partial index of online devices says it.
  if (is_online === true) query = query.where(sql<boolean>`terminal_state.is_online`)
  if (is_online === false) query = query.where(sql<boolean>`not terminal_state.is_online`)
  if (groups === null) query = query.where('terminal.terminal_group_kid', 'is', null)
  if (groups?.length === 1) query = query.where('terminal.terminal_group_kid', '=', groups[0]!.kid)
  else if (groups)
    query = query.where('terminal.terminal_group_kid', '=', sql<string>`any(${groups.map(({ kid }) => kid)}::uuid[])`)
  if (model !== undefined) query = query.where('terminal.model', '=', model)
  if (os_version !== undefined) query = query.where('terminal.os_version', '=', os_version)
  if (text) query = query.where(contains(text))
  return query
}

function from(scope: Db, has_terminal: boolean, has_state: boolean): Kids {
  if (!has_state) return scope.selectFrom('terminal') as unknown as Kids
  if (!has_terminal) return scope.selectFrom('terminal_state') as unknown as Kids
  return scope
    .selectFrom('terminal')
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid') as unknown as Kids
}

/**
 * Part of SN, alias or IMEI, through the trigram index. Fewer than three characters make no trigram in the middle of
 * a word, but two do where a word begins: so short texts match only there.
 */
function contains(text: string): RawBuilder<boolean> {
  const literal = text.replace(/[\\%_]/g, '\\$&')
  if ([...text].length >= 3) return sql<boolean>`terminal.search like lower(${`%${literal}%`})`
  return sql<boolean>`(terminal.search like lower(${`${literal}%`}) or terminal.search like lower(${`% ${literal}%`}))`
}

/** Counters while nothing but the group is filtered, else a count that stops (paging.ts). */
async function totalOf(viewer: Viewer, input: Input, groups: Groups): Promise<Total> {
  const { scope, reach } = viewer
  if (isFiltered(input)) {
    const matches = matching(scope, reach, input, groups, input.is_online !== undefined)
    // In an order that an index of this account has: a scan would pass through the devices of all others.
    return cappedCount(scope, input.text ? matches.orderBy('terminal.registered_at').orderBy('terminal.kid') : matches)
  }
  return { total: await counterOf(viewer, groups), total_is_exact: true }
}

function counterOf({ scope, account_kid, reach }: Viewer, groups: Groups): Promise<number> | number {
  if (groups) return groups.reduce((sum, group) => sum + group.terminal_count, 0)
  if (reach) return groups === null ? 0 : countInGroups(scope, reach)
  return groups === null ? countWithoutGroup(scope, account_kid) : countAll(scope, account_kid)
}

export async function countAll(scope: Db, account_kid: string): Promise<number> {
  const { total } = await scope
    .selectFrom('account')
    .select('terminal_count as total')
    .where('kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  return total
}

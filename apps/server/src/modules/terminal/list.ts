import type { Contract, In, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { cappedCount, countedBy, readPage } from '../../db/paging.ts'
import type { Column, Counter, Total } from '../../db/paging.ts'
import type { Tables } from '../../db/tables.ts'
import { withUploadRoles } from '../terminal-config/service.ts'
import { countInGroups, countWithoutGroup } from '../terminal-group/service.ts'
import { matcherOf } from './filter.ts'
import type { Matcher, Searcher, Viewer } from './filter.ts'
import { wholeRows } from './rows.ts'

type Db = Kysely<Tables>
type Input = In<Contract['terminal']['calls']['paging']>
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
export async function paging(viewer: Searcher, input: Input) {
  const page = await (await reading(viewer, input))(input)
  return { ...page, items: await withUploadRoles(viewer, page.items) }
}

/** Every page of what `paging` answers but the upload rules, found and counted once; of each row `only` these fields. */
export async function* pages(
  viewer: Searcher,
  input: Omit<Input, 'page' | 'page_size' | 'after'>,
  { page_size, only }: { page_size: number; only: ReadonlySet<string> },
) {
  const read = await reading(viewer, input, only)
  const at = (after?: string) => read({ ...input, page: 1, page_size, after })
  let next: ReturnType<typeof at> | undefined = at()
  while (next) {
    const page: Awaited<typeof next> = await next
    // The database reads on while somebody does something with these; who leaves in between does not hear of a fault.
    next = page.next === null ? undefined : at(page.next)
    next?.catch(() => {})
    yield page.items
  }
}

/** Reads any page of one list; with `only` without saying how many there are. */
async function reading(
  viewer: Searcher,
  input: Pick<Input, 'sort' | 'order'> & TerminalFilter,
  only?: ReadonlySet<string>,
) {
  const { scope } = viewer
  const matcher = await matcherOf(viewer, input)
  const tables = tablesOf(viewer, matcher, input.sort ?? 'registered_at')
  // How many there are decides how a page is found, unless an index has them in order.
  const total = isInOrder(input, viewer, matcher) ? undefined : await totalOf(viewer, matcher)
  const is_late = total !== undefined && total.total <= few
  return (at: Input) =>
    readPage({
      query: matching(scope, matcher, tables),
      whole: (kids) => wholeRows(scope, kids, only),
      input: at,
      columns: is_late ? sorted_late : columns,
      key: sql`terminal.kid`,
      // Who walks through all of it counts by themselves.
      total: only ? 0 : (total ?? counterOf(viewer, matcher)),
    })
}
/** Everything lies in indexes in any order, one group's devices and those without a group in the order of registration. */
const isInOrder = ({ sort = 'registered_at' }: Pick<Input, 'sort'>, { reach }: Viewer, matcher: Matcher): boolean => {
  if (isFiltered(matcher)) return false
  const { groups } = matcher
  if (groups === undefined) return !reach
  return sort === 'registered_at' && (groups === null || groups.length === 1)
}

const isFiltered = ({ conditions }: Matcher): boolean => conditions.length > 0

type From = { has_terminal: boolean; has_state: boolean }
/** What the filter and the sort need; without a sort, the least that the filter can do with. */
function tablesOf({ reach }: Viewer, matcher: Matcher, sort?: NonNullable<Input['sort']>): From {
  const by_state = sort !== undefined && 'key' in columns[sort]
  const has_state = by_state || matcher.has_state
  const by_terminal = sort === undefined ? !has_state : !by_state
  return {
    has_state,
    has_terminal: by_terminal || matcher.has_terminal || matcher.groups !== undefined || reach !== undefined,
  }
}

function matching(scope: Db, { groups, conditions }: Matcher, tables: From): Kids {
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
export async function totalOf(viewer: Viewer, matcher: Matcher): Promise<Total> {
  const { scope } = viewer
  if (!isFiltered(matcher)) return { total: await countedBy(counterOf(viewer, matcher)), total_is_exact: true }
  const tables = tablesOf(viewer, matcher)
  return cappedCount(scope, inSomeOrder(matching(scope, matcher, tables), matcher, tables))
}

/** In an order that an index of this account has: a scan would pass through the devices of all others. */
function inSomeOrder(matches: Kids, { is_by_index }: Matcher, { has_terminal }: From): Kids {
  if (is_by_index) return matches
  if (!has_terminal) return matches.orderBy('terminal_state.last_online_at').orderBy('terminal_state.terminal_kid')
  return matches.orderBy('terminal.registered_at').orderBy('terminal.kid')
}

/** However many there are: for what is about to happen to all of them. */
export async function count(viewer: Searcher, filter: TerminalFilter): Promise<number> {
  const matcher = await matcherOf(viewer, filter)
  if (!isFiltered(matcher)) return countedBy(counterOf(viewer, matcher))
  const { n } = await matching(viewer.scope, matcher, tablesOf(viewer, matcher))
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow()
  return n
}

/** Every device that matches, in the order of their kids. */
export async function kidsMatching(viewer: Searcher, filter: TerminalFilter): Promise<string[]> {
  const matcher = await matcherOf(viewer, filter)
  const tables = { ...tablesOf(viewer, matcher), has_terminal: true }
  const rows = await matching(viewer.scope, matcher, tables).select('terminal.kid').orderBy('terminal.kid').execute()
  return rows.map(({ kid }) => kid)
}

/** What matches as a subquery; undefined when that is every device of the account. */
export async function kidsOf(viewer: Searcher, filter: TerminalFilter) {
  const matcher = await matcherOf(viewer, filter)
  if (matcher.groups === undefined && !viewer.reach && !isFiltered(matcher)) return undefined
  const tables = tablesOf(viewer, matcher)
  const kid = tables.has_terminal ? sql<string>`terminal.kid` : state_kid
  return matching(viewer.scope, matcher, tables).select(kid.as('kid'))
}

function counterOf({ scope, account_kid, reach }: Viewer, { groups }: Matcher): Counter | number {
  if (groups) return groups.reduce((sum, group) => sum + group.terminal_count, 0)
  if (reach) return groups === null ? 0 : countInGroups(scope, reach)
  return groups === null ? countWithoutGroup(scope, account_kid) : countAll(scope, account_kid)
}

export const countAll = (scope: Db, account_kid: string): Counter =>
  scope.selectFrom('account').select('account.terminal_count as total').where('account.kid', '=', account_kid)
